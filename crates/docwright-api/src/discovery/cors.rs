//! Headers with which pages of other origins see the responses of discovery (CORS). A browser asks first, without the
//! key: it can send to a domain if some key of the domain lists the origin.

use axum::{
    extract::{RawPathParams, Request, State},
    http::{HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use docwright_http::error::ApiError;
use docwright_operations::discovery;

use crate::state::ApiState;

/// Seconds that a browser remembers what it can send.
const REMEMBERED: &str = "600";
/// Headers of responses that pages can read.
const EXPOSED: &str = "retry-after, x-request-id, x-thread-id";

/// Refuses the method `OPTIONS` of a request that isn't a browser's question.
pub(super) async fn unasked() -> ApiError {
    ApiError::MethodNotAllowed
}

/// Answers a browser that asks, and adds headers to other responses.
pub(super) async fn share(
    State(app): State<ApiState>,
    params: RawPathParams,
    request: Request,
    next: Next,
) -> Response {
    let domain = params.iter().find(|(name, _)| *name == "domain");
    let domain = domain.map(|(_, value)| value.to_owned()).unwrap_or_default();
    let origin = request.headers().get(header::ORIGIN).cloned();
    let listed = match origin.as_ref().and_then(|origin| origin.to_str().ok()) {
        // A database that is away refuses the request itself.
        Some(origin) => discovery::is_listed(&app, &domain, origin).await.unwrap_or(false),
        None => false,
    };
    let asks = request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let is_preflight = request.method() == Method::OPTIONS && asks;
    let mut response =
        if is_preflight { StatusCode::NO_CONTENT.into_response() } else { next.run(request).await };
    let text = HeaderValue::from_static;
    let headers = response.headers_mut();
    headers.append(header::VARY, text("Origin"));
    let Some(origin) = origin.filter(|_| listed) else { return response };
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, text(EXPOSED));
    if is_preflight {
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, text("POST"));
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, text("authorization, content-type"));
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, text(REMEMBERED));
    }
    response
}
