//! Keeps what someone typed into a form when the session is over.
//!
//! The answer is a page with the same form, which its sender can send again after signing in. The server stores
//! nothing, and nothing is done before that.

use axum::{
    body::{Body, to_bytes},
    extract::Request,
    http::{Method, StatusCode},
    middleware::Next,
    response::Response,
};
use maud::html;

use super::{frame, refusal::SignedOut, words};

/// Bytes of a form at most, as axum reads them.
const LONGEST: usize = 2 * 1024 * 1024;
/// Fields that no page repeats. Forms in which one is filled in are not kept.
const SECRETS: [&str; 7] = ["password", "new", "proof", "code", "secret", "token", "response"];

/// Answers a form of someone who isn't signed in with the form.
pub(super) async fn keep(request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let (parts, body) = request.into_parts();
    // A longer one, or one that breaks off, is refused where it is read.
    let Ok(bytes) = to_bytes(body, LONGEST).await else {
        return next.run(Request::from_parts(parts, Body::empty())).await;
    };
    let response = next.run(Request::from_parts(parts, Body::from(bytes.clone()))).await;
    if response.extensions().get::<SignedOut>().is_none() {
        return response;
    }
    let fields: Vec<_> = url::form_urlencoded::parse(&bytes).collect();
    let is_secret = |name: &str, value: &str| SECRETS.contains(&name) && !value.is_empty();
    if fields.is_empty() || fields.iter().any(|(name, value)| is_secret(name, value)) {
        return response;
    }
    let body = html! {
        h1 { (words::SIGNED_OUT) }
        p { (words::FORM_KEPT) }
        p.actions { a.button href="/sign-in" target="_blank" rel="noopener" { (words::SIGN_IN_ELSEWHERE) } }
        form method="post" action=(path) {
            @for (name, value) in &fields { input type="hidden" name=(name) value=(value); }
            button.primary type="submit" { (words::SEND_FORM_AGAIN) }
        }
    };
    frame::alone(StatusCode::FORBIDDEN, words::SIGNED_OUT, &body)
}
