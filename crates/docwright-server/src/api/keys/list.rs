//! `GET /v1/keys`.

use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Key;
use crate::{
    api::paging::{Length, MAXIMUM},
    authorize::Admin,
    error::{ApiError, Error},
    parameters::{Number, Query},
    state::AppState,
};

/// Which keys to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct KeyFilter {
    /// Only those of this organisation. Keys of the install see all without it, their own kind too.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    organization_id: Option<String>,
    /// How many keys a page has at most; 20 if left out.
    #[param(value_type = i64, required = false, minimum = 1, maximum = 100)]
    limit: Option<Number<1, MAXIMUM>>,
    /// The `nextCursor` of the page before; the first page if left out.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$")]
    cursor: Option<String>,
}

/// A page of keys, oldest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KeyList {
    /// The keys.
    keys: Vec<Key>,
    /// What to ask for the next page with; null on the last one.
    next_cursor: Option<String>,
}

/// List keys
///
/// The keys of an organisation, without their secrets, a page at a time.
#[utoipa::path(
    get,
    path = "/v1/keys",
    tag = "Keys",
    operation_id = "listKeys",
    security(("key" = ["admin"])),
    params(KeyFilter),
    responses(
        (status = 200, description = "A page of keys", body = KeyList),
        (status = 404, description = "There is no such organisation", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Admin,
    filter: Result<Query<KeyFilter>, ApiError>,
) -> Result<Json<KeyList>, ApiError> {
    let Query(KeyFilter { organization_id, limit, cursor }) = filter?;
    let organization = caller.whole_organization(&app, organization_id.as_deref()).await?;
    let organization = organization.as_ref().map(|organization| organization.id.as_str());
    let length = Length::of(limit);
    let read = app.database.keys_page(organization, cursor.as_deref(), length.read()).await?;
    let (read, next_cursor) = length.page(read, |(key, _)| key.id.clone());
    let keys = read.into_iter().map(|(key, organization)| Key::of(key, organization)).collect();
    Ok(Json(KeyList { keys, next_cursor }))
}
