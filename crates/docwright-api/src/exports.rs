//! Static exports.

use axum::{
    Extension, Json,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use docwright_http::{
    authority::Authority,
    client::ClientAddress,
    error::{ApiError, Error},
    parameters::{Path, Query},
};
use docwright_operations::{
    Allowed, can,
    exports::{
        self, ExportBundle, ListStaticExports, StartExport, StaticExportJob, StaticExportJobList,
    },
    lists::Page,
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::body::{Body, IdempotencyKey};
use crate::state::ApiState;

/// A static export job.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct ExportPath {
    /// ID of the job, from the response that started it.
    #[param(example = "exp_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    job_id: String,
}

/// List static exports
///
/// Returns a page of the project's static export jobs, newest first.
#[utoipa::path(
    get,
    path = "/v1/static-export/jobs",
    tag = "Static export",
    operation_id = "listStaticExports",
    params(ListStaticExports, Page),
    responses(
        (status = 200, description = "A page of jobs.", body = StaticExportJobList),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<ApiState>,
    caller: Allowed<can::ListStaticExports>,
    filter: Result<Query<ListStaticExports>, ApiError>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<StaticExportJobList>, ApiError> {
    Ok(Json(exports::list(&app, &caller, &filter?.0, &page?.0).await?))
}

/// Start a static export
///
/// Starts a job that exports the site of a domain as one bundle. The response is the job. Poll the
/// URL in `Location` until `status` is `completed` or `failed`.
///
/// The bundle has the features of `deployment`; without one, those that a client-hosted deployment has by default.
/// Without `version` and `paths`, one commit is built only once for the same features, however often you export
/// it. An export for the cloud deployment is also a release of the domain, which serves it when it is ready, unless
/// the project activates releases manually.
#[utoipa::path(
    post,
    path = "/v1/static-export/jobs",
    tag = "Static export",
    operation_id = "startStaticExport",
    request_body = StartExport,
    params(IdempotencyKey),
    responses(
        (status = 202, description = "The queued job.", body = StaticExportJob,
            headers(("Location" = String, description = "URL to poll for the job."))),
        (status = 400, description = "The body is malformed, a field is invalid, or `paths` has an unknown page.", body = Error),
        (status = 403, description = "The key or the plan doesn't allow it.", body = Error),
        (status = 404, description = "The domain isn't configured.", body = Error),
        (status = 409, description = "The Idempotency-Key was used with a different body, or `paths` can't be checked.", body = Error),
    ),
)]
pub(crate) async fn start(
    State(app): State<ApiState>,
    caller: Allowed<can::StartStaticExport>,
    body: Result<Body<StartExport>, ApiError>,
) -> Result<impl IntoResponse, ApiError> {
    let Body { value, idempotency } = body?;
    let job = exports::start(&app, &caller, value, idempotency).await?;
    let location = format!("/v1/static-export/jobs/{}", job.job_id);
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, location)], Json(job)))
}

/// Get a static export
///
/// Returns the progress of a static export. Poll it until `status` is `completed` or `failed`.
/// Diagnostics in pages don't fail an export. They are listed in `warnings`.
#[utoipa::path(
    get,
    path = "/v1/static-export/jobs/{jobId}",
    tag = "Static export",
    operation_id = "getStaticExport",
    params(ExportPath),
    responses(
        (status = 200, description = "The job.", body = StaticExportJob),
        (status = 403, description = "The key or the plan doesn't allow it.", body = Error),
        (status = 404, description = "Job not found.", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<ApiState>,
    caller: Allowed<can::GetStaticExport>,
    Path(ExportPath { job_id }): Path<ExportPath>,
) -> Result<Json<StaticExportJob>, ApiError> {
    Ok(Json(exports::get(&app, &caller, &job_id).await?))
}

/// Get a link to the bundle
///
/// Creates a download link for the bundle of a completed export. The link works without a key until
/// `expiresAt`. Request a new one at any time. The bundle stays the same, and `sha256` is its hash.
/// If storage lost the bundle, docwright builds it again: the job runs until then, and `sha256` can
/// change.
#[utoipa::path(
    post,
    path = "/v1/static-export/jobs/{jobId}/bundle",
    tag = "Static export",
    operation_id = "createExportBundle",
    params(ExportPath),
    responses(
        (status = 200, description = "The link.", body = ExportBundle),
        (status = 403, description = "The key or the plan doesn't allow it.", body = Error),
        (status = 404, description = "Job not found.", body = Error),
        (status = 409, description = "The job isn't completed.", body = Error),
    ),
)]
pub(crate) async fn bundle(
    State(app): State<ApiState>,
    caller: Allowed<can::CreateExportBundle>,
    Path(ExportPath { job_id }): Path<ExportPath>,
    client: Option<Extension<ClientAddress>>,
    addressed: Option<Extension<Authority>>,
) -> Result<Json<ExportBundle>, ApiError> {
    let server =
        client.zip(addressed).map(|(client, host)| format!("{}://{}", client.scheme(), host.0));
    Ok(Json(exports::bundle(&app, &caller, &job_id, server.as_deref()).await?))
}
