//! Previews.

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use docwright_http::{
    error::{ApiError, Error},
    parameters::{Path, Query},
    rate_limit,
};
use docwright_operations::{
    Allowed, can,
    lists::Page,
    previews::{
        self, ListPreviews, NewPreview, PreviewDetails, PreviewList, PreviewPassword,
        StartedPreviewBody,
    },
    rate_limit::RateLimit,
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{
    ProjectPath,
    body::{Body, IdempotencyKey},
};
use crate::state::ApiState;

/// A preview of a project.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct PreviewPath {
    /// Identifier of the project. The dashboard shows it on the "API keys" page.
    #[param(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: String,
    /// Identifier of the preview.
    #[param(example = "prv_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    preview_id: String,
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
    params(ProjectPath, ListPreviews, Page),
    responses(
        (status = 200, description = "A page of previews", body = PreviewList),
        (status = 404, description = "There is no such project", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<ApiState>,
    caller: Allowed<can::ListPreviews>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    filter: Result<Query<ListPreviews>, ApiError>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<PreviewList>, ApiError> {
    Ok(Json(previews::list(&app, &caller, &project_id, &filter?.0, &page?.0).await?))
}

/// Preview a branch
///
/// Builds the newest commit of a branch into a site of its own, under an address that nobody can guess. The
/// same branch again has the same address. Poll the address in `Location` for what becomes of the build.
///
/// An organization can ask for 5 previews in a minute.
#[utoipa::path(
    post,
    path = "/v1/project/preview/{projectId}",
    tag = "Previews",
    operation_id = "startPreview",
    params(ProjectPath, IdempotencyKey),
    request_body = NewPreview,
    responses(
        (status = 202, description = "The preview is queued", body = StartedPreviewBody, headers(("Location" = String, description = "Where to poll the update"), ("RateLimit" = String), ("RateLimit-Policy" = String))),
        (status = 404, description = "There is no such project", body = Error),
        (status = 409, description = "This instance has no previews, or the Idempotency-Key was used for another request", body = Error),
        (status = 429, description = "The organization has asked for 5 previews within a minute", body = Error, headers(("Retry-After" = i64), ("RateLimit" = String), ("RateLimit-Policy" = String))),
    ),
)]
pub(crate) async fn start(
    State(app): State<ApiState>,
    caller: Allowed<can::StartPreview>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    body: Result<Body<NewPreview>, ApiError>,
) -> Result<impl IntoResponse, ApiError> {
    let Body { value, idempotency } = body?;
    let started = previews::start(&app, &caller, &project_id, value, &idempotency).await;
    let (started, allowance) = started?;
    let location = format!("/v1/project/update-status/{}", started.status_id);
    let limit = rate_limit::headers(RateLimit::PREVIEWS, allowance);
    Ok((StatusCode::ACCEPTED, limit, [(header::LOCATION, location)], Json(started)))
}

/// Get a preview
///
/// Where a preview is, how it stands, and which diagnostics are new in it.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}/previews/{previewId}",
    tag = "Previews",
    operation_id = "getPreview",
    params(PreviewPath),
    responses(
        (status = 200, description = "The preview", body = PreviewDetails),
        (status = 404, description = "There is no such project or preview", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<ApiState>,
    caller: Allowed<can::GetPreview>,
    Path(PreviewPath { project_id, preview_id }): Path<PreviewPath>,
) -> Result<Json<PreviewDetails>, ApiError> {
    Ok(Json(previews::get(&app, &caller, (&project_id, &preview_id)).await?))
}

/// Close a preview
///
/// Nothing is served at its address any more. A push to its pull request, or asking for its branch, opens it
/// again. Closing one that is closed does nothing.
#[utoipa::path(
    delete,
    path = "/v1/projects/{projectId}/previews/{previewId}",
    tag = "Previews",
    operation_id = "closePreview",
    params(PreviewPath),
    responses(
        (status = 204, description = "The preview is closed"),
        (status = 404, description = "There is no such project or preview", body = Error),
    ),
)]
pub(crate) async fn close(
    State(app): State<ApiState>,
    caller: Allowed<can::ClosePreview>,
    Path(PreviewPath { project_id, preview_id }): Path<PreviewPath>,
) -> Result<StatusCode, ApiError> {
    previews::close(&app, &caller, (&project_id, &preview_id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Protect previews
///
/// Each preview of the project asks for this password from now on, open ones too. Who gave another one before
/// is asked again.
#[utoipa::path(
    put,
    path = "/v1/projects/{projectId}/preview-password",
    tag = "Previews",
    operation_id = "setPreviewPassword",
    params(ProjectPath),
    request_body = PreviewPassword,
    responses(
        (status = 204, description = "Previews ask for the password"),
        (status = 404, description = "There is no such project", body = Error),
        (status = 429, description = "Too many passwords are being checked", body = Error, headers(("Retry-After" = i64))),
    ),
)]
pub(crate) async fn set_password(
    State(app): State<ApiState>,
    caller: Allowed<can::SetPreviewPassword>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    body: Result<Body<PreviewPassword>, ApiError>,
) -> Result<StatusCode, ApiError> {
    previews::set_password(&app, &caller, &project_id, body?.value).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Open previews
///
/// Previews of the project ask for no password any more.
#[utoipa::path(
    delete,
    path = "/v1/projects/{projectId}/preview-password",
    tag = "Previews",
    operation_id = "removePreviewPassword",
    params(ProjectPath),
    responses(
        (status = 204, description = "Previews ask for no password"),
        (status = 404, description = "There is no such project", body = Error),
    ),
)]
pub(crate) async fn remove_password(
    State(app): State<ApiState>,
    caller: Allowed<can::RemovePreviewPassword>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
) -> Result<StatusCode, ApiError> {
    previews::remove_password(&app, &caller, &project_id).await?;
    Ok(StatusCode::NO_CONTENT)
}
