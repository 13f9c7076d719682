//! Reads the request that a page names in headers of its own request:
//!
//! - `Docwright-Request-Method`: the method.
//! - `Docwright-Request-Url`: the URL.
//! - `Docwright-Request-Headers`: pairs of name and value in JSON, percent-encoded.
//!
//! The body is that of the page's request. Nothing else of the page's request is passed on.

use axum::http::{HeaderMap, Method};
use url::Url;

use super::{headers, refusal::Refusal};

/// A request that a reader composed, to an allowed origin.
#[derive(Debug)]
pub(super) struct ReaderRequest {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
}

impl ReaderRequest {
    /// Reads the request, and checks that its origin is among those of the site.
    pub(super) fn read(own: &HeaderMap, origins: &[String]) -> Result<Self, Refusal> {
        Ok(Self {
            method: method(one(own, "Docwright-Request-Method")?)?,
            url: url(one(own, "Docwright-Request-Url")?, origins)?,
            headers: headers::read(one(own, "Docwright-Request-Headers")?)?,
        })
    }
}

/// A header that must be there once.
fn one<'h>(own: &'h HeaderMap, name: &'static str) -> Result<&'h str, Refusal> {
    let mut values = own.get_all(name).iter();
    let value = values.next().filter(|_| values.next().is_none());
    value.and_then(|value| value.to_str().ok()).ok_or(Refusal::NoHeader(name))
}

/// Any method, except those that ask a host for more than a response.
fn method(text: &str) -> Result<Method, Refusal> {
    let method = Method::from_bytes(text.as_bytes()).map_err(|_| Refusal::WrongMethod)?;
    let is_refused = ["CONNECT", "TRACE", "TRACK"].iter().any(|it| it.eq_ignore_ascii_case(text));
    if is_refused { Err(Refusal::WrongMethod) } else { Ok(method) }
}

/// An address with an allowed origin. The address is parsed once: what is compared here is what is contacted.
fn url(text: &str, origins: &[String]) -> Result<Url, Refusal> {
    let mut url = Url::parse(text).map_err(|_| Refusal::WrongAddress)?;
    let has_password = !url.username().is_empty() || url.password().is_some();
    if !matches!(url.scheme(), "http" | "https") || has_password {
        return Err(Refusal::WrongAddress);
    }
    url.set_fragment(None);
    let origin = url.origin().ascii_serialization();
    if origins.contains(&origin) { Ok(url) } else { Err(Refusal::OtherHost(origin)) }
}
