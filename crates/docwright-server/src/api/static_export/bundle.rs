//! `POST /v1/static-export/jobs/{jobId}/bundle`.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, header},
};
use docwright_domain::{export_job::ExportStatus, timestamp::iso};
use serde::Serialize;
use utoipa::ToSchema;

use super::ExportPath;
use crate::{
    authorize::Caller,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// A link to the bundle of a job.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportBundle {
    /// Identifier of the job.
    job_id: String,
    /// Presigned link to the archive; needs no key.
    #[schema(format = "uri")]
    bundle_url: String,
    /// Length of the archive in bytes.
    size_bytes: i64,
    /// SHA-256 of the archive, in hex.
    sha256: String,
    /// When the link stops being valid.
    #[schema(format = DateTime)]
    expires_at: String,
}

/// A fresh link to the bundle of a completed job. The bytes behind it stay the same.
#[utoipa::path(
    post,
    path = "/v1/static-export/jobs/{jobId}/bundle",
    tag = "Static export",
    params(ExportPath),
    responses(
        (status = 200, description = "The link", body = ExportBundle),
        (status = 403, description = "The key or the plan does not allow it", body = Error),
        (status = 404, description = "There is no such job", body = Error),
        (status = 409, description = "The job is not completed", body = Error),
    ),
)]
pub(crate) async fn bundle(
    State(app): State<AppState>,
    caller: Caller,
    Path(ExportPath { job_id: id }): Path<ExportPath>,
    headers: HeaderMap,
) -> Result<Json<ExportBundle>, ApiError> {
    caller.require_static_export()?;
    let job = app.database.export_job(&caller.organization.id, &id).await?;
    let job = job.ok_or_else(|| ApiError::NotFound(format!("There is no export job {id}.")))?;
    let Some(bundle) = job.bundle.filter(|_| job.status == ExportStatus::Completed) else {
        return Err(ApiError::Conflict(match job.error {
            Some(error) => format!("The job has failed and has no bundle: {error}."),
            None => format!("The job is {}; ask again when it is completed.", job.status),
        }));
    };
    let now = app.now();
    let expires_at = now + app.link_lifetime;
    let server = base_url(&app, &headers);
    Ok(Json(ExportBundle {
        job_id: job.id,
        bundle_url: app.objects.link(&bundle.key, &server, (now, expires_at)).await?,
        size_bytes: bundle.size,
        sha256: bundle.sha256,
        expires_at: iso(expires_at),
    }))
}

/// The configured address, or the one that this request was sent to.
fn base_url(app: &AppState, headers: &HeaderMap) -> String {
    app.public_url.clone().unwrap_or_else(|| {
        let host =
            headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("127.0.0.1");
        format!("http://{host}")
    })
}
