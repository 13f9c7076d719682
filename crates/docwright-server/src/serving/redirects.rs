//! Redirects of a site, prepared once, so that an answer is a look-up.

use std::collections::HashMap;

use axum::http::{HeaderValue, StatusCode};
use docwright_site::{
    bundle::Bundle,
    content::{
        config::Redirect,
        redirects::{apply, has_wildcard},
    },
};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::open_site::find;

/// What a header can't hold, or not in this meaning. What is encoded already stays as it is.
const UNSAFE: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'\\').add(b'`');
/// That, and what would end a path.
const UNSAFE_IN_PATH: &AsciiSet = &UNSAFE.add(b'?').add(b'#').add(b'%').add(b'{').add(b'}');

/// Where an address leads now, and whether for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Elsewhere {
    pub(super) status: StatusCode,
    pub(super) location: HeaderValue,
}

/// The redirects of a site.
#[derive(Debug, Default)]
pub(super) struct Redirects {
    /// Those of one address: its path without slashes around it.
    exact: HashMap<String, Elsewhere>,
    /// Those of many, in their order.
    patterns: Vec<Redirect>,
}

impl Redirects {
    /// The redirects of a bundle. A page has its address for itself.
    pub(super) fn new(bundle: &Bundle) -> Self {
        let is_page = |path: &str| {
            let has = |ending| find(bundle, &format!("{path}{ending}")).is_some();
            has("") || (has(".html") && has(".md"))
        };
        Self::prepare(&bundle.about().redirects, is_page)
    }

    fn prepare(redirects: &[Redirect], is_page: impl Fn(&str) -> bool) -> Self {
        let mut prepared = Self::default();
        for redirect in redirects {
            if has_wildcard(&redirect.source) {
                let encode = |text: &str| utf8_percent_encode(text, UNSAFE).to_string();
                prepared.patterns.push(Redirect {
                    source: encode(&redirect.source),
                    destination: encode(&redirect.destination),
                    ..redirect.clone()
                });
                continue;
            }
            let source = redirect.source.split(['#', '?']).next().unwrap_or_default();
            let source = source.trim_matches('/').to_owned();
            let location = location(&source, &redirect.destination);
            if let Some(location) = location.filter(|_| !is_page(&source)) {
                let elsewhere = Elsewhere { status: status(redirect.permanent), location };
                prepared.exact.entry(source).or_insert(elsewhere);
            }
        }
        prepared
    }

    /// Where the address of a path leads that is a redirect and nothing else. The path is decoded.
    pub(super) fn exact(&self, path: &str) -> Option<&Elsewhere> {
        if self.exact.is_empty() {
            return None;
        }
        self.exact.get(path.trim_matches('/'))
    }

    /// Where the address of a path leads that nothing else is at. The path is decoded.
    pub(super) fn pattern(&self, path: &str) -> Option<Elsewhere> {
        if self.patterns.is_empty() {
            return None;
        }
        let path = utf8_percent_encode(path, UNSAFE_IN_PATH).to_string();
        self.patterns.iter().find_map(|redirect| {
            let (destination, permanent) = apply(std::slice::from_ref(redirect), &path)?;
            // A page of this host stays one of this host, whatever stands for the wildcard.
            let own =
                redirect.destination.starts_with('/') && !redirect.destination.starts_with("//");
            let destination =
                if own { format!("/{}", destination.trim_start_matches('/')) } else { destination };
            let location = location(path.trim_matches('/'), &destination)?;
            Some(Elsewhere { status: status(permanent), location })
        })
    }
}

const fn status(permanent: bool) -> StatusCode {
    if permanent { StatusCode::PERMANENT_REDIRECT } else { StatusCode::TEMPORARY_REDIRECT }
}

/// The address of a destination; `None` if it is where it starts from.
fn location(source: &str, destination: &str) -> Option<HeaderValue> {
    let path = destination.split(['#', '?']).next().unwrap_or_default();
    let has_scheme = path.split('/').next().is_some_and(|first| first.contains(':'));
    if !has_scheme && !path.starts_with("//") && path.trim_matches('/') == source {
        return None;
    }
    let root = if has_scheme || path.starts_with('/') { "" } else { "/" };
    HeaderValue::try_from(format!("{root}{}", utf8_percent_encode(destination, UNSAFE))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(redirects: &[(&str, &str, bool)]) -> Redirects {
        let redirects = redirects.iter().map(|(source, destination, permanent)| Redirect {
            source: (*source).to_owned(),
            destination: (*destination).to_owned(),
            permanent: *permanent,
        });
        Redirects::prepare(&redirects.collect::<Vec<_>>(), |path| path == "page")
    }

    fn text(elsewhere: Option<&Elsewhere>) -> Option<(u16, &str)> {
        elsewhere.map(|to| (to.status.as_u16(), to.location.to_str().unwrap()))
    }

    #[test]
    fn an_address_leads_to_its_destination() {
        let redirects = prepared(&[
            ("/old", "/new", true),
            ("/old", "/second", true),
            ("soon/", "later?x=1#y", false),
            ("/page", "/elsewhere", true),
            ("/circle", "/circle/", true),
            ("/out", "https://example.com/ä b", true),
            ("/ümlaut", "/a%20b", true),
        ]);
        for (path, expected) in [
            ("/old", Some((308, "/new"))),
            ("/old/", Some((308, "/new"))),
            ("/soon", Some((307, "/later?x=1#y"))),
            ("/page", None),
            ("/circle", None),
            ("/out", Some((308, "https://example.com/%C3%A4%20b"))),
            ("/ümlaut", Some((308, "/a%20b"))),
            ("/", None),
        ] {
            assert_eq!(text(redirects.exact(path)), expected, "{path}");
        }
    }

    #[test]
    fn wildcards_lead_to_pages_of_the_same_host() {
        let redirects = prepared(&[
            ("/v1/:rest*", "/v2/:rest*", true),
            ("/any/*", "/*", false),
            ("/ä/:x", "/b/:x", true),
            ("/same/*", "/same/*", true),
            ("/:a/out", "https://example.com/:a", true),
        ]);
        for (path, expected) in [
            ("/v1/a/b", Some((308, "/v2/a/b"))),
            ("/v1/a b?c#d", Some((308, "/v2/a%20b%3Fc%23d"))),
            ("/v1/a\r\nb", Some((308, "/v2/a%0D%0Ab"))),
            ("/any/x", Some((307, "/x"))),
            ("/any//evil.example", Some((307, "/evil.example"))),
            ("/any/\\evil.example", Some((307, "/%5Cevil.example"))),
            ("/ä/ö", Some((308, "/b/%C3%B6"))),
            ("/same/x", None),
            ("/a/out", Some((308, "https://example.com/a"))),
            ("/nothing", None),
        ] {
            assert_eq!(text(redirects.pattern(path).as_ref()), expected, "{path}");
        }
    }
}
