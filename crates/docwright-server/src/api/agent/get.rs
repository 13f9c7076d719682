//! `GET /v2/agent/{projectId}/job/{id}`.

use axum::{Json, extract::State};
use docwright_domain::key::Scope;

use super::{AgentJob, JobPath, missing};
use crate::{
    authorize::{Polling, no_project},
    error::{ApiError, Error},
    parameters::Path,
    request::concerns,
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
    asking: Polling,
    Path(JobPath { project_id, id }): Path<JobPath>,
) -> Result<Json<AgentJob>, ApiError> {
    let presented = match asking {
        Polling::Key(presented) => presented,
        Polling::Caller(caller) => {
            let project = caller.project(&app, &project_id).await?;
            let job = app.database.agent_job(&project.id, &id).await?;
            return Ok(Json(job.ok_or_else(missing)?.into()));
        }
    };
    // Clients poll this, so the key and the job are read together.
    let found = app.database.key_and_agent_job(presented.id(), &project_id, &id).await?;
    let (known, job) = match found {
        Some(found) => {
            (Some((found.key, found.organization)), found.has_project.then_some(found.job))
        }
        None => (None, None),
    };
    presented.check(&app, known).await?.require(Scope::Read)?;
    let job = job.ok_or_else(no_project)?;
    concerns("project", &project_id);
    Ok(Json(job.ok_or_else(missing)?.into()))
}
