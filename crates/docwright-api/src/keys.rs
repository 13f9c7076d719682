//! API keys.

use axum::{
    Json,
    extract::State,
    http::{HeaderName, StatusCode, header},
};
use docwright_http::{
    error::{ApiError, Error},
    parameters::{Path, Query},
};
use docwright_operations::{
    Allowed, can,
    keys::{self, CreateKey, CreatedKey, Key, KeyList, ListKeys, UpdateKey},
    lists::Page,
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::body::Body;
use crate::state::ApiState;

/// A key.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct KeyPath {
    /// Public ID of the key: the part between the underscores of `dw_…_…`.
    #[param(example = "0123456789abcdef")]
    key_id: String,
}

/// List keys
///
/// Returns a page of an organization's API keys, without their secrets.
#[utoipa::path(
    get,
    path = "/v1/keys",
    tag = "Keys",
    operation_id = "listKeys",
    params(ListKeys, Page),
    responses(
        (status = 200, description = "A page of API keys.", body = KeyList),
        (status = 404, description = "Organization not found.", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<ApiState>,
    caller: Allowed<can::ListKeys>,
    filter: Result<Query<ListKeys>, ApiError>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<KeyList>, ApiError> {
    Ok(Json(keys::list(&app, &caller, &filter?.0, &page?.0).await?))
}

/// Create a key
///
/// Creates an API key. The response shows the key once. docwright keeps only a hash of it. A key
/// can't create a key with more access than its own: a broader scope or more IP addresses. It can
/// create one that expires later. Keys that are limited to projects can't create keys.
///
/// Each organization can create 10 keys per hour, and so can the instance.
#[utoipa::path(
    post,
    path = "/v1/keys",
    tag = "Keys",
    operation_id = "createKey",
    request_body = CreateKey,
    responses(
        (status = 201, description = "The API key.", body = CreatedKey,
            headers(("Location" = String, description = "URL of the API key.")),
            links(
                ("get" = (operation_id = "getKey", parameters(("keyId" = "$response.body#/id")))),
                ("update" = (operation_id = "updateKey", parameters(("keyId" = "$response.body#/id")))),
                ("revoke" = (operation_id = "revokeKey", parameters(("keyId" = "$response.body#/id")))),
            )),
        (status = 404, description = "Organization or project not found.", body = Error),
        (status = 429, description = "The organization created 10 keys within an hour.", body = Error, headers(("Retry-After" = i64))),
    ),
)]
pub(crate) async fn create(
    State(app): State<ApiState>,
    caller: Allowed<can::CreateKey>,
    body: Result<Body<CreateKey>, ApiError>,
) -> Result<(StatusCode, [(HeaderName, String); 1], Json<CreatedKey>), ApiError> {
    let created = keys::create(&app, &caller, body?.value).await?;
    let location = [(header::LOCATION, format!("/v1/keys/{}", created.id))];
    Ok((StatusCode::CREATED, location, Json(created)))
}

/// Get your own key
///
/// Returns the API key of the request, without its secret. Programs can learn when their key expires.
#[utoipa::path(
    get,
    path = "/v1/key",
    tag = "Keys",
    operation_id = "getOwnKey",
    responses(
        (status = 200, description = "The API key.", body = Key),
        (status = 404, description = "The request has no API key.", body = Error),
    ),
)]
pub(crate) async fn own(
    State(app): State<ApiState>,
    caller: Allowed<can::GetOwnKey>,
) -> Result<Json<Key>, ApiError> {
    Ok(Json(keys::own(&app, &caller).await?))
}

/// Get a key
///
/// Returns an API key, without its secret.
#[utoipa::path(
    get,
    path = "/v1/keys/{keyId}",
    tag = "Keys",
    operation_id = "getKey",
    params(KeyPath),
    responses(
        (status = 200, description = "The API key.", body = Key),
        (status = 404, description = "API key not found.", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<ApiState>,
    caller: Allowed<can::GetKey>,
    Path(KeyPath { key_id }): Path<KeyPath>,
) -> Result<Json<Key>, ApiError> {
    Ok(Json(keys::get(&app, &caller, &key_id).await?))
}

/// Update a key
///
/// Updates the name, expiry, or allowlist of an API key. You can't change the scope or projects of
/// a key. Create another key instead.
#[utoipa::path(
    patch,
    path = "/v1/keys/{keyId}",
    tag = "Keys",
    operation_id = "updateKey",
    params(KeyPath),
    request_body = UpdateKey,
    responses(
        (status = 200, description = "The updated API key.", body = Key),
        (status = 404, description = "API key not found, or revoked.", body = Error),
        (status = 409, description = "The API key no longer has the revision that the update names.", body = Error),
    ),
)]
pub(crate) async fn update(
    State(app): State<ApiState>,
    caller: Allowed<can::UpdateKey>,
    Path(KeyPath { key_id }): Path<KeyPath>,
    body: Result<Body<UpdateKey>, ApiError>,
) -> Result<Json<Key>, ApiError> {
    Ok(Json(keys::update(&app, &caller, &key_id, body?.value).await?))
}

/// Revoke a key
///
/// Revokes an API key permanently and immediately on all nodes. Its event streams are closed.
#[utoipa::path(
    post,
    path = "/v1/keys/{keyId}/revoke",
    tag = "Keys",
    operation_id = "revokeKey",
    params(KeyPath),
    responses(
        (status = 200, description = "The revoked API key.", body = Key),
        (status = 404, description = "API key not found, or revoked.", body = Error),
    ),
)]
pub(crate) async fn revoke(
    State(app): State<ApiState>,
    caller: Allowed<can::RevokeKey>,
    Path(KeyPath { key_id }): Path<KeyPath>,
) -> Result<Json<Key>, ApiError> {
    Ok(Json(keys::revoke(&app, &caller, &key_id).await?))
}
