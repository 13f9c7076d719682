//! `GET /v1/organizations`.

use axum::{Json, extract::State};
use docwright_storage::database;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Organization;
use crate::{
    api::paging::{Page, Search, Sort},
    authorize::Reader,
    error::ApiError,
    parameters::Query,
    state::AppState,
};

/// Which organisations to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OrganizationFilter {
    /// Only those of this name.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "Acme")]
    name: Option<String>,
    /// Only those whose name begins so, in any case of ASCII letters.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "Acme")]
    search: Option<Search>,
    /// The order: `name`, `newest` or `oldest` first; `oldest` if left out.
    #[param(inline, value_type = Sort, required = false)]
    sort: Option<Sort>,
}

/// A page of organisations.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OrganizationList {
    /// The organisations.
    organizations: Vec<Organization>,
    /// What to ask for the next page with; null on the last one.
    next_cursor: Option<String>,
}

/// List organisations
///
/// A key of an organisation sees its own. A key of the install sees all, a page at a time.
#[utoipa::path(
    get,
    path = "/v1/organizations",
    tag = "Organisations",
    operation_id = "listOrganizations",
    params(OrganizationFilter, Page),
    responses((status = 200, description = "A page of organisations", body = OrganizationList)),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Reader,
    filter: Result<Query<OrganizationFilter>, ApiError>,
    page: Result<Page, ApiError>,
) -> Result<Json<OrganizationList>, ApiError> {
    let (Query(OrganizationFilter { name, search, sort }), page) = (filter?, page?);
    let name = name.as_deref().filter(|name| !name.is_empty());
    let sort = database::Sort::from(sort.unwrap_or_default());
    let wanted = page.searched(search.as_ref());
    let read = match caller.whole_organization(&app, None).await? {
        None => app.database.organizations_page(name, sort, wanted).await?,
        Some(own) => {
            let is_asked = name.is_none_or(|name| name == own.name)
                && wanted.finds(&own.name)
                && wanted.after.is_none();
            Some(own).filter(|_| is_asked).into_iter().collect()
        }
    };
    let (read, next_cursor) = page.cut(read, |each| sort.position(&each.name, &each.id));
    let organizations = read.into_iter().map(Organization::from).collect();
    Ok(Json(OrganizationList { organizations, next_cursor }))
}
