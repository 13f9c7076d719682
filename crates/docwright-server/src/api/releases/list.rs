//! `GET /v1/projects/{projectId}/releases`.

use axum::{Json, extract::State};
use docwright_storage::database::Project;
use serde::Serialize;
use utoipa::ToSchema;

use super::Release;
use crate::{
    api::{
        ProjectPath,
        paging::{Length, Page},
        web,
    },
    authorize::Reader,
    error::{ApiError, Error},
    parameters::{Path, Query},
    state::AppState,
};

/// A page of releases, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReleaseList {
    /// The releases.
    releases: Vec<Release>,
    /// What to ask for the next page with; null on the last one.
    next_cursor: Option<String>,
}

/// List releases
///
/// The releases of a project, newest first, a page at a time.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}/releases",
    tag = "Releases",
    operation_id = "listReleases",
    security(("key" = ["read"])),
    params(ProjectPath, Page),
    responses(
        (status = 200, description = "A page of releases", body = ReleaseList),
        (status = 404, description = "There is no such project", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Reader,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    filter: Result<Query<Page>, ApiError>,
) -> Result<Json<ReleaseList>, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let Query(Page { limit, cursor }) = filter?;
    let page = ReleaseList::read(&app, &project, cursor.as_deref(), Length::of(limit)).await?;
    Ok(Json(page))
}

impl ReleaseList {
    /// A page of the releases of a project.
    pub(super) async fn read(
        app: &AppState,
        project: &Project,
        cursor: Option<&str>,
        length: Length,
    ) -> Result<Self, ApiError> {
        let read = app.database.releases(&project.id, cursor, length.read()).await?;
        let (read, next_cursor) = length.page(read, |release| release.id.clone());
        let ids: Vec<_> = read.iter().map(|release| release.id.as_str()).collect();
        let active = app.database.active_among(&ids).await?;
        let web = web::of_project(app, project);
        let releases = read.into_iter().map(|release| {
            let is_active = active.contains(&release.id);
            Release::of(release, is_active, web.as_ref())
        });
        Ok(Self { releases: releases.collect(), next_cursor })
    }
}
