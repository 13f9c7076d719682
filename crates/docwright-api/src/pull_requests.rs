//! Pull requests of the built-in git host.

use axum::{Json, extract::State, http::StatusCode};
use docwright_http::{
    error::{ApiError, Error},
    parameters::{Path, Query},
};
use docwright_operations::{
    Allowed, can,
    lists::Page,
    pull_requests::{
        self, CreatePullRequest, MergePullRequest, PullRequest, PullRequestDetails, PullRequestList,
    },
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{ProjectPath, body::Body};
use crate::state::ApiState;

/// A pull request of a project.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct PullRequestPath {
    /// ID of the project. The dashboard shows it on the "API keys" page.
    #[param(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: String,
    /// Number of the pull request in the project.
    #[param(example = 7)]
    number: i64,
}

/// List pull requests
///
/// Returns a page of the project's pull requests on the built-in git host, newest first.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}/pull-requests",
    tag = "Pull requests",
    operation_id = "listPullRequests",
    params(ProjectPath, Page),
    responses(
        (status = 200, description = "A page of pull requests.", body = PullRequestList),
        (status = 404, description = "Project not found, or its repository isn't on the built-in git host.", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<ApiState>,
    caller: Allowed<can::ListPullRequests>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<PullRequestList>, ApiError> {
    Ok(Json(pull_requests::list(&app, &caller, &project_id, &page?.0).await?))
}

/// Open a pull request
///
/// Opens a pull request for a branch on the built-in git host. A branch has one pull request.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectId}/pull-requests",
    tag = "Pull requests",
    operation_id = "createPullRequest",
    params(ProjectPath),
    request_body = CreatePullRequest,
    responses(
        (status = 201, description = "The pull request.", body = PullRequest),
        (status = 404, description = "Project not found, or its repository isn't on the built-in git host.", body = Error),
        (status = 409, description = "The branch has a pull request, or no commits of its own.", body = Error),
    ),
)]
pub(crate) async fn create(
    State(app): State<ApiState>,
    caller: Allowed<can::CreatePullRequest>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    body: Result<Body<CreatePullRequest>, ApiError>,
) -> Result<(StatusCode, Json<PullRequest>), ApiError> {
    let opened = pull_requests::create(&app, &caller, &project_id, body?.value).await?;
    Ok((StatusCode::CREATED, Json(opened)))
}

/// Get a pull request
///
/// Returns a pull request, with its comments and its diff.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}/pull-requests/{number}",
    tag = "Pull requests",
    operation_id = "getPullRequest",
    params(PullRequestPath),
    responses(
        (status = 200, description = "The pull request.", body = PullRequestDetails),
        (status = 404, description = "Project or pull request not found.", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<ApiState>,
    caller: Allowed<can::GetPullRequest>,
    Path(PullRequestPath { project_id, number }): Path<PullRequestPath>,
) -> Result<Json<PullRequestDetails>, ApiError> {
    Ok(Json(pull_requests::get(&app, &caller, (&project_id, number)).await?))
}

/// Merge a pull request
///
/// Merges the branch of a pull request into its base branch: with a merge commit, if you send no body. If a
/// domain serves the base branch, docwright publishes the result.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectId}/pull-requests/{number}/merge",
    tag = "Pull requests",
    operation_id = "mergePullRequest",
    params(PullRequestPath),
    request_body = Option<MergePullRequest>,
    responses(
        (status = 200, description = "The merged pull request.", body = PullRequest),
        (status = 404, description = "Project or pull request not found.", body = Error),
        (status = 409, description = "The pull request isn't open, has conflicts, or its branch doesn't exist or has another newest commit.", body = Error),
    ),
)]
pub(crate) async fn merge(
    State(app): State<ApiState>,
    caller: Allowed<can::MergePullRequest>,
    Path(PullRequestPath { project_id, number }): Path<PullRequestPath>,
    body: Result<Option<Body<MergePullRequest>>, ApiError>,
) -> Result<Json<PullRequest>, ApiError> {
    let how = body?.map(|body| body.value).unwrap_or_default();
    Ok(Json(pull_requests::merge(&app, &caller, (&project_id, number), how).await?))
}

/// Close a pull request
///
/// Closes a pull request without a merge. You can't reopen it.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectId}/pull-requests/{number}/close",
    tag = "Pull requests",
    operation_id = "closePullRequest",
    params(PullRequestPath),
    responses(
        (status = 200, description = "The closed pull request.", body = PullRequest),
        (status = 404, description = "Project or pull request not found.", body = Error),
        (status = 409, description = "The pull request isn't open.", body = Error),
    ),
)]
pub(crate) async fn close(
    State(app): State<ApiState>,
    caller: Allowed<can::ClosePullRequest>,
    Path(PullRequestPath { project_id, number }): Path<PullRequestPath>,
) -> Result<Json<PullRequest>, ApiError> {
    Ok(Json(pull_requests::close(&app, &caller, (&project_id, number)).await?))
}
