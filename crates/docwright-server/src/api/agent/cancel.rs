//! `POST /v2/agent/{projectId}/job/{id}/cancel`.

use axum::{Json, extract::State};
use serde_json::json;

use super::{AgentJob, JobPath, missing};
use crate::{
    audit::Change,
    authorize::Writer,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Cancel an agent job
///
/// Ends an active job: it is `failed`, with the error `cancelled`. Nothing is pushed after that. Cancelling
/// twice is cancelling once.
#[utoipa::path(
    post,
    path = "/v2/agent/{projectId}/job/{id}/cancel",
    tag = "Agent jobs",
    operation_id = "cancelAgentJob",
    params(JobPath),
    responses(
        (status = 200, description = "The job", body = AgentJob),
        (status = 404, description = "There is no such project or job", body = Error),
        (status = 409, description = "The job has ended already", body = Error),
    ),
)]
pub(crate) async fn cancel(
    State(app): State<AppState>,
    caller: Writer,
    Path(JobPath { project_id, id }): Path<JobPath>,
) -> Result<Json<AgentJob>, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let job = app.database.agent_job(&project.id, &id).await?.ok_or_else(missing)?;
    let change = Change::of("agent_job.cancel", Some(&project.organization_id))
        .before(json!({ "projectId": project.id, "status": job.status.to_string() }));
    if !caller.recording(&app, change).cancel_agent_job(&id, app.now()).await?
        && job.error.as_deref() != Some("cancelled")
    {
        return Err(ApiError::Conflict(format!("The job is {}, not active.", job.status)));
    }
    let job = app.database.agent_job(&project.id, &id).await?;
    Ok(Json(job.ok_or_else(missing)?.into()))
}
