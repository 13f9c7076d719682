//! `POST /v2/agent/{projectId}/job/{id}/cancel`.

use axum::{
    Json,
    extract::{Path, State},
};

use super::{AgentJob, missing};
use crate::{
    authorize::Caller,
    error::{ApiError, Error},
    state::AppState,
};

/// End an active job `failed`, with the error `cancelled`. Nothing is pushed after that.
#[utoipa::path(
    post,
    path = "/v2/agent/{projectId}/job/{id}/cancel",
    tag = "Agent jobs",
    params(("projectId" = String, Path, description = "Identifier of the project"), ("id" = String, Path, description = "Identifier of the agent job")),
    responses(
        (status = 200, description = "The job", body = AgentJob, headers(("X-Request-Id" = String))),
        (status = 401, description = "No key, or one that is unknown, revoked or expired", body = Error, headers(("WWW-Authenticate" = String))),
        (status = 403, description = "The key does not allow it", body = Error),
        (status = 404, description = "There is no such project or job", body = Error),
        (status = 409, description = "The job has ended already", body = Error),
        (status = 500, description = "A fault of the server's own", body = Error),
        (status = 503, description = "The database does not answer", body = Error, headers(("Retry-After" = String))),
    ),
    security(("key" = []))
)]
pub(crate) async fn cancel(
    State(app): State<AppState>,
    caller: Caller,
    Path((project_id, id)): Path<(String, String)>,
) -> Result<Json<AgentJob>, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let job = app.database.agent_job(&project.id, &id).await?.ok_or_else(missing)?;
    if !app.database.cancel_agent_job(&id, app.now()).await?
        && job.error.as_deref() != Some("cancelled")
    {
        return Err(ApiError::Conflict(format!("The job is {}, not active.", job.status)));
    }
    let job = app.database.agent_job(&project.id, &id).await?;
    Ok(Json(job.ok_or_else(missing)?.into()))
}
