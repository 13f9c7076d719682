//! `POST /v1/project/update/{projectId}`.

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use docwright_operations::rate_limit::RateLimit;
use docwright_storage::database::{Limited, Requested};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use crate::{
    api::{
        ProjectPath,
        body::{Idempotency, IdempotencyKey},
    },
    audit::Change,
    authorize::Writer,
    error::{ApiError, Error},
    parameters::Path,
    rate_limit,
    state::AppState,
};

/// An update that was asked for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StartedUpdate {
    /// Identifier of the update, to ask for its status with.
    #[schema(example = "upd_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    status_id: String,
}

/// Update a project
///
/// Builds the newest commit of a project for each of its domains, and publishes it there. What is built
/// already is not built again. Poll the address in `Location` for what becomes of it.
///
/// An organisation may ask for 10 updates in 10 seconds.
#[utoipa::path(
    post,
    path = "/v1/project/update/{projectId}",
    tag = "Releases",
    operation_id = "startUpdate",
    params(ProjectPath, IdempotencyKey),
    responses(
        (status = 202, description = "The update is queued", body = StartedUpdate, headers(("Location" = String, description = "Where to poll the update"), ("RateLimit" = String), ("RateLimit-Policy" = String))),
        (status = 404, description = "There is no such project", body = Error),
        (status = 409, description = "The project has no domain, or the Idempotency-Key was used for another request", body = Error),
        (status = 429, description = "The organisation has asked for 10 updates within 10 seconds", body = Error, headers(("Retry-After" = i64), ("RateLimit" = String), ("RateLimit-Policy" = String))),
    ),
)]
pub(crate) async fn start(
    State(app): State<AppState>,
    caller: Writer,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    idempotency: Result<Idempotency, ApiError>,
) -> Result<impl IntoResponse, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let idempotency = idempotency?;
    let key = idempotency.of(&project.organization_id);
    app.require_room().await?;
    let change = Change::of("update.create", Some(&project.organization_id))
        .after(json!({ "projectId": project.id }));
    let database = caller.recording(&app, change);
    let asked = database.request_limited_update(&project.id, key, app.now()).await?;
    let (asked, allowance) = match asked {
        Limited::Taken(asked, allowance) => (asked, allowance),
        Limited::Refused(allowance) => {
            return Err(ApiError::TooManyRequests(RateLimit::UPDATES, allowance));
        }
    };
    match asked {
        Requested::Update(status_id) => {
            app.release_wake.notify_one();
            let location = format!("/v1/project/update-status/{status_id}");
            let started = Json(StartedUpdate { status_id });
            let limit = rate_limit::headers(RateLimit::UPDATES, allowance);
            Ok((StatusCode::ACCEPTED, limit, [(header::LOCATION, location)], started))
        }
        Requested::NoSite => Err(ApiError::Conflict(
            "This project has no domain; add one with `docwright admin domain create`.".to_owned(),
        )),
        Requested::Conflict => Err(ApiError::Conflict(
            "This Idempotency-Key was used for another request; use a new one.".to_owned(),
        )),
    }
}
