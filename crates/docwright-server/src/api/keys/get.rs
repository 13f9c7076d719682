//! `GET /v1/keys/{keyId}`.

use axum::{Json, extract::State};

use super::{Key, KeyPath, find};
use crate::{
    authorize::Admin,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Get a key
///
/// What is known of a key, without its secret.
#[utoipa::path(
    get,
    path = "/v1/keys/{keyId}",
    tag = "Keys",
    operation_id = "getKey",
    params(KeyPath),
    responses(
        (status = 200, description = "The key", body = Key),
        (status = 404, description = "There is no such key", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<AppState>,
    caller: Admin,
    Path(KeyPath { key_id }): Path<KeyPath>,
) -> Result<Json<Key>, ApiError> {
    let (key, organization) = find(&app, &caller, &key_id).await?;
    Ok(Json(Key::of(key, organization)))
}
