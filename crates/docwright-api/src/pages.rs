//! The pages of a project's sites.

use axum::{Json, extract::State};
use docwright_http::{
    error::{ApiError, Error},
    parameters::{Path, Query},
};
use docwright_operations::{
    Allowed, can,
    lists::Page,
    pages::{self, ListPages, ProjectPageList},
};

use super::ProjectPath;
use crate::state::ApiState;

/// List pages
///
/// Returns a page of the pages of a site, in the order of its navigation, with diagnostics, views, and ratings. They are
/// those of the site's active release. Pages that the navigation doesn't list come last.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}/pages",
    tag = "Pages",
    operation_id = "listPages",
    params(ProjectPath, ListPages, Page),
    responses(
        (status = 200, description = "A page of the pages.", body = ProjectPageList),
        (status = 404, description = "Project or domain not found.", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<ApiState>,
    caller: Allowed<can::ListPages>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    asked: Result<Query<ListPages>, ApiError>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<ProjectPageList>, ApiError> {
    Ok(Json(pages::list(&app, &caller, &project_id, &asked?.0, &page?.0).await?))
}
