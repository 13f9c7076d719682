//! The frame of docwright's own small pages, and the headers that keep other sites out of them.

use std::sync::LazyLock;

use axum::{
    extract::Request,
    http::{HeaderValue, StatusCode, header},
    middleware::Next,
    response::{Html, IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("page.css");

/// Policy of a page: it can use the style above and send its own forms. No script runs, nothing is fetched, and no
/// other site can show it in a frame, where a click could be stolen.
static PAGE_POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let style = source_hash(STYLE);
    let policy = format!(
        "default-src 'none'; style-src {style}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    );
    HeaderValue::try_from(policy).unwrap_or(NOTHING)
});

/// Policy of an answer that isn't a page.
const NOTHING: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// The source in a Content Security Policy that allows one inline style or script, and no other.
pub fn source_hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

/// A page of the service. It is generated for one request, and not cached.
pub fn page(status: StatusCode, title: &str, body: &Markup) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { main { (body) } }
        }
    };
    let headers = [
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::CONTENT_SECURITY_POLICY, PAGE_POLICY.clone()),
    ];
    secured((status, headers, Html(page.into_string())).into_response())
}

/// Adds the security headers to every answer of the service.
pub async fn secure(request: Request, next: Next) -> Response {
    secured(next.run(request).await)
}

/// Adds the headers that an answer does not have yet.
pub fn secured(mut response: Response) -> Response {
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, NOTHING),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::REFERRER_POLICY, HeaderValue::from_static("same-origin")),
    ] {
        response.headers_mut().entry(name).or_insert(value);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_policy_allows_only_its_own_style() {
        let response = page(StatusCode::OK, "T", &html! { p { "x" } });
        let policy = response.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(
            policy.contains("frame-ancestors 'none'") && policy.contains("'sha256-"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
    }

    #[test]
    fn answer_keeps_its_own_policy() {
        let own = [(header::CONTENT_SECURITY_POLICY, "default-src 'self'")];
        let response = secured((own, "x").into_response());
        assert_eq!(response.headers()[header::CONTENT_SECURITY_POLICY], "default-src 'self'");
        assert_eq!(response.headers()[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        let response = secured("x".into_response());
        assert_eq!(response.headers()[header::CONTENT_SECURITY_POLICY], NOTHING);
    }
}
