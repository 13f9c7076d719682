//! Keeps other sites from sending forms here with the cookie of whoever is signed in.

use axum::{extract::Request, http::Method, middleware::Next, response::Response};

use super::{refusal::Refusal, words};
use crate::origin;

/// Refuses what changes something unless one of the dashboard's own pages sent it. Browsers say where a
/// request comes from in headers that no page can set; the cookie is `SameSite=Lax` besides.
pub(super) async fn own_forms_only(request: Request, next: Next) -> Result<Response, Refusal> {
    let (parts, body) = request.into_parts();
    let is_safe = matches!(parts.method, Method::GET | Method::HEAD);
    if !is_safe && !origin::is_own(&parts) {
        return Err(Refusal::Forbidden(words::FOREIGN_FORM.to_owned()));
    }
    Ok(next.run(Request::from_parts(parts, body)).await)
}
