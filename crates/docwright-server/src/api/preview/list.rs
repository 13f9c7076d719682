//! `GET /v1/projects/{projectId}/previews`.

use axum::{Json, extract::State};
use serde::Serialize;
use utoipa::ToSchema;

use super::Preview;
use crate::{
    api::{
        ProjectPath,
        paging::{Length, Page},
    },
    authorize::Reader,
    error::{ApiError, Error},
    parameters::{Path, Query},
    state::AppState,
};

/// A page of previews, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PreviewList {
    /// The previews.
    previews: Vec<Preview>,
    /// What to ask for the next page with; null on the last one.
    next_cursor: Option<String>,
    /// Whether previews of the project ask for a password.
    asks_for_password: bool,
    /// Why this install has no previews, and what its operator can do; null if it has.
    #[schema(example = json!(null))]
    unavailable: Option<String>,
}

/// List previews
///
/// The previews of a project, open or closed, newest first, a page at a time. Closed ones are listed for 30
/// days. Ask for the next page with the `nextCursor` of the page before.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}/previews",
    tag = "Previews",
    operation_id = "listPreviews",
    security(("key" = ["read"])),
    params(ProjectPath, Page),
    responses(
        (status = 200, description = "A page of previews", body = PreviewList),
        (status = 404, description = "There is no such project", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Reader,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    filter: Result<Query<Page>, ApiError>,
) -> Result<Json<PreviewList>, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let Query(filter) = filter?;
    let (length, cursor) = (Length::of(filter.limit), filter.cursor.as_deref());
    let read = app.database.previews(&project.id, cursor, length.read()).await?;
    let (previews, next_cursor) = length.page(read, |preview| preview.id.clone());
    let sites: Vec<_> = previews.iter().map(|preview| preview.site_id.as_str()).collect();
    let mut newest = app.database.newest_releases(&sites).await?;
    let previews = previews.into_iter().map(|preview| {
        let newest = newest.remove(&preview.site_id);
        Preview::of(&app, &project, preview, newest)
    });
    let previews = previews.collect();
    let unavailable = app.repositories.previews.as_ref().err().map(ToString::to_string);
    let asks_for_password = app.database.has_preview_password(&project.id).await?;
    Ok(Json(PreviewList { previews, next_cursor, asks_for_password, unavailable }))
}
