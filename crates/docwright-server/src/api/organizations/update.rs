//! `PATCH /v1/organizations/{organizationId}`.

use axum::{Json, extract::State};
use docwright_domain::plan;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Organization, OrganizationPath, Plan, state};
use crate::{
    api::{body::Body, name::Name},
    audit::Change,
    authorize::{Operator, no_organization},
    error::{ApiError, Error, taken},
    parameters::Path,
    state::AppState,
};

/// What to change of an organisation; what is left out stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OrganizationChange {
    /// Its new name, which no other organisation has.
    name: Option<Name>,
    /// Its new plan.
    #[schema(value_type = Option<Plan>)]
    plan: Option<Plan>,
}

/// Change an organisation
///
/// A change of the plan holds from the next request on.
#[utoipa::path(
    patch,
    path = "/v1/organizations/{organizationId}",
    tag = "Organisations",
    operation_id = "updateOrganization",
    params(OrganizationPath),
    request_body = OrganizationChange,
    responses(
        (status = 200, description = "The organisation as it is since", body = Organization),
        (status = 404, description = "There is no such organisation", body = Error),
        (status = 409, description = "Another organisation has this name", body = Error),
    ),
)]
pub(crate) async fn update(
    State(app): State<AppState>,
    caller: Operator,
    Path(OrganizationPath { organization_id: id }): Path<OrganizationPath>,
    body: Result<Body<OrganizationChange>, ApiError>,
) -> Result<Json<Organization>, ApiError> {
    let OrganizationChange { name, plan } = body?.value;
    let before = app.database.organization(&id).await?.ok_or_else(no_organization)?;
    let name = name.as_ref().map(Name::as_str);
    let plan = plan.map(plan::Plan::from);
    let after = state(name.unwrap_or(&before.name), plan.unwrap_or(before.plan));
    let change = Change::of("organization.update", Some(&id))
        .before(state(&before.name, before.plan))
        .after(after);
    let changed = caller.recording(&app, change).update_organization(&id, name, plan).await;
    changed.map_err(taken)?;
    let after = app.database.organization(&id).await?.ok_or_else(no_organization)?;
    Ok(Json(after.into()))
}
