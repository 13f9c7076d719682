//! The health of the instance.

use axum::{Json, extract::State};
use docwright_http::error::ApiError;
use docwright_operations::{
    Allowed, can,
    instance::{self, Instance, InstanceModels},
};

use crate::state::ApiState;

/// Get the health of the instance
///
/// What it depends on, and how full its queues are. What doesn't respond within two seconds is null.
#[utoipa::path(
    get,
    path = "/v1/instance",
    tag = "Instance",
    operation_id = "getInstance",
    responses((status = 200, description = "Its health", body = Instance)),
)]
pub(crate) async fn get(
    State(app): State<ApiState>,
    caller: Allowed<can::GetInstance>,
) -> Result<Json<Instance>, ApiError> {
    Ok(Json(instance::get(&app, &caller).await?))
}

/// Test the models
///
/// Asks each model of the instance that has a host for a word, which costs a few tokens, and waits at most 20
/// seconds. A test within 10 seconds of another returns the results of the first.
#[utoipa::path(
    post,
    path = "/v1/instance/models",
    tag = "Instance",
    operation_id = "askModels",
    responses((status = 200, description = "The results", body = InstanceModels)),
)]
pub(crate) async fn ask_models(
    State(app): State<ApiState>,
    caller: Allowed<can::AskModels>,
) -> Result<Json<InstanceModels>, ApiError> {
    Ok(Json(instance::ask_models(&app, &caller).await?))
}
