//! The callers of requests to the API, by their keys.

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, header, request::Parts},
};
use docwright_http::{api_key::unchecked, error::ApiError};
use docwright_operations::{
    Allowed, Caller, OperationError, callers::DeferredCaller, permissions::Permission,
};
use docwright_types::key::{KeyRefusal, PresentedKey};

use crate::state::ApiState;

/// The caller of a request.
pub(crate) async fn caller(parts: &Parts, app: &ApiState) -> Result<Caller, ApiError> {
    let key = presented_key(app, &parts.headers)?;
    Ok(unchecked(key, parts).caller(app).await?)
}

impl<P: Permission> FromRequestParts<ApiState> for Allowed<P> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &ApiState) -> Result<Self, ApiError> {
        Ok(Self::new(caller(parts, app).await?)?)
    }
}

impl FromRequestParts<ApiState> for DeferredCaller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &ApiState) -> Result<Self, ApiError> {
        Ok(Self::Key(unchecked(presented_key(app, &parts.headers)?, parts)))
    }
}

fn presented_key(app: &ApiState, headers: &HeaderMap) -> Result<PresentedKey, OperationError> {
    let header = headers.get(header::AUTHORIZATION);
    let header = header.ok_or(OperationError::Unauthorized(
        "API key missing. Send `Authorization: Bearer dw_…`.",
    ))?;
    let text = header.to_str().ok().and_then(|text| text.split_once(' '));
    let key = text
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .and_then(|(_, key)| PresentedKey::parse(key.trim()));
    key.ok_or_else(|| {
        app.failed_sign_ins.record(KeyRefusal::Malformed, None);
        OperationError::Unauthorized("This isn't an API key. Send `Authorization: Bearer dw_…`.")
    })
}
