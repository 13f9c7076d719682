//! Requests below a base path. The site itself knows none.

use axum::{
    extract::Request,
    http::{StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use docwright_http::error::ApiError;
use docwright_operations::OperationError;

/// The request as the site sees it, without a base path of this many bytes. Links of its pages are relative, so a
/// request for the base path itself redirects to a trailing slash.
#[expect(clippy::result_large_err, reason = "it is the answer, which goes on at once")]
pub fn below(request: Request, length: usize, base: &str) -> Result<Request, Response> {
    if length == 0 {
        return Ok(request);
    }
    let (mut parts, body) = request.into_parts();
    let query = parts.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let path = &parts.uri.path()[length..];
    if path.is_empty() {
        let location = [(header::LOCATION, format!("{base}/{query}"))];
        return Err((StatusCode::PERMANENT_REDIRECT, location).into_response());
    }
    let invalid = |_| {
        let sentence = "The address is malformed.".to_owned();
        ApiError::from(OperationError::Invalid(sentence)).into_response()
    };
    parts.uri = Uri::try_from(format!("{path}{query}")).map_err(invalid)?;
    Ok(Request::from_parts(parts, body))
}
