//! `POST /v2/agent/{projectId}/job/{id}/archive`.

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

/// Archive an agent job
///
/// Puts a job away. It can still be read, and takes no more prompts. An active one is cancelled first.
#[utoipa::path(
    post,
    path = "/v2/agent/{projectId}/job/{id}/archive",
    tag = "Agent jobs",
    operation_id = "archiveAgentJob",
    params(JobPath),
    responses(
        (status = 200, description = "The job, archived", body = AgentJob),
        (status = 404, description = "There is no such project or job", body = Error),
    ),
)]
pub(crate) async fn archive(
    State(app): State<AppState>,
    caller: Writer,
    Path(JobPath { project_id, id }): Path<JobPath>,
) -> Result<Json<AgentJob>, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let job = app.database.agent_job(&project.id, &id).await?.ok_or_else(missing)?;
    let change = Change::of("agent_job.archive", Some(&project.organization_id))
        .before(json!({ "projectId": project.id, "status": job.status.to_string() }));
    caller.recording(&app, change).archive_agent_job(&id, app.now()).await?;
    let job = app.database.agent_job(&project.id, &id).await?;
    Ok(Json(job.ok_or_else(missing)?.into()))
}
