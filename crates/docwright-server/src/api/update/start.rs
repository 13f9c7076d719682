//! `POST /v1/project/update/{projectId}`.

use axum::{
    Json,
    extract::{Path, State},
    http::{HeaderMap, StatusCode, Uri, header},
    response::IntoResponse,
};
use docwright_domain::release::Trigger;
use docwright_storage::database::Requested;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    api::body::idempotency,
    authorize::Caller,
    error::{ApiError, Error},
    state::AppState,
};

/// An update that was asked for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StartedUpdate {
    /// Identifier of the update, to ask for its status with.
    status_id: String,
}

/// Build the newest commit of a project and publish it under the project's domains. What is built
/// already is not built again.
#[utoipa::path(
    post,
    path = "/v1/project/update/{projectId}",
    tag = "Releases",
    params(("projectId" = String, Path, description = "Identifier of the project"), ("Idempotency-Key" = Option<String>, Header, description = "Makes sending this twice within 24 hours harmless")),
    responses(
        (status = 202, description = "The update is queued", body = StartedUpdate, headers(("Location" = String, description = "Where to poll the update"), ("X-Request-Id" = String))),
        (status = 400, description = "The Idempotency-Key is malformed", body = Error),
        (status = 401, description = "No key, or one that is unknown, revoked or expired", body = Error, headers(("WWW-Authenticate" = String))),
        (status = 403, description = "The key does not allow it", body = Error),
        (status = 404, description = "There is no such project", body = Error),
        (status = 409, description = "The project has no domain, or the Idempotency-Key was used for another request", body = Error),
        (status = 500, description = "A fault of the server's own", body = Error),
        (status = 503, description = "The database does not answer, or the disk is nearly full", body = Error, headers(("Retry-After" = String))),
    ),
    security(("key" = []))
)]
pub(crate) async fn start(
    State(app): State<AppState>,
    caller: Caller,
    Path(project_id): Path<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<impl IntoResponse, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let key = idempotency(&headers, &uri, &[])?;
    app.require_room().await?;
    let organization = caller.organization.id.as_str();
    let key = key.as_ref().map(|(key, print)| (organization, key.as_str(), print.as_str()));
    let asked =
        app.database.request_update(&project.id, None, Trigger::Api, key, app.now()).await?;
    match asked {
        Requested::Update(status_id) => {
            app.release_wake.notify_one();
            let location = format!("/v1/project/update-status/{status_id}");
            let started = Json(StartedUpdate { status_id });
            Ok((StatusCode::ACCEPTED, [(header::LOCATION, location)], started))
        }
        Requested::NoSite => Err(ApiError::Conflict(
            "This project has no domain; add one with `docwright admin domain add`.".to_owned(),
        )),
        Requested::Conflict => Err(ApiError::Conflict(
            "This Idempotency-Key was used for another request; use a new one.".to_owned(),
        )),
    }
}
