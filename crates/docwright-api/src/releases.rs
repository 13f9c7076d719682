//! Releases.

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
    lists::Page,
    releases::{
        self, ComparedWith, CreateRelease, CreatedRelease, DomainReleases, ListReleases, Release,
        ReleaseChanges, ReleaseDetails, ReleaseList,
    },
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{ProjectPath, body::Body};
use crate::state::ApiState;

/// A release.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct ReleasePath {
    /// ID of the release.
    #[param(example = "rel_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub(crate) release_id: String,
}

/// List releases
///
/// Returns a page of the project's releases, newest first.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}/releases",
    tag = "Releases",
    operation_id = "listReleases",
    params(ProjectPath, ListReleases, Page),
    responses(
        (status = 200, description = "A page of releases.", body = ReleaseList),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<ApiState>,
    caller: Allowed<can::ListReleases>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    filter: Result<Query<ListReleases>, ApiError>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<ReleaseList>, ApiError> {
    Ok(Json(releases::list(&app, &caller, &project_id, &filter?.0, &page?.0).await?))
}

/// List releases by domain
///
/// Returns a page of the releases of a domain's project, newest first.
#[utoipa::path(
    get,
    path = "/v1/releases",
    tag = "Releases",
    operation_id = "listReleasesOfDomain",
    params(DomainReleases, ListReleases, Page),
    responses(
        (status = 200, description = "A page of releases.", body = ReleaseList),
        (status = 404, description = "Domain not found.", body = Error),
    ),
)]
pub(crate) async fn list_of_domain(
    State(app): State<ApiState>,
    caller: Allowed<can::ListReleasesOfDomain>,
    of: Result<Query<DomainReleases>, ApiError>,
    filter: Result<Query<ListReleases>, ApiError>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<ReleaseList>, ApiError> {
    let domain = of?.0.domain;
    Ok(Json(releases::list_of_domain(&app, &caller, &domain, &filter?.0, &page?.0).await?))
}

/// Build a release for a domain
///
/// Builds and publishes the latest commit of the domain's branch.
#[utoipa::path(
    post,
    path = "/v1/releases",
    tag = "Releases",
    operation_id = "createRelease",
    request_body = CreateRelease,
    responses(
        (status = 202, description = "The queued release.", body = CreatedRelease,
            headers(("Location" = String, description = "URL to poll for the release.")),
            links(
                ("get" = (operation_id = "getRelease", parameters(("releaseId" = "$response.body#/id")))),
                ("activate" = (operation_id = "activateRelease", parameters(("releaseId" = "$response.body#/id")))),
                ("status" = (operation_id = "getUpdate", parameters(("statusId" = "$response.body#/updateId")))),
            )),
        (status = 404, description = "Domain not found.", body = Error),
    ),
)]
pub(crate) async fn create(
    State(app): State<ApiState>,
    caller: Allowed<can::CreateRelease>,
    body: Result<Body<CreateRelease>, ApiError>,
) -> Result<(StatusCode, [(HeaderName, String); 1], Json<CreatedRelease>), ApiError> {
    let created = releases::create(&app, &caller, body?.value).await?;
    let location = [(header::LOCATION, format!("/v1/releases/{}", created.id))];
    Ok((StatusCode::ACCEPTED, location, Json(created)))
}

/// Get a release
///
/// Returns a release with its build steps and diagnostics.
#[utoipa::path(
    get,
    path = "/v1/releases/{releaseId}",
    tag = "Releases",
    operation_id = "getRelease",
    params(ReleasePath),
    responses(
        (status = 200, description = "The release.", body = ReleaseDetails),
        (status = 404, description = "Release not found.", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<ApiState>,
    caller: Allowed<can::GetRelease>,
    Path(ReleasePath { release_id }): Path<ReleasePath>,
) -> Result<Json<ReleaseDetails>, ApiError> {
    Ok(Json(releases::get(&app, &caller, &release_id).await?))
}

/// Activate a release
///
/// Activates a ready release of a whole site, such as an earlier one. It stays active until a newer
/// commit is released.
#[utoipa::path(
    post,
    path = "/v1/releases/{releaseId}/activate",
    tag = "Releases",
    operation_id = "activateRelease",
    params(ReleasePath),
    responses(
        (status = 200, description = "The active release.", body = Release),
        (status = 404, description = "Release not found.", body = Error),
        (status = 409, description = "The release isn't ready, or isn't of a whole site.", body = Error),
    ),
)]
pub(crate) async fn activate(
    State(app): State<ApiState>,
    caller: Allowed<can::ActivateRelease>,
    Path(ReleasePath { release_id }): Path<ReleasePath>,
) -> Result<Json<Release>, ApiError> {
    Ok(Json(releases::activate(&app, &caller, &release_id).await?))
}

/// Cancel a release
///
/// Cancels a queued or building release. It fails with the error `canceled`, and so do its exports.
#[utoipa::path(
    post,
    path = "/v1/releases/{releaseId}/cancel",
    tag = "Releases",
    operation_id = "cancelRelease",
    params(ReleasePath),
    responses(
        (status = 200, description = "The canceled release.", body = Release),
        (status = 404, description = "Release not found.", body = Error),
        (status = 409, description = "The release is finished, or its lost bundle is being rebuilt.", body = Error),
    ),
)]
pub(crate) async fn cancel(
    State(app): State<ApiState>,
    caller: Allowed<can::CancelRelease>,
    Path(ReleasePath { release_id }): Path<ReleasePath>,
) -> Result<Json<Release>, ApiError> {
    Ok(Json(releases::cancel(&app, &caller, &release_id).await?))
}

/// Get the log of a release
///
/// Returns the steps of a release with their times, and its diagnostics, as plain text.
#[utoipa::path(
    get,
    path = "/v1/releases/{releaseId}/log",
    tag = "Releases",
    operation_id = "getReleaseLog",
    params(ReleasePath),
    responses(
        (status = 200, description = "The log.", body = String, content_type = "text/plain"),
        (status = 404, description = "Release not found.", body = Error),
    ),
)]
pub(crate) async fn log(
    State(app): State<ApiState>,
    caller: Allowed<can::GetReleaseLog>,
    Path(ReleasePath { release_id }): Path<ReleasePath>,
) -> Result<String, ApiError> {
    Ok(releases::log(&app, &caller, &release_id).await?)
}

/// Compare a release
///
/// Returns the pages that a ready release adds, changes, moves, and removes, and the diagnostics that are new and
/// resolved in it.
#[utoipa::path(
    get,
    path = "/v1/releases/{releaseId}/changes",
    tag = "Releases",
    operation_id = "getReleaseChanges",
    params(ReleasePath, ComparedWith),
    responses(
        (status = 200, description = "The pages that differ.", body = ReleaseChanges),
        (status = 404, description = "Release not found.", body = Error),
        (status = 409, description = "One of the two releases isn't ready or can't be compared.", body = Error),
        (status = 429, description = "Other releases are being compared.", body = Error, headers(("Retry-After" = i64))),
    ),
)]
pub(crate) async fn changes(
    State(app): State<ApiState>,
    caller: Allowed<can::GetReleaseChanges>,
    Path(ReleasePath { release_id }): Path<ReleasePath>,
    with: Result<Query<ComparedWith>, ApiError>,
) -> Result<Json<ReleaseChanges>, ApiError> {
    Ok(Json(releases::changes(&app, &caller, &release_id, &with?.0).await?))
}
