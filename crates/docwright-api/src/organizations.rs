//! Organizations.

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
    deletion::Deleted,
    lists::Page,
    organizations::{
        self, CreateOrganization, ListOrganizations, Organization, OrganizationList,
        UpdateOrganization, Usage,
    },
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::body::Body;
use crate::state::ApiState;

/// An organization.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct OrganizationPath {
    /// ID of the organization.
    #[param(example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub(super) organization_id: String,
}

/// List organizations
///
/// Returns a page of organizations. Keys of an organization see only that organization. Operator
/// keys see all.
#[utoipa::path(
    get,
    path = "/v1/organizations",
    tag = "Organizations",
    operation_id = "listOrganizations",
    params(ListOrganizations, Page),
    responses((status = 200, description = "A page of organizations.", body = OrganizationList)),
)]
pub(crate) async fn list(
    State(app): State<ApiState>,
    caller: Allowed<can::ListOrganizations>,
    filter: Result<Query<ListOrganizations>, ApiError>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<OrganizationList>, ApiError> {
    Ok(Json(organizations::list(&app, &caller, &filter?.0, &page?.0).await?))
}

/// Create an organization
///
/// Creates an organization.
#[utoipa::path(
    post,
    path = "/v1/organizations",
    tag = "Organizations",
    operation_id = "createOrganization",
    request_body = CreateOrganization,
    responses(
        (status = 201, description = "The organization.", body = Organization,
            headers(("Location" = String, description = "URL of the organization.")),
            links(
                ("get" = (operation_id = "getOrganization", parameters(("organizationId" = "$response.body#/id")))),
                ("update" = (operation_id = "updateOrganization", parameters(("organizationId" = "$response.body#/id")))),
                ("delete" = (operation_id = "deleteOrganization", parameters(("organizationId" = "$response.body#/id")))),
            )),
        (status = 409, description = "Another organization has this name.", body = Error),
    ),
)]
pub(crate) async fn create(
    State(app): State<ApiState>,
    caller: Allowed<can::CreateOrganization>,
    body: Result<Body<CreateOrganization>, ApiError>,
) -> Result<(StatusCode, [(HeaderName, String); 1], Json<Organization>), ApiError> {
    let created = organizations::create(&app, &caller, body?.value).await?;
    let location = [(header::LOCATION, format!("/v1/organizations/{}", created.id))];
    Ok((StatusCode::CREATED, location, Json(created)))
}

/// Get an organization
///
/// Returns an organization.
#[utoipa::path(
    get,
    path = "/v1/organizations/{organizationId}",
    tag = "Organizations",
    operation_id = "getOrganization",
    params(OrganizationPath),
    responses(
        (status = 200, description = "The organization.", body = Organization),
        (status = 404, description = "Organization not found.", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<ApiState>,
    caller: Allowed<can::GetOrganization>,
    Path(OrganizationPath { organization_id }): Path<OrganizationPath>,
) -> Result<Json<Organization>, ApiError> {
    Ok(Json(organizations::get(&app, &caller, &organization_id).await?))
}

/// Update an organization
///
/// Updates the name or plan of an organization. A new plan applies immediately.
#[utoipa::path(
    patch,
    path = "/v1/organizations/{organizationId}",
    tag = "Organizations",
    operation_id = "updateOrganization",
    params(OrganizationPath),
    request_body = UpdateOrganization,
    responses(
        (status = 200, description = "The updated organization.", body = Organization),
        (status = 404, description = "Organization not found.", body = Error),
        (status = 409, description = "Another organization has this name, or the organization no longer has the revision that the update names.", body = Error),
    ),
)]
pub(crate) async fn update(
    State(app): State<ApiState>,
    caller: Allowed<can::UpdateOrganization>,
    Path(OrganizationPath { organization_id }): Path<OrganizationPath>,
    body: Result<Body<UpdateOrganization>, ApiError>,
) -> Result<Json<Organization>, ApiError> {
    Ok(Json(organizations::update(&app, &caller, &organization_id, body?.value).await?))
}

/// Delete an organization
///
/// Permanently deletes an organization with its projects, domains, releases, exports, jobs, and
/// keys. Running jobs stop.
#[utoipa::path(
    delete,
    path = "/v1/organizations/{organizationId}",
    tag = "Organizations",
    operation_id = "deleteOrganization",
    params(OrganizationPath),
    responses(
        (status = 200, description = "Counts of deleted objects.", body = Deleted),
        (status = 404, description = "Organization not found.", body = Error),
    ),
)]
pub(crate) async fn delete(
    State(app): State<ApiState>,
    caller: Allowed<can::DeleteOrganization>,
    Path(OrganizationPath { organization_id }): Path<OrganizationPath>,
) -> Result<Json<Deleted>, ApiError> {
    Ok(Json(organizations::delete(&app, &caller, &organization_id).await?))
}

/// Get the usage of an organization
///
/// Returns what an organization uses, and the limits of its plan.
#[utoipa::path(
    get,
    path = "/v1/organizations/{organizationId}/usage",
    tag = "Plans",
    operation_id = "getUsage",
    params(OrganizationPath),
    responses(
        (status = 200, description = "The usage of the organization.", body = Usage),
        (status = 404, description = "Organization not found.", body = Error),
    ),
)]
pub(crate) async fn usage(
    State(app): State<ApiState>,
    caller: Allowed<can::GetUsage>,
    Path(OrganizationPath { organization_id }): Path<OrganizationPath>,
) -> Result<Json<Usage>, ApiError> {
    Ok(Json(organizations::usage(&app, &caller, &organization_id).await?))
}
