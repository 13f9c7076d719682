//! `DELETE /v1/projects/{projectId}`.

use axum::{Json, extract::State};
use tracing::Instrument;

use crate::{
    api::{
        ProjectPath,
        deletion::{Deleted, delete_project},
    },
    authorize::{Admin, no_project},
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Delete a project
///
/// For good: with its domains, releases, exports, jobs and built-in repository. Jobs that are under way
/// stop. Repositories on other hosts are not touched.
#[utoipa::path(
    delete,
    path = "/v1/projects/{projectId}",
    tag = "Projects",
    operation_id = "deleteProject",
    security(("key" = ["admin"])),
    params(ProjectPath),
    responses(
        (status = 200, description = "What was deleted, in numbers", body = Deleted),
        (status = 404, description = "There is no such project", body = Error),
    ),
)]
pub(crate) async fn delete(
    State(app): State<AppState>,
    caller: Admin,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
) -> Result<Json<Deleted>, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    // A task of its own runs to its end when the client leaves and this handler is dropped.
    let work = async move { delete_project(&app, &caller, &project).await };
    let done = tokio::spawn(work.in_current_span()).await;
    let report = done.map_err(|error| ApiError::Internal(error.to_string()))??;
    Ok(Json(report.ok_or_else(no_project)?.into()))
}
