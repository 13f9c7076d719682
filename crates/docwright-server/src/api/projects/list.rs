//! `GET /v1/projects`.

use axum::{Json, extract::State};
use docwright_storage::database::ProjectFilter;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Project;
use crate::{
    api::paging::{Length, MAXIMUM},
    authorize::Reader,
    error::{ApiError, Error},
    parameters::{Number, Query},
    state::AppState,
};

/// Which projects to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct AskedProjects {
    /// Only those of this organisation. Keys of the install see those of all without it.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    organization_id: Option<String>,
    /// Only those of this name.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "Docs")]
    name: Option<String>,
    /// How many projects a page has at most; 20 if left out.
    #[param(value_type = i64, required = false, minimum = 1, maximum = 100)]
    limit: Option<Number<1, MAXIMUM>>,
    /// The `nextCursor` of the page before; the first page if left out.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$")]
    cursor: Option<String>,
}

/// A page of projects, oldest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProjectList {
    /// The projects.
    projects: Vec<Project>,
    /// What to ask for the next page with; null on the last one.
    next_cursor: Option<String>,
}

/// List projects
///
/// The projects that the key reaches, a page at a time.
#[utoipa::path(
    get,
    path = "/v1/projects",
    tag = "Projects",
    operation_id = "listProjects",
    security(("key" = ["read"])),
    params(AskedProjects),
    responses(
        (status = 200, description = "A page of projects", body = ProjectList),
        (status = 404, description = "There is no such organisation", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Reader,
    filter: Result<Query<AskedProjects>, ApiError>,
) -> Result<Json<ProjectList>, ApiError> {
    let Query(asked) = filter?;
    let organization = caller.organization(&app, asked.organization_id.as_deref()).await?;
    let filter = ProjectFilter {
        organization_id: organization.as_ref().map(|organization| organization.id.as_str()),
        name: asked.name.as_deref(),
        only: caller.only_projects(),
    };
    let length = Length::of(asked.limit);
    let read = app.database.projects_page(filter, asked.cursor.as_deref(), length.read()).await?;
    let (read, next_cursor) = length.page(read, |(project, _)| project.id.clone());
    let ids: Vec<_> = read.iter().map(|(project, _)| project.id.as_str()).collect();
    let mut looks = app.database.looks(&ids).await?;
    let shown = read.into_iter().map(|(project, owner)| {
        let look = looks.remove(&project.id);
        Project::of(&app, project, owner, look)
    });
    let projects = shown.collect();
    Ok(Json(ProjectList { projects, next_cursor }))
}
