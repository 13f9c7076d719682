//! Problems of a project.

use axum::{Json, extract::State};
use docwright_http::{
    error::{ApiError, Error},
    parameters::Path,
};
use docwright_operations::{
    Allowed, can,
    problems::{self, ProblemList},
};

use super::ProjectPath;
use crate::state::ApiState;

/// List problems
///
/// Returns what keeps the project from working as it is set up: of its repository, its newest release, its domains,
/// subscriptions, and models, and of the object storage. A problem is listed until its cause is gone. Keys with the scope
/// `admin` also get the problems of subscriptions. To retry the repository now, poll the project.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}/problems",
    tag = "Projects",
    operation_id = "listProblems",
    params(ProjectPath),
    responses(
        (status = 200, description = "The problems.", body = ProblemList),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<ApiState>,
    caller: Allowed<can::ListProblems>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
) -> Result<Json<ProblemList>, ApiError> {
    Ok(Json(problems::list(&app, &caller, &project_id).await?))
}

/// Test dependencies
///
/// Tests the models and the object storage that the project has problems with, and returns the problems after that. A test
/// of a model costs a few tokens. Requests within five seconds share a test.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectId}/problems/test",
    tag = "Projects",
    operation_id = "testDependencies",
    params(ProjectPath),
    responses(
        (status = 200, description = "The problems.", body = ProblemList),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
pub(crate) async fn test(
    State(app): State<ApiState>,
    caller: Allowed<can::TestDependencies>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
) -> Result<Json<ProblemList>, ApiError> {
    Ok(Json(problems::test(&app, &caller, &project_id).await?))
}
