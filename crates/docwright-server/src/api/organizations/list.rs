//! `GET /v1/organizations`.

use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Organization;
use crate::{
    api::paging::{Length, MAXIMUM},
    authorize::Reader,
    error::ApiError,
    parameters::{Number, Query},
    state::AppState,
};

/// Which organisations to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OrganizationFilter {
    /// Only those of this name.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "Acme")]
    name: Option<String>,
    /// How many organisations a page has at most; 20 if left out.
    #[param(value_type = i64, required = false, minimum = 1, maximum = 100)]
    limit: Option<Number<1, MAXIMUM>>,
    /// The `nextCursor` of the page before; the first page if left out.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$")]
    cursor: Option<String>,
}

/// A page of organisations, oldest first.
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
    security(("key" = ["read"])),
    params(OrganizationFilter),
    responses((status = 200, description = "A page of organisations", body = OrganizationList)),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Reader,
    filter: Result<Query<OrganizationFilter>, ApiError>,
) -> Result<Json<OrganizationList>, ApiError> {
    let Query(OrganizationFilter { name, limit, cursor }) = filter?;
    let (name, cursor) = (name.as_deref(), cursor.as_deref());
    let length = Length::of(limit);
    let read = match caller.whole_organization(&app, None).await? {
        None => app.database.organizations_page(name, cursor, length.read()).await?,
        Some(own) => {
            let is_asked = name.is_none_or(|name| name == own.name)
                && cursor.is_none_or(|cursor| cursor < own.id.as_str());
            Some(own).filter(|_| is_asked).into_iter().collect()
        }
    };
    let (read, next_cursor) = length.page(read, |each| each.id.clone());
    let organizations = read.into_iter().map(Organization::from).collect();
    Ok(Json(OrganizationList { organizations, next_cursor }))
}
