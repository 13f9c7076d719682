//! `GET /v1/plans`.

use axum::{Json, extract::State};
use docwright_domain::plan::Plan;
use serde::Serialize;
use utoipa::ToSchema;

use super::PlanLimits;
use crate::{authorize::Reader, error::ApiError, state::AppState};

/// Every plan.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PlanList {
    /// The plans, the least first.
    plans: Vec<PlanLimits>,
}

/// List plans
///
/// The plans of the install with what each includes.
#[utoipa::path(
    get,
    path = "/v1/plans",
    tag = "Plans",
    operation_id = "listPlans",
    responses((status = 200, description = "The plans", body = PlanList)),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    _: Reader,
) -> Result<Json<PlanList>, ApiError> {
    let mut plans = Vec::new();
    for plan in Plan::ALL {
        let limits = app.database.plan_limits(plan).await?.into();
        plans.push(PlanLimits { name: plan.into(), limits });
    }
    Ok(Json(PlanList { plans }))
}
