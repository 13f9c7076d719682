//! `GET /v2/agent/{projectId}/jobs`.

use axum::{Json, extract::State};
use docwright_domain::agent_job::AgentStatus;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{AgentJob, AgentJobStatus};
use crate::{
    api::{
        ProjectPath,
        paging::{Length, MAXIMUM},
    },
    authorize::Reader,
    error::{ApiError, Error},
    parameters::{Number, Path, Query},
    state::AppState,
};

/// Which jobs to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// Only jobs that stand here.
    #[param(inline, value_type = AgentJobStatus, required = false)]
    status: Option<AgentJobStatus>,
    /// How many jobs a page has at most; 20 if left out.
    #[param(value_type = i64, required = false, minimum = 1, maximum = 100)]
    limit: Option<Number<1, MAXIMUM>>,
    /// The `nextCursor` of the page before; the first page if left out.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$")]
    cursor: Option<String>,
}

/// A page of agent jobs, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentJobList {
    /// The jobs.
    jobs: Vec<AgentJob>,
    /// What to ask for the next page with; null on the last one.
    next_cursor: Option<String>,
}

/// List agent jobs
///
/// The agent jobs of a project, newest first, a page at a time. Ask for the next page with the `nextCursor`
/// of the page before.
#[utoipa::path(
    get,
    path = "/v2/agent/{projectId}/jobs",
    tag = "Agent jobs",
    operation_id = "listAgentJobs",
    security(("key" = ["read"])),
    params(ProjectPath, Filter),
    responses(
        (status = 200, description = "A page of jobs", body = AgentJobList),
        (status = 404, description = "There is no such project", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Reader,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    filter: Result<Query<Filter>, ApiError>,
) -> Result<Json<AgentJobList>, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let Query(filter) = filter?;
    let status = filter.status.map(AgentStatus::from);
    let cursor = filter.cursor.as_deref();
    let length = Length::of(filter.limit);
    let jobs = app.database.agent_jobs(&project.id, status, cursor, length.read()).await?;
    let (jobs, next_cursor) = length.page(jobs, |job| job.id.clone());
    Ok(Json(AgentJobList { jobs: jobs.into_iter().map(AgentJob::from).collect(), next_cursor }))
}
