//! Whether a browser sent a request because one of the host's own pages asked for it.

use axum::http::HeaderMap;

/// Whether no other site had a browser send this. Clients that are no browsers say nothing of it.
pub(crate) fn is_own(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let is_fetched_here =
        text("sec-fetch-site").is_none_or(|site| matches!(site, "same-origin" | "none"));
    // A page without an origin of its own says `null`.
    let is_same = text("origin").is_none_or(|origin| {
        let host = origin.split_once("://").map(|(_, host)| host);
        host.is_some() && host == text("host")
    });
    is_fetched_here && is_same
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn other_sites_are_told_apart() {
        for (origin, fetched, own) in [
            (None, None, true),
            (Some("https://docs.example.com"), Some("same-origin"), true),
            (Some("http://docs.example.com"), None, true),
            (None, Some("none"), true),
            (Some("https://docs.example.com"), Some("cross-site"), false),
            (Some("https://evil.example"), Some("same-origin"), false),
            (Some("https://evil.example"), None, false),
            (Some("https://docs.example.com:8443"), None, false),
            (Some("null"), None, false),
            (None, Some("same-site"), false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert("host", HeaderValue::from_static("docs.example.com"));
            for (name, value) in [("origin", origin), ("sec-fetch-site", fetched)] {
                if let Some(value) = value {
                    headers.insert(name, HeaderValue::from_static(value));
                }
            }
            assert_eq!(is_own(&headers), own, "{origin:?} {fetched:?}");
        }
    }
}
