//! `PATCH /v1/keys/{keyId}`.

use axum::{Json, extract::State};
use docwright_domain::{key::ApiKey, timestamp::DAY};
use docwright_storage::database::KeyChange;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Key, KeyPath, Network, create, find, missing, state};
use crate::{
    api::{body::Body, name::Name},
    audit::Change,
    authorize::Admin,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// What to change of a key; what is left out stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateKey {
    /// What it is for.
    name: Option<Name>,
    /// Days from now until it ends.
    #[schema(minimum = 0, maximum = 36_500, example = 30)]
    days: Option<i64>,
    /// Addresses and networks it may be used from; empty for all.
    #[schema(value_type = Option<Vec<String>>, max_items = 100, example = json!(["192.0.2.0/24"]))]
    allow: Option<Vec<Network>>,
}

/// Change a key
///
/// What it is called, how long it is good, or where from. For another scope or other projects, make another
/// key.
#[utoipa::path(
    patch,
    path = "/v1/keys/{keyId}",
    tag = "Keys",
    operation_id = "updateKey",
    params(KeyPath),
    request_body = UpdateKey,
    responses(
        (status = 200, description = "The key as it is since", body = Key),
        (status = 404, description = "There is no such key that is not revoked", body = Error),
    ),
)]
pub(crate) async fn update(
    State(app): State<AppState>,
    caller: Admin,
    Path(KeyPath { key_id }): Path<KeyPath>,
    body: Result<Body<UpdateKey>, ApiError>,
) -> Result<Json<Key>, ApiError> {
    let (before, _) = find(&app, &caller, &key_id).await?;
    let UpdateKey { name, days, allow } = body?.value;
    let allowlist = allow.map(create::networks).transpose()?;
    if let Some(networks) = &allowlist {
        caller.require_no_more(before.scope, networks)?;
    }
    days.map(create::check_days).transpose()?;
    let change = KeyChange {
        name: name.map(|name| name.to_string()),
        allowlist,
        expires_at: days.map(|days| app.now() + days * DAY),
    };
    let after = ApiKey {
        name: change.name.clone().unwrap_or_else(|| before.name.clone()),
        allowlist: change.allowlist.clone().unwrap_or_else(|| before.allowlist.clone()),
        expires_at: change.expires_at.or(before.expires_at),
        ..before.clone()
    };
    let entry = Change::of("key.update", before.organization_id.as_deref());
    let database = caller.recording(&app, entry.before(state(&before)).after(state(&after)));
    if !database.update_key(&key_id, &change).await? {
        return Err(missing(&key_id));
    }
    let (key, organization) = find(&app, &caller, &key_id).await?;
    Ok(Json(Key::of(key, organization)))
}
