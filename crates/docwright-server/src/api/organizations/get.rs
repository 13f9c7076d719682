//! `GET /v1/organizations/{organizationId}`.

use axum::{Json, extract::State};

use super::{Organization, OrganizationPath};
use crate::{
    authorize::{Reader, no_organization},
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Get an organisation
#[utoipa::path(
    get,
    path = "/v1/organizations/{organizationId}",
    tag = "Organisations",
    operation_id = "getOrganization",
    params(OrganizationPath),
    responses(
        (status = 200, description = "The organisation", body = Organization),
        (status = 404, description = "There is no such organisation", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<AppState>,
    caller: Reader,
    Path(OrganizationPath { organization_id }): Path<OrganizationPath>,
) -> Result<Json<Organization>, ApiError> {
    let found = caller.whole_organization(&app, Some(&organization_id)).await?;
    Ok(found.map(|found| Json(found.into())).ok_or_else(no_organization)?)
}
