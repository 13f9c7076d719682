//! `GET /v1/projects/{projectId}`.

use axum::{Json, extract::State};

use super::Project;
use crate::{
    api::ProjectPath,
    authorize::Reader,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Get a project
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}",
    tag = "Projects",
    operation_id = "getProject",
    security(("key" = ["read"])),
    params(ProjectPath),
    responses(
        (status = 200, description = "The project", body = Project),
        (status = 404, description = "There is no such project", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<AppState>,
    caller: Reader,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
) -> Result<Json<Project>, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    Ok(Json(Project::read(&app, project).await?))
}
