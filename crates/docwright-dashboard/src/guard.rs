//! Keeps out requests that no page can get: forms of other sites, with the cookie of someone who is signed in, and
//! NUL characters.

use axum::{extract::Request, http::Method, middleware::Next, response::Response};
use docwright_http::origin;

use super::{refusal::Refusal, words};

/// Refuses what changes something unless one of the dashboard's own pages sent it. Browsers say where a
/// request comes from in headers that no page can set; the cookie is `SameSite=Lax` besides.
pub(super) async fn reject_cross_site_forms(
    request: Request,
    next: Next,
) -> Result<Response, Refusal> {
    let (parts, body) = request.into_parts();
    let is_safe = matches!(parts.method, Method::GET | Method::HEAD);
    if !is_safe && !origin::is_own(&parts) {
        return Err(Refusal::Forbidden(words::FOREIGN_FORM.to_owned()));
    }
    Ok(next.run(Request::from_parts(parts, body)).await)
}

/// Refuses a path or a query with a NUL character, which PostgreSQL keeps in no text. A URL can only have an
/// escaped one; [`super::forms::Form`] refuses those of forms.
pub(super) async fn reject_nul(request: Request, next: Next) -> Result<Response, Refusal> {
    let uri = request.uri();
    if uri.path().contains("%00") {
        // No ID has one.
        return Err(Refusal::Missing);
    }
    if uri.query().is_some_and(|query| query.contains("%00")) {
        return Err(Refusal::Invalid(words::NUL.to_owned()));
    }
    Ok(next.run(request).await)
}
