//! Updates of a project.

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use docwright_http::{
    error::{ApiError, Error},
    parameters::Path,
    rate_limit,
};
use docwright_operations::{
    Allowed, can,
    idempotency::Idempotency,
    rate_limit::RateLimit,
    updates::{self, StartedUpdate, Update},
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{ProjectPath, body::IdempotencyKey};
use crate::state::ApiState;

/// An update of a project.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct UpdatePath {
    /// ID of the update, from the response that started it.
    #[param(example = "upd_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    status_id: String,
}

/// Update a project
///
/// Builds and publishes the latest commit of a project for each of its domains. Releases that are
/// already built aren't built again. To follow the update, poll the URL in `Location`.
///
/// An organization can start 10 updates in 10 seconds.
#[utoipa::path(
    post,
    path = "/v1/project/update/{projectId}",
    tag = "Releases",
    operation_id = "startUpdate",
    params(ProjectPath, IdempotencyKey),
    responses(
        (status = 202, description = "The queued update.", body = StartedUpdate, headers(("Location" = String, description = "URL to poll for the update."), ("RateLimit" = String), ("RateLimit-Policy" = String))),
        (status = 404, description = "Project not found.", body = Error),
        (status = 409, description = "The project has no domain, or the Idempotency-Key was used with a different request.", body = Error),
        (status = 429, description = "The organization started 10 updates within 10 seconds.", body = Error, headers(("Retry-After" = i64), ("RateLimit" = String), ("RateLimit-Policy" = String))),
    ),
)]
pub(crate) async fn start(
    State(app): State<ApiState>,
    caller: Allowed<can::StartUpdate>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    idempotency: Result<Idempotency, ApiError>,
) -> Result<impl IntoResponse, ApiError> {
    let started = updates::start(&app, &caller, &project_id, &idempotency?).await;
    let (started, allowance) = started?;
    let location = format!("/v1/project/update-status/{}", started.status_id);
    let limit = rate_limit::headers(RateLimit::UPDATES, allowance);
    Ok((StatusCode::ACCEPTED, limit, [(header::LOCATION, location)], Json(started)))
}

/// Get an update
///
/// Returns the state of an update. Poll it until `status` is `success`, `failure`, or `skipped`.
#[utoipa::path(
    get,
    path = "/v1/project/update-status/{statusId}",
    tag = "Releases",
    operation_id = "getUpdate",
    params(UpdatePath),
    responses(
        (status = 200, description = "The update.", body = Update),
        (status = 404, description = "Update not found.", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<ApiState>,
    caller: Allowed<can::GetUpdate>,
    Path(UpdatePath { status_id }): Path<UpdatePath>,
) -> Result<Json<Update>, ApiError> {
    Ok(Json(updates::get(&app, &caller, &status_id).await?))
}
