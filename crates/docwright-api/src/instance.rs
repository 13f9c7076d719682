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
/// Returns the health of the instance's dependencies and the length of its queues. Values that take
/// longer than two seconds are null.
#[utoipa::path(
    get,
    path = "/v1/instance",
    tag = "Instance",
    operation_id = "getInstance",
    responses((status = 200, description = "The health of the instance.", body = Instance)),
)]
pub(crate) async fn get(
    State(app): State<ApiState>,
    caller: Allowed<can::GetInstance>,
) -> Result<Json<Instance>, ApiError> {
    Ok(Json(instance::get(&app, &caller).await?))
}

/// Test the models
///
/// Sends a short prompt to each model of the instance that has a host. This costs a few tokens and
/// takes up to 20 seconds. If the models were tested within the last 10 seconds, those results are
/// returned.
#[utoipa::path(
    post,
    path = "/v1/instance/models",
    tag = "Instance",
    operation_id = "askModels",
    responses((status = 200, description = "The test results.", body = InstanceModels)),
)]
pub(crate) async fn ask_models(
    State(app): State<ApiState>,
    caller: Allowed<can::AskModels>,
) -> Result<Json<InstanceModels>, ApiError> {
    Ok(Json(instance::ask_models(&app, &caller).await?))
}
