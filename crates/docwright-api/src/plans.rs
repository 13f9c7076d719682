//! Plans.

use axum::{Json, extract::State};
use docwright_http::{
    error::{ApiError, Error},
    parameters::Path,
};
use docwright_operations::{
    Allowed, can,
    plans::{self, PlanLimits, PlanList, SetPlan},
};
use docwright_types::plan::Plan;
use serde::Deserialize;
use utoipa::IntoParams;

use super::body::Body;
use crate::state::ApiState;

/// A plan.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct PlanPath {
    /// Name of the plan.
    #[param(inline, value_type = Plan)]
    plan: Plan,
}

/// List plans
///
/// Returns the plans of the instance with their limits.
#[utoipa::path(
    get,
    path = "/v1/plans",
    tag = "Plans",
    operation_id = "listPlans",
    responses((status = 200, description = "The plans.", body = PlanList)),
)]
pub(crate) async fn list(
    State(app): State<ApiState>,
    caller: Allowed<can::ListPlans>,
) -> Result<Json<PlanList>, ApiError> {
    Ok(Json(plans::list(&app, &caller).await?))
}

/// Set the limits of a plan
///
/// Sets the limits and features of a plan. Changes apply immediately to every organization with the
/// plan. Items already above a limit are kept.
#[utoipa::path(
    put,
    path = "/v1/plans/{plan}",
    tag = "Plans",
    operation_id = "setPlan",
    params(PlanPath),
    request_body = SetPlan,
    responses(
        (status = 200, description = "The updated plan.", body = PlanLimits),
        (status = 409, description = "The plan no longer has the revision that the update names.", body = Error),
    ),
)]
pub(crate) async fn set(
    State(app): State<ApiState>,
    caller: Allowed<can::SetPlan>,
    Path(PlanPath { plan }): Path<PlanPath>,
    body: Result<Body<SetPlan>, ApiError>,
) -> Result<Json<PlanLimits>, ApiError> {
    Ok(Json(plans::set(&app, &caller, plan, body?.value).await?))
}
