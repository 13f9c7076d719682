//! `PUT /v1/plans/{plan}`.

use axum::{Json, extract::State};
use docwright_domain::plan;

use super::{Limits, PlanLimits, PlanPath, state};
use crate::{
    api::body::Body, audit::Change, authorize::Operator, error::ApiError, parameters::Path,
    state::AppState,
};

/// Set what a plan includes
///
/// It holds for every organisation of the plan from the next request on. What an organisation has already
/// above a limit, it keeps.
#[utoipa::path(
    put,
    path = "/v1/plans/{plan}",
    tag = "Plans",
    operation_id = "setPlan",
    params(PlanPath),
    request_body = Limits,
    responses((status = 200, description = "The plan as it is since", body = PlanLimits)),
)]
pub(crate) async fn set(
    State(app): State<AppState>,
    caller: Operator,
    Path(PlanPath { plan }): Path<PlanPath>,
    body: Result<Body<Limits>, ApiError>,
) -> Result<Json<PlanLimits>, ApiError> {
    let limits = plan::Limits::from(body?.value);
    let name = plan;
    let plan = plan::Plan::from(plan);
    let before = app.database.plan_limits(plan).await?;
    let change = Change::of("plan.update", None).before(state(before)).after(state(limits));
    caller.recording(&app, change).set_plan_limits(plan, limits).await?;
    Ok(Json(PlanLimits { name, limits: limits.into() }))
}
