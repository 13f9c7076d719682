//! `GET /v2/agent/{projectId}/job/{id}`.

use axum::{Json, extract::State};

use super::{AgentJob, JobPath, missing};
use crate::{
    authorize::{Caller, no_project},
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Get an agent job
///
/// An agent job as it is now. Poll this until `status` is not `active` any more; then `prLink` leads to the
/// pull request, or is null if no file was changed.
#[utoipa::path(
    get,
    path = "/v2/agent/{projectId}/job/{id}",
    tag = "Agent jobs",
    operation_id = "getAgentJob",
    params(JobPath),
    responses(
        (status = 200, description = "The job", body = AgentJob),
        (status = 404, description = "There is no such project or job", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<AppState>,
    caller: Caller,
    Path(JobPath { project_id, id }): Path<JobPath>,
) -> Result<Json<AgentJob>, ApiError> {
    let job = app.database.agent_job_of(&caller.organization.id, &project_id, &id).await?;
    Ok(Json(job.ok_or_else(no_project)?.ok_or_else(missing)?.into()))
}
