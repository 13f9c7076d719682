//! `GET /v1/projects`.

use axum::{Json, extract::State};
use docwright_storage::database::ProjectFilter;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Project;
use crate::{
    api::paging::{Page, Search, Sort},
    authorize::Reader,
    error::{ApiError, Error},
    parameters::Query,
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
    /// Only those whose name begins so, in any case of ASCII letters.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "Docs")]
    search: Option<Search>,
    /// The order: `name`, `newest` or `oldest` first; `oldest` if left out.
    #[param(inline, value_type = Sort, required = false)]
    sort: Option<Sort>,
}

/// A page of projects.
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
    params(AskedProjects, Page),
    responses(
        (status = 200, description = "A page of projects", body = ProjectList),
        (status = 404, description = "There is no such organisation", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Reader,
    filter: Result<Query<AskedProjects>, ApiError>,
    page: Result<Page, ApiError>,
) -> Result<Json<ProjectList>, ApiError> {
    let (Query(asked), page) = (filter?, page?);
    let organization = caller.organization(&app, asked.organization_id.as_deref()).await?;
    let filter = ProjectFilter {
        organization_id: organization.as_ref().map(|organization| organization.id.as_str()),
        name: asked.name.as_deref().filter(|name| !name.is_empty()),
        only: caller.only_projects(),
        sort: asked.sort.unwrap_or_default().into(),
    };
    let wanted = page.searched(asked.search.as_ref());
    let read = app.database.projects_page(filter, wanted).await?;
    let (read, next_cursor) =
        page.cut(read, |(project, _)| filter.sort.position(&project.name, &project.id));
    let ids: Vec<_> = read.iter().map(|(project, _)| project.id.as_str()).collect();
    let mut looks = app.database.looks(&ids).await?;
    let shown = read.into_iter().map(|(project, owner)| {
        let look = looks.remove(&project.id);
        Project::of(&app, project, owner, look)
    });
    let projects = shown.collect();
    Ok(Json(ProjectList { projects, next_cursor }))
}
