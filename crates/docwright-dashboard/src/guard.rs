//! Refuses requests that no page sends: forms of other sites with the cookie of a signed-in user, and NUL
//! characters.

use axum::{extract::Request, http::Method, middleware::Next, response::Response};
use docwright_http::origin;

use super::{refusal::Refusal, words};

/// Refuses a change unless a page of the dashboard sent it. Browsers report the origin in headers that no page can
/// set. The cookie is also `SameSite=Lax`.
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

/// Refuses a path or a query with a NUL character, which PostgreSQL can't store in text. In a URL it is always
/// escaped; [`super::forms::Form`] refuses those in forms.
pub(super) async fn reject_nul(request: Request, next: Next) -> Result<Response, Refusal> {
    let uri = request.uri();
    if uri.path().contains("%00") {
        // No ID contains one.
        return Err(Refusal::Missing);
    }
    if uri.query().is_some_and(|query| query.contains("%00")) {
        return Err(Refusal::Invalid(words::NUL.to_owned()));
    }
    Ok(next.run(request).await)
}
