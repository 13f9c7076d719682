//! Detects requests that a browser sent for a page of another site.

use axum::http::request::Parts;

use crate::{authority::Authority, client::ClientAddress};

/// Whether no other site made a browser send this. Other clients don't send these headers.
pub fn is_own(parts: &Parts) -> bool {
    let text = |name: &str| parts.headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let is_fetched_here =
        text("sec-fetch-site").is_none_or(|site| matches!(site, "same-origin" | "none"));
    is_fetched_here && text("origin").is_none_or(|origin| is_where_it_went(origin, parts))
}

/// Whether an origin equals the address of a request. A page without an origin sends `null`.
fn is_where_it_went(origin: &str, parts: &Parts) -> bool {
    let Some((scheme, place)) = origin.split_once("://") else { return false };
    // Behind an untrusted proxy that ends TLS, the scheme is unknown. If it is known, pages of the other scheme
    // are foreign: anyone on the way could have written them.
    let is_scheme = match scheme {
        "https" => true,
        "http" => !ClientAddress::of(parts).is_https,
        _ => false,
    };
    let addressed = Authority::of(&parts.extensions);
    is_scheme
        && Authority::parse(place)
            .zip(addressed)
            .is_some_and(|(origin, addressed)| origin.is_same(addressed, scheme))
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderValue, Request};

    use super::*;

    fn asked(addressed: Option<&str>, is_https: bool) -> Parts {
        let mut parts = Request::new(()).into_parts().0;
        if let Some(addressed) = addressed {
            parts.extensions.insert(Authority::parse(addressed).unwrap());
        }
        parts.extensions.insert(ClientAddress { address: None, is_https, is_proxied: false });
        parts
    }

    #[test]
    fn other_sites_are_refused() {
        for (origin, fetched, own) in [
            (None, None, true),
            (Some("https://docs.example.com"), Some("same-origin"), true),
            (Some("http://docs.example.com"), None, true),
            (None, Some("none"), true),
            (Some("https://docs.example.com"), Some("cross-site"), false),
            (Some("https://evil.example"), Some("same-origin"), false),
            (Some("https://evil.example"), None, false),
            (Some("https://docs.example.com:8443"), None, false),
            (Some("https://docs.example.com.evil.example"), None, false),
            (Some("https://docs.example.com@evil.example"), None, false),
            (Some("chrome-extension://docs.example.com"), None, false),
            (Some("null"), None, false),
            (Some(""), None, false),
            (None, Some("same-site"), false),
        ] {
            let mut parts = asked(Some("docs.example.com"), false);
            for (name, value) in [("origin", origin), ("sec-fetch-site", fetched)] {
                if let Some(value) = value {
                    parts.headers.insert(name, HeaderValue::from_static(value));
                }
            }
            assert_eq!(is_own(&parts), own, "{origin:?} {fetched:?}");
        }
    }

    #[test]
    fn origin_is_compared_with_scheme_and_port() {
        for (origin, addressed, is_https, own) in [
            ("https://a.example:8443", "a.example:8443", true, true),
            ("https://a.example", "a.example:443", true, true),
            ("http://a.example:80", "a.example", false, true),
            ("https://[::1]:8443", "[::1]:8443", true, true),
            // Anyone on the way could have written that page.
            ("http://a.example", "a.example", true, false),
            ("http://a.example:443", "a.example:443", true, false),
            ("https://a.example:80", "a.example", true, false),
            ("https://a.example", "a.example:8443", true, false),
        ] {
            let mut parts = asked(Some(addressed), is_https);
            parts.headers.insert("origin", HeaderValue::from_static(origin));
            assert_eq!(is_own(&parts), own, "{origin} {addressed} {is_https}");
        }
        let mut nowhere = asked(None, true);
        assert!(is_own(&nowhere));
        nowhere.headers.insert("origin", HeaderValue::from_static("https://a.example"));
        assert!(!is_own(&nowhere));
    }
}
