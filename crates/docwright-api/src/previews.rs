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
    /// ID of the project. The dashboard shows it on the "API keys" page.
    #[param(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: String,
    /// ID of the preview.
    #[param(example = "prv_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    preview_id: String,
}

/// List previews
///
/// Returns a page of the project's previews, newest first. Closed previews are listed for 30 days.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}/previews",
    tag = "Previews",
    operation_id = "listPreviews",
    params(ProjectPath, ListPreviews, Page),
    responses(
        (status = 200, description = "A page of previews.", body = PreviewList),
        (status = 404, description = "Project not found.", body = Error),
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
/// Builds the latest commit of a branch as a site with a URL that can't be guessed. Each branch
/// keeps its URL. To follow the build, poll the URL in `Location`.
///
/// An organization can start 5 previews per minute.
#[utoipa::path(
    post,
    path = "/v1/project/preview/{projectId}",
    tag = "Previews",
    operation_id = "startPreview",
    params(ProjectPath, IdempotencyKey),
    request_body = NewPreview,
    responses(
        (status = 202, description = "The queued preview.", body = StartedPreviewBody, headers(("Location" = String, description = "URL to poll for the update."), ("RateLimit" = String), ("RateLimit-Policy" = String))),
        (status = 404, description = "Project not found.", body = Error),
        (status = 409, description = "Previews are unavailable on this instance, or the Idempotency-Key was used with a different request.", body = Error),
        (status = 429, description = "The organization started 5 previews within a minute.", body = Error, headers(("Retry-After" = i64), ("RateLimit" = String), ("RateLimit-Policy" = String))),
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
/// Returns a preview with its URL, its state, and its new diagnostics.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}/previews/{previewId}",
    tag = "Previews",
    operation_id = "getPreview",
    params(PreviewPath),
    responses(
        (status = 200, description = "The preview.", body = PreviewDetails),
        (status = 404, description = "Project or preview not found.", body = Error),
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
/// Closes a preview. Its URL stops working. The preview opens again when someone pushes to its pull
/// request or requests a preview of its branch. Closing a closed preview has no effect.
#[utoipa::path(
    delete,
    path = "/v1/projects/{projectId}/previews/{previewId}",
    tag = "Previews",
    operation_id = "closePreview",
    params(PreviewPath),
    responses(
        (status = 204, description = "Preview closed."),
        (status = 404, description = "Project or preview not found.", body = Error),
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

/// Set the password of previews
///
/// Sets the password of all previews of the project, open ones included. Readers who entered an
/// earlier password must enter the new one.
#[utoipa::path(
    put,
    path = "/v1/projects/{projectId}/preview-password",
    tag = "Previews",
    operation_id = "setPreviewPassword",
    params(ProjectPath),
    request_body = PreviewPassword,
    responses(
        (status = 204, description = "Password set."),
        (status = 404, description = "Project not found.", body = Error),
        (status = 429, description = "Too many passwords are being checked.", body = Error, headers(("Retry-After" = i64))),
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

/// Remove the password of previews
///
/// Removes the password of the project's previews.
#[utoipa::path(
    delete,
    path = "/v1/projects/{projectId}/preview-password",
    tag = "Previews",
    operation_id = "removePreviewPassword",
    params(ProjectPath),
    responses(
        (status = 204, description = "Password removed."),
        (status = 404, description = "Project not found.", body = Error),
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
