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

/// What a page can do: show itself in the style above and send its own forms. No script runs, nothing
/// is fetched, and no other site can show it in a frame, where a click could be stolen.
static PAGE_POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let style = STANDARD.encode(Sha256::digest(STYLE));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{style}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    );
    HeaderValue::try_from(policy).unwrap_or(NOTHING)
});

/// What an answer can do that is no page.
const NOTHING: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// A page of the service. It is made for one request, and not kept.
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

/// Gives every answer of the service the headers that browsers need to know of.
pub async fn secure(request: Request, next: Next) -> Response {
    secured(next.run(request).await)
}

/// An answer with the headers that it does not have yet.
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
    fn a_page_shows_its_style_and_nothing_else() {
        let response = page(StatusCode::OK, "T", &html! { p { "x" } });
        let policy = response.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(
            policy.contains("frame-ancestors 'none'") && policy.contains("'sha256-"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
    }

    #[test]
    fn an_answer_keeps_a_policy_of_its_own() {
        let own = [(header::CONTENT_SECURITY_POLICY, "default-src 'self'")];
        let response = secured((own, "x").into_response());
        assert_eq!(response.headers()[header::CONTENT_SECURITY_POLICY], "default-src 'self'");
        assert_eq!(response.headers()[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        let response = secured("x".into_response());
        assert_eq!(response.headers()[header::CONTENT_SECURITY_POLICY], NOTHING);
    }
}
