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
/// The projects that the key reaches, a page at a time.
#[utoipa::path(
    get,
    path = "/v1/projects",
    tag = "Projects",
    operation_id = "listProjects",
    params(ListProjects, Page),
    responses(
        (status = 200, description = "A page of projects", body = ProjectList),
        (status = 404, description = "There is no such organization", body = Error),
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

/// Make a project
///
/// The repository of a `built-in` project is made with it. Credentials for a private repository are kept by
/// another operation.
#[utoipa::path(
    post,
    path = "/v1/projects",
    tag = "Projects",
    operation_id = "createProject",
    request_body = CreateProject,
    responses(
        (status = 201, description = "The project", body = Project,
            headers(("Location" = String, description = "Where it is")),
            links(
                ("get" = (operation_id = "getProject", parameters(("projectId" = "$response.body#/id")))),
                ("update" = (operation_id = "updateProject", parameters(("projectId" = "$response.body#/id")))),
                ("delete" = (operation_id = "deleteProject", parameters(("projectId" = "$response.body#/id")))),
                ("releases" = (operation_id = "listReleases", parameters(("projectId" = "$response.body#/id")))),
                ("jobs" = (operation_id = "listAgentJobs", parameters(("projectId" = "$response.body#/id")))),
            )),
        (status = 404, description = "There is no such organization", body = Error),
        (status = 409, description = "Another project of the organization has this name", body = Error),
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
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}",
    tag = "Projects",
    operation_id = "getProject",
    params(ProjectPath),
    responses(
        (status = 200, description = "The project", body = Project),
        (status = 404, description = "There is no such project", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<ApiState>,
    caller: Allowed<can::GetProject>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
) -> Result<Json<Project>, ApiError> {
    Ok(Json(projects::get(&app, &caller, &project_id).await?))
}

/// Change a project
///
/// Jobs that are under way end as they began.
#[utoipa::path(
    patch,
    path = "/v1/projects/{projectId}",
    tag = "Projects",
    operation_id = "updateProject",
    params(ProjectPath),
    request_body = UpdateProject,
    responses(
        (status = 200, description = "The project as it is since", body = Project),
        (status = 404, description = "There is no such project", body = Error),
        (status = 409, description = "Another project of the organization has this name", body = Error),
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
/// Asks the git host for the newest commits now, instead of at the next poll. Requests before the poll starts share
/// it. `polledAt` and `pollError` of the project say when it ended, and how.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectId}/poll",
    tag = "Projects",
    operation_id = "pollProject",
    params(ProjectPath),
    responses(
        (status = 202, description = "The poll is scheduled; the project as it is now", body = Project),
        (status = 404, description = "There is no such project", body = Error),
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
/// Deletes a project permanently, with its domains, releases, exports, jobs and built-in repository. Jobs that are under way
/// stop. Repositories on other hosts are not touched.
#[utoipa::path(
    delete,
    path = "/v1/projects/{projectId}",
    tag = "Projects",
    operation_id = "deleteProject",
    params(ProjectPath),
    responses(
        (status = 200, description = "What was deleted, in numbers", body = Deleted),
        (status = 404, description = "There is no such project", body = Error),
    ),
)]
pub(crate) async fn delete(
    State(app): State<ApiState>,
    caller: Allowed<can::DeleteProject>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
) -> Result<Json<Deleted>, ApiError> {
    Ok(Json(projects::delete(&app, &caller, &project_id).await?))
}
