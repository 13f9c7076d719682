//! `POST /v1/static-export/jobs/{jobId}/bundle`.

use axum::{Extension, Json, extract::State};
use docwright_domain::{export_job::ExportStatus, timestamp::iso};
use serde::Serialize;
use utoipa::ToSchema;

use super::{ExportPath, find};
use crate::{
    authority::Authority,
    authorize::Writer,
    client::ClientAddress,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Why a job that was completed gives no link.
const LOST: &str = "The bundle of this job was lost and is being built again. Ask again when the job is completed.";

/// A link to the bundle of a job.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportBundle {
    /// Identifier of the job.
    #[schema(example = "exp_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    job_id: String,
    /// Presigned link to the archive; needs no key.
    #[schema(
        format = "uri",
        example = "https://docwright.example.com/objects/rel_1/1/bundle.tar.gz?expires=1790000000000&signature=0a1b2c3d4e5f60718293a4b5c6d7e8f9"
    )]
    bundle_url: String,
    /// Length of the archive in bytes.
    #[schema(example = 1_482_311)]
    size_bytes: i64,
    /// SHA-256 of the archive, in hex.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    sha256: String,
    /// When the link stops being valid.
    #[schema(format = DateTime)]
    expires_at: String,
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
    State(app): State<AppState>,
    caller: Writer,
    Path(ExportPath { job_id: id }): Path<ExportPath>,
    client: Option<Extension<ClientAddress>>,
    addressed: Option<Extension<Authority>>,
) -> Result<Json<ExportBundle>, ApiError> {
    let mut job = find(&app, &caller, &id).await?;
    if let Some(bundle) = job.bundle.as_ref().filter(|_| job.status == ExportStatus::Completed)
        && app.lost_bundles.is_lost(&bundle.key).await?
    {
        job = find(&app, &caller, &id).await?;
    }
    let had_bundle = job.bundle.is_some();
    let Some(bundle) = job.bundle.filter(|_| job.status == ExportStatus::Completed) else {
        return Err(ApiError::Conflict(match job.error {
            Some(error) => format!("The job has failed and has no bundle: {error}."),
            None if had_bundle => LOST.to_owned(),
            None => format!("The export is {}. Wait until it is completed.", job.status),
        }));
    };
    let now = app.now();
    let expires_at = now + app.link_lifetime;
    let (client, addressed) = (client.map(|each| each.0), addressed.map(|each| each.0));
    let server = base_url(&app, client, addressed);
    Ok(Json(ExportBundle {
        job_id: job.id,
        bundle_url: app.objects.link(&bundle.key, &server, (now, expires_at)).await?,
        size_bytes: bundle.size,
        sha256: bundle.sha256,
        expires_at: iso(expires_at),
    }))
}

/// The configured address, or the one that this request was sent to.
fn base_url(app: &AppState, client: Option<ClientAddress>, addressed: Option<Authority>) -> String {
    if let Some(url) = &app.public_url {
        return url.clone();
    }
    match (client, addressed) {
        (Some(client), Some(addressed)) => format!("{}://{addressed}", client.scheme()),
        // The dashboard asks within the process, where no request names a host.
        _ => app.repositories.public_url.clone(),
    }
}
