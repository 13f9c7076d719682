//! Projects.

use axum::{
    Json,
    extract::State,
    http::{HeaderName, StatusCode, header},
};
use docwright_http::{
    error::{ApiError, Error},
    parameters::{Path, Query},
};
use docwright_operations::{
    Allowed, can,
    deletion::Deleted,
    lists::Page,
    projects::{self, CreateProject, ListProjects, Project, ProjectList, UpdateProject},
};

use super::{ProjectPath, body::Body};
use crate::state::ApiState;

/// List projects
///
/// Returns a page of the projects that the key can access.
#[utoipa::path(
    get,
    path = "/v1/projects",
    tag = "Projects",
    operation_id = "listProjects",
    params(ListProjects, Page),
    responses(
        (status = 200, description = "A page of projects.", body = ProjectList),
        (status = 404, description = "Organization not found.", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<ApiState>,
    caller: Allowed<can::ListProjects>,
    filter: Result<Query<ListProjects>, ApiError>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<ProjectList>, ApiError> {
    Ok(Json(projects::list(&app, &caller, &filter?.0, &page?.0).await?))
}

/// Create a project
///
/// Creates a project. For a `built-in` project, docwright creates the repository too. For a private
/// repository, store a credential with a separate operation.
#[utoipa::path(
    post,
    path = "/v1/projects",
    tag = "Projects",
    operation_id = "createProject",
    request_body = CreateProject,
    responses(
        (status = 201, description = "The project.", body = Project,
            headers(("Location" = String, description = "URL of the organization.")),
            links(
                ("get" = (operation_id = "getProject", parameters(("projectId" = "$response.body#/id")))),
                ("update" = (operation_id = "updateProject", parameters(("projectId" = "$response.body#/id")))),
                ("delete" = (operation_id = "deleteProject", parameters(("projectId" = "$response.body#/id")))),
                ("releases" = (operation_id = "listReleases", parameters(("projectId" = "$response.body#/id")))),
                ("jobs" = (operation_id = "listAgentJobs", parameters(("projectId" = "$response.body#/id")))),
            )),
        (status = 404, description = "Organization not found.", body = Error),
        (status = 409, description = "Another project in the organization has this name.", body = Error),
    ),
)]
pub(crate) async fn create(
    State(app): State<ApiState>,
    caller: Allowed<can::CreateProject>,
    body: Result<Body<CreateProject>, ApiError>,
) -> Result<(StatusCode, [(HeaderName, String); 1], Json<Project>), ApiError> {
    let project = projects::create(&app, &caller, body?.value).await?;
    let location = [(header::LOCATION, format!("/v1/projects/{}", project.id))];
    Ok((StatusCode::CREATED, location, Json(project)))
}

/// Get a project
///
/// Returns a project with its settings.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}",
    tag = "Projects",
    operation_id = "getProject",
    params(ProjectPath),
    responses(
        (status = 200, description = "The project.", body = Project),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<ApiState>,
    caller: Allowed<can::GetProject>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
) -> Result<Json<Project>, ApiError> {
    Ok(Json(projects::get(&app, &caller, &project_id).await?))
}

/// Update a project
///
/// Updates the settings of a project. Running jobs finish with the earlier settings.
#[utoipa::path(
    patch,
    path = "/v1/projects/{projectId}",
    tag = "Projects",
    operation_id = "updateProject",
    params(ProjectPath),
    request_body = UpdateProject,
    responses(
        (status = 200, description = "The updated project.", body = Project),
        (status = 404, description = "Project not found.", body = Error),
        (status = 409, description = "Another project in the organization has this name, or the project no longer has the revision that the update names.", body = Error),
    ),
)]
pub(crate) async fn update(
    State(app): State<ApiState>,
    caller: Allowed<can::UpdateProject>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    body: Result<Body<UpdateProject>, ApiError>,
) -> Result<Json<Project>, ApiError> {
    Ok(Json(projects::update(&app, &caller, &project_id, body?.value).await?))
}

/// Poll a project
///
/// Polls the git host for the latest commits immediately. Requests share a poll until it starts.
/// `polledAt` and `pollError` of the project show when it finished and whether it failed.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectId}/poll",
    tag = "Projects",
    operation_id = "pollProject",
    params(ProjectPath),
    responses(
        (status = 202, description = "Poll scheduled. The project is as before the poll.", body = Project),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
pub(crate) async fn poll(
    State(app): State<ApiState>,
    caller: Allowed<can::PollProject>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
) -> Result<(StatusCode, Json<Project>), ApiError> {
    Ok((StatusCode::ACCEPTED, Json(projects::poll(&app, &caller, &project_id).await?)))
}

/// Delete a project
///
/// Permanently deletes a project with its domains, releases, exports, jobs, and built-in
/// repository. Running jobs stop. Repositories on other git hosts aren't changed.
#[utoipa::path(
    delete,
    path = "/v1/projects/{projectId}",
    tag = "Projects",
    operation_id = "deleteProject",
    params(ProjectPath),
    responses(
        (status = 200, description = "Counts of deleted objects.", body = Deleted),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
pub(crate) async fn delete(
    State(app): State<ApiState>,
    caller: Allowed<can::DeleteProject>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
) -> Result<Json<Deleted>, ApiError> {
    Ok(Json(projects::delete(&app, &caller, &project_id).await?))
}
