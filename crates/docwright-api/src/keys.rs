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
/// The keys of an organization, without their secrets, a page at a time.
#[utoipa::path(
    get,
    path = "/v1/keys",
    tag = "Keys",
    operation_id = "listKeys",
    params(ListKeys, Page),
    responses(
        (status = 200, description = "A page of keys", body = KeyList),
        (status = 404, description = "Organization not found", body = Error),
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
/// The response shows the key, this one time: only a hash of it is kept. A key can't create one that can do more
/// than itself: its scope and its addresses are the most that a new one can have. A key that is limited to
/// projects can't create keys. A new key can be valid for longer.
///
/// An organization can create 10 keys an hour, and so can the instance.
#[utoipa::path(
    post,
    path = "/v1/keys",
    tag = "Keys",
    operation_id = "createKey",
    request_body = CreateKey,
    responses(
        (status = 201, description = "The key", body = CreatedKey,
            headers(("Location" = String, description = "Where to read about it")),
            links(
                ("get" = (operation_id = "getKey", parameters(("keyId" = "$response.body#/id")))),
                ("update" = (operation_id = "updateKey", parameters(("keyId" = "$response.body#/id")))),
                ("revoke" = (operation_id = "revokeKey", parameters(("keyId" = "$response.body#/id")))),
            )),
        (status = 404, description = "Organization or project not found", body = Error),
        (status = 429, description = "The organization created 10 keys within an hour", body = Error, headers(("Retry-After" = i64))),
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

/// Get a key
///
/// All about a key but its secret.
#[utoipa::path(
    get,
    path = "/v1/keys/{keyId}",
    tag = "Keys",
    operation_id = "getKey",
    params(KeyPath),
    responses(
        (status = 200, description = "The key", body = Key),
        (status = 404, description = "Key not found", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<ApiState>,
    caller: Allowed<can::GetKey>,
    Path(KeyPath { key_id }): Path<KeyPath>,
) -> Result<Json<Key>, ApiError> {
    Ok(Json(keys::get(&app, &caller, &key_id).await?))
}

/// Change a key
///
/// Its name, its expiry, or the addresses that it can be used from. For another scope or other projects, create
/// another key.
#[utoipa::path(
    patch,
    path = "/v1/keys/{keyId}",
    tag = "Keys",
    operation_id = "updateKey",
    params(KeyPath),
    request_body = UpdateKey,
    responses(
        (status = 200, description = "The changed key", body = Key),
        (status = 404, description = "Key not found, or revoked", body = Error),
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
/// Permanently and immediately, on all nodes; its streams of events end too.
#[utoipa::path(
    post,
    path = "/v1/keys/{keyId}/revoke",
    tag = "Keys",
    operation_id = "revokeKey",
    params(KeyPath),
    responses(
        (status = 200, description = "The revoked key", body = Key),
        (status = 404, description = "Key not found, or revoked", body = Error),
    ),
)]
pub(crate) async fn revoke(
    State(app): State<ApiState>,
    caller: Allowed<can::RevokeKey>,
    Path(KeyPath { key_id }): Path<KeyPath>,
) -> Result<Json<Key>, ApiError> {
    Ok(Json(keys::revoke(&app, &caller, &key_id).await?))
}
