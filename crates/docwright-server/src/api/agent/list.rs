//! `GET /v2/agent/{projectId}/jobs`.

use axum::{Json, extract::State};
use docwright_domain::agent_job::AgentStatus;
use docwright_storage::database::Position;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{AgentJob, AgentJobStatus};
use crate::{
    api::{ProjectPath, paging::Page},
    authorize::Reader,
    error::{ApiError, Error},
    parameters::{Path, Query},
    state::AppState,
};

/// Which jobs to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// Only jobs that stand here.
    #[param(inline, value_type = AgentJobStatus, required = false)]
    status: Option<AgentJobStatus>,
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
    params(ProjectPath, Filter, Page),
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
    page: Result<Page, ApiError>,
) -> Result<Json<AgentJobList>, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let (Query(filter), page) = (filter?, page?);
    let status = filter.status.map(AgentStatus::from);
    let jobs = app.database.agent_jobs(&project.id, status, page.of_all()).await?;
    let (jobs, next_cursor) = page.cut(jobs, |job| Position::of_id(&job.id));
    Ok(Json(AgentJobList { jobs: jobs.into_iter().map(AgentJob::from).collect(), next_cursor }))
}
