//! `GET /v2/agent/{projectId}/jobs`.

use axum::{
    Json,
    extract::{Path, Query, State, rejection::QueryRejection},
};
use docwright_domain::agent_job::AgentStatus;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::AgentJob;
use crate::{
    authorize::Caller,
    error::{ApiError, Error},
    state::AppState,
};

/// Jobs on one page unless the caller says otherwise, and at most.
const USUAL: i64 = 20;
const MAXIMUM: i64 = 100;

/// Which jobs to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// Only jobs in this state.
    status: Option<String>,
    /// Jobs on a page: 1 to 100, 20 if left out.
    limit: Option<i64>,
    /// `nextCursor` of the page before.
    cursor: Option<String>,
}

/// A page of jobs, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentJobList {
    /// The jobs.
    jobs: Vec<AgentJob>,
    /// What to ask for the next page with; null on the last one.
    next_cursor: Option<String>,
}

/// The agent jobs of a project, newest first.
#[utoipa::path(
    get,
    path = "/v2/agent/{projectId}/jobs",
    tag = "Agent jobs",
    params(("projectId" = String, Path, description = "Identifier of the project"), Filter),
    responses(
        (status = 200, description = "A page of jobs", body = AgentJobList, headers(("X-Request-Id" = String))),
        (status = 400, description = "A parameter does not fit; the sentence names it", body = Error),
        (status = 401, description = "No key, or one that is unknown, revoked or expired", body = Error, headers(("WWW-Authenticate" = String))),
        (status = 403, description = "The key does not allow it", body = Error),
        (status = 404, description = "There is no such project", body = Error),
        (status = 500, description = "A fault of the server's own", body = Error),
        (status = 503, description = "The database does not answer", body = Error, headers(("Retry-After" = String))),
    ),
    security(("key" = []))
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Caller,
    Path(project_id): Path<String>,
    filter: Result<Query<Filter>, QueryRejection>,
) -> Result<Json<AgentJobList>, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let Query(filter) = filter.map_err(|_| {
        ApiError::Invalid("`limit` must be a whole number from 1 to 100.".to_owned())
    })?;
    let limit = filter.limit.unwrap_or(USUAL);
    if !(1..=MAXIMUM).contains(&limit) {
        return Err(ApiError::Invalid("`limit` must be from 1 to 100.".to_owned()));
    }
    let status = filter.status.as_deref().map(str::parse::<AgentStatus>).transpose();
    let status = status.map_err(|_| {
        ApiError::Invalid("`status` must be active, completed, failed or archived.".to_owned())
    })?;
    let cursor = filter.cursor.as_deref();
    // One more tells whether there is another page.
    let mut jobs = app.database.agent_jobs(&project.id, status, cursor, limit + 1).await?;
    let more = i64::try_from(jobs.len()).is_ok_and(|count| count > limit);
    jobs.truncate(usize::try_from(limit).unwrap_or(0));
    let next_cursor = jobs.last().filter(|_| more).map(|job| job.id.clone());
    Ok(Json(AgentJobList { jobs: jobs.into_iter().map(AgentJob::from).collect(), next_cursor }))
}
