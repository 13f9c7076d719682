//! The source of a question: a page of the site, or a page of another site with a key of the assistant. Browsers show the response to
//! the latter only with headers (CORS), also if it is an error.

use axum::{
    http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use docwright_http::origin;
use docwright_types::{assistant::AskedFrom, assistant_key::AssistantSecret};

use super::{places::Places, refusal::Refusal};

/// How long a browser remembers what it can send.
const REMEMBERED: &str = "600";

/// The source of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asker {
    /// A page of the site.
    Page,
    /// The widget on a page of another site.
    Widget,
}

impl Asker {
    /// The asker of a request to the site of a domain.
    pub(super) fn of(places: &Places, domain: &str, parts: &Parts) -> Result<Self, Refusal> {
        if origin::is_own(parts) {
            return Ok(Self::Page);
        }
        let Some(given) = parts.headers.get(header::AUTHORIZATION) else {
            return Err(Refusal::ForeignPage);
        };
        let text = given.to_str().ok().and_then(|text| text.split_once(' '));
        let key = text.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        let key = key.and_then(|(_, key)| AssistantSecret::parse(key.trim()));
        let origin = origin_of(&parts.headers).unwrap_or_default();
        match key {
            Some(key) if places.allows(domain, &key, origin) => Ok(Self::Widget),
            _ => Err(Refusal::Key),
        }
    }

    pub(super) const fn asked_from(self) -> AskedFrom {
        match self {
            Self::Page => AskedFrom::Site,
            Self::Widget => AskedFrom::Widget,
        }
    }
}

/// Answers a browser that asks whether a page of another site can send a request; `None` for other requests.
pub(super) fn preflight(places: &Places, domain: &str, parts: &Parts) -> Option<Response> {
    let asks = parts.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    if parts.method != Method::OPTIONS || !asks {
        return None;
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    let text = HeaderValue::from_static;
    let headers = response.headers_mut();
    if is_listed(places, domain, &parts.headers) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, text("POST"));
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, text("authorization, content-type"));
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, text(REMEMBERED));
    }
    share(places, domain, &parts.headers, headers);
    Some(response)
}

/// Adds the headers with which a page of another site sees a response, if some key of the domain lists its origin.
pub(super) fn share(places: &Places, domain: &str, asked: &HeaderMap, headers: &mut HeaderMap) {
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    if let Some(origin) = asked.get(header::ORIGIN).filter(|_| is_listed(places, domain, asked)) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        let exposed = HeaderValue::from_static("retry-after");
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
    }
}

fn is_listed(places: &Places, domain: &str, asked: &HeaderMap) -> bool {
    origin_of(asked).is_some_and(|origin| places.is_listed(domain, origin))
}

fn origin_of(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::ORIGIN)?.to_str().ok()
}
