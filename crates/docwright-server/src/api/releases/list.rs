//! `GET /v1/projects/{projectId}/releases`.

use axum::{Json, extract::State};
use docwright_domain::release;
use docwright_storage::database::Project;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Release, ReleaseStatus};
use crate::{
    api::{
        ProjectPath,
        paging::{Page, Search},
        web,
    },
    authorize::Reader,
    error::{ApiError, Error},
    parameters::{Path, Query},
    state::AppState,
};

/// Which releases to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ReleaseFilter {
    /// Only those that stand here.
    #[param(inline, value_type = ReleaseStatus, required = false)]
    status: Option<ReleaseStatus>,
    /// Only those whose commit begins so, in any case of ASCII letters. Those with the same one stand together then.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "8f2c1e0")]
    search: Option<Search>,
}

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
    params(ProjectPath, ReleaseFilter, Page),
    responses(
        (status = 200, description = "A page of releases", body = ReleaseList),
        (status = 404, description = "There is no such project", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Reader,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    filter: Result<Query<ReleaseFilter>, ApiError>,
    page: Result<Page, ApiError>,
) -> Result<Json<ReleaseList>, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let (Query(filter), page) = (filter?, page?);
    Ok(Json(ReleaseList::read(&app, &project, &filter, &page).await?))
}

impl ReleaseList {
    /// A page of the releases of a project.
    pub(super) async fn read(
        app: &AppState,
        project: &Project,
        filter: &ReleaseFilter,
        page: &Page,
    ) -> Result<Self, ApiError> {
        let wanted = page.searched(filter.search.as_ref());
        let status = filter.status.map(release::ReleaseStatus::from);
        let read = app.database.releases(&project.id, status, wanted).await?;
        let (read, next_cursor) =
            page.cut(read, |release| wanted.position(release.commit.sha.as_deref(), &release.id));
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
