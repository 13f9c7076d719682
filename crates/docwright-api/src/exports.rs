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
    /// Identifier of the job, which starting it answered.
    #[param(example = "exp_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    job_id: String,
}

/// List static exports
///
/// The static export jobs of a project, newest first, a page at a time.
#[utoipa::path(
    get,
    path = "/v1/static-export/jobs",
    tag = "Static export",
    operation_id = "listStaticExports",
    params(ListStaticExports, Page),
    responses(
        (status = 200, description = "A page of jobs", body = StaticExportJobList),
        (status = 404, description = "There is no such project", body = Error),
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
/// Asks for the site of a domain as one archive. The answer is the job; poll it at the address in
/// `Location` until its `status` is `completed` or `failed`.
///
/// Without `version` and `paths` the export is a release of the newest commit. It is built once, however
/// often it is asked for, and becomes what the domain serves, unless the project says otherwise.
#[utoipa::path(
    post,
    path = "/v1/static-export/jobs",
    tag = "Static export",
    operation_id = "startStaticExport",
    request_body = StartExport,
    params(IdempotencyKey),
    responses(
        (status = 202, description = "The job is queued", body = StaticExportJob,
            headers(("Location" = String, description = "Where to poll the job"))),
        (status = 400, description = "The body is malformed, a field is invalid, or `paths` names an unknown page", body = Error),
        (status = 403, description = "The key or the plan does not allow it", body = Error),
        (status = 404, description = "Nobody has configured the domain", body = Error),
        (status = 409, description = "The Idempotency-Key was used with another body, or `paths` can't be checked", body = Error),
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
/// How far a static export is. Poll this until `status` is `completed` or `failed`. Diagnostics in pages don't
/// fail an export; they are in `warnings`.
#[utoipa::path(
    get,
    path = "/v1/static-export/jobs/{jobId}",
    tag = "Static export",
    operation_id = "getStaticExport",
    params(ExportPath),
    responses(
        (status = 200, description = "The job", body = StaticExportJob),
        (status = 403, description = "The key or the plan does not allow it", body = Error),
        (status = 404, description = "There is no such job", body = Error),
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
/// A fresh link to the archive of a completed export. The link needs no key and ends at `expiresAt`; ask
/// again for another one. The bytes behind it stay the same, and `sha256` is their hash. Only where storage lost
/// the bundle, it is built again: the job runs until then, and `sha256` can differ.
#[utoipa::path(
    post,
    path = "/v1/static-export/jobs/{jobId}/bundle",
    tag = "Static export",
    operation_id = "createExportBundle",
    params(ExportPath),
    responses(
        (status = 200, description = "The link", body = ExportBundle),
        (status = 403, description = "The key or the plan does not allow it", body = Error),
        (status = 404, description = "There is no such job", body = Error),
        (status = 409, description = "The job is not completed", body = Error),
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
