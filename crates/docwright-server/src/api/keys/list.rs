//! `GET /v1/keys`.

use axum::{Json, extract::State};
use docwright_storage::database::{self, Position};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Key;
use crate::{
    api::paging::{Page, Search, Sort},
    authorize::Admin,
    error::{ApiError, Error},
    parameters::Query,
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
    /// Only those whose name begins so, in any case of ASCII letters.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "ci")]
    search: Option<Search>,
    /// The order: `name`, `newest` or `oldest` first; `oldest` if left out.
    #[param(inline, value_type = Sort, required = false)]
    sort: Option<Sort>,
}

/// A page of keys.
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
    params(KeyFilter, Page),
    responses(
        (status = 200, description = "A page of keys", body = KeyList),
        (status = 404, description = "There is no such organisation", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Admin,
    filter: Result<Query<KeyFilter>, ApiError>,
    page: Result<Page, ApiError>,
) -> Result<Json<KeyList>, ApiError> {
    let (Query(KeyFilter { organization_id, search, sort }), page) = (filter?, page?);
    let organization = caller.whole_organization(&app, organization_id.as_deref()).await?;
    let organization = organization.as_ref().map(|organization| organization.id.as_str());
    let sort = database::Sort::from(sort.unwrap_or_default());
    let wanted = page.searched(search.as_ref());
    let read = app.database.keys_page(organization, sort, wanted).await?;
    let (read, next_cursor) = page.cut(read, |(key, _)| match sort {
        database::Sort::Name => Position::of_text(&key.name, &key.id),
        // Ids are random.
        _ => Position { text: key.created_at.to_string(), id: key.id.clone() },
    });
    let keys = read.into_iter().map(|(key, organization)| Key::of(key, organization)).collect();
    Ok(Json(KeyList { keys, next_cursor }))
}
