//! Oversized heads of requests: they get the body of every error.

use axum::response::{IntoResponse, Response};

use super::MAXIMUM_HEAD;
use crate::{
    error::ApiError,
    page,
    request::{REQUEST_ID, new_id},
};

/// The answer to a request whose head is too large.
pub(super) fn refused() -> Response {
    let (id, status) = (new_id(), ApiError::HeadTooLarge.status());
    let request_id = id.to_str().unwrap_or_default();
    tracing::info!(request_id, status = status.as_u16(), "answered");
    let mut response = page::secured(ApiError::HeadTooLarge.into_response());
    response.headers_mut().insert(REQUEST_ID, id);
    response
}

/// Whether the head of a request is too large, by its uncompressed size (RFC 9113, section
/// 6.5.2). HTTP/1.1 uses the same count.
pub(super) fn is_too_large<B>(request: &hyper::Request<B>) -> bool {
    const OF_A_FIELD: usize = 32;
    let uri = request.uri();
    let path = uri.path_and_query().map_or(0, |path| path.as_str().len());
    let authority = uri.authority().map_or(0, |authority| authority.as_str().len());
    let fields = request.headers().iter();
    let fields = fields.map(|(name, value)| name.as_str().len() + value.len() + OF_A_FIELD);
    path + authority + fields.sum::<usize>() > MAXIMUM_HEAD
}
