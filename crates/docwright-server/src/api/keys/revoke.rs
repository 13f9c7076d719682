//! `POST /v1/keys/{keyId}/revoke`.

use axum::{Json, extract::State};

use super::{Key, KeyPath, find, missing, state};
use crate::{
    audit::Change,
    authorize::Admin,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Revoke a key
///
/// For good and at once, on all nodes; streams of events end too.
#[utoipa::path(
    post,
    path = "/v1/keys/{keyId}/revoke",
    tag = "Keys",
    operation_id = "revokeKey",
    params(KeyPath),
    responses(
        (status = 200, description = "The key, revoked", body = Key),
        (status = 404, description = "There is no such key that is not revoked", body = Error),
    ),
)]
pub(crate) async fn revoke(
    State(app): State<AppState>,
    caller: Admin,
    Path(KeyPath { key_id }): Path<KeyPath>,
) -> Result<Json<Key>, ApiError> {
    let (before, _) = find(&app, &caller, &key_id).await?;
    let change = Change::of("key.revoke", before.organization_id.as_deref()).before(state(&before));
    if !caller.recording(&app, change).revoke_key(&key_id, app.now()).await? {
        return Err(missing(&key_id));
    }
    let (key, organization) = find(&app, &caller, &key_id).await?;
    Ok(Json(Key::of(key, organization)))
}
