//! The pages of a project's sites.

use axum::{Json, extract::State, http::StatusCode};
use docwright_http::{
    error::{ApiError, Error},
    parameters::{Path, Query},
};
use docwright_operations::{
    Allowed, can,
    lists::Page,
    pages::{self, EditPage, GetPageSource, ListPages, PageEdit, PageSource, ProjectPageList},
};

use super::{ProjectPath, body::Body};
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

/// Get the file of a page
///
/// Returns the file of a page at the head of its site's branch, for editing. Files of up to 500,000 bytes can be edited.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}/page-source",
    tag = "Pages",
    operation_id = "getPageSource",
    params(ProjectPath, GetPageSource),
    responses(
        (status = 200, description = "The file.", body = PageSource),
        (status = 404, description = "Project, domain, or page not found.", body = Error),
        (status = 409, description = "The page has no file that can be edited.", body = Error),
    ),
)]
pub(crate) async fn source(
    State(app): State<ApiState>,
    caller: Allowed<can::GetPageSource>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    asked: Result<Query<GetPageSource>, ApiError>,
) -> Result<Json<PageSource>, ApiError> {
    Ok(Json(pages::source(&app, &caller, &project_id, &asked?.0).await?))
}

/// Edit a page
///
/// Opens a pull request with a new text of a page. The author is the owner of the personal access token, or the API key.
/// The same edit again returns the same pull request.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectId}/page-edits",
    tag = "Pages",
    operation_id = "editPage",
    params(ProjectPath),
    request_body = EditPage,
    responses(
        (status = 201, description = "The pull request.", body = PageEdit),
        (status = 404, description = "Project, domain, or page not found.", body = Error),
        (status = 409, description = "The file changed since, can't be edited, or its git host opens no pull requests.", body = Error),
    ),
)]
pub(crate) async fn edit(
    State(app): State<ApiState>,
    caller: Allowed<can::EditPage>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    body: Result<Body<EditPage>, ApiError>,
) -> Result<(StatusCode, Json<PageEdit>), ApiError> {
    let edited = pages::edit(&app, &caller, &project_id, body?.value).await?;
    Ok((StatusCode::CREATED, Json(edited)))
}
