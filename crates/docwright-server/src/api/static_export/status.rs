//! `GET /v1/static-export/jobs/{jobId}`.

use axum::{Json, extract::State};

use super::{ExportPath, StaticExportJob, find};
use crate::{
    authorize::Reader,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// Get a static export
///
/// How far a static export is. Poll this until `status` is `completed` or `failed`. Mistakes in pages don't
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
pub(crate) async fn status(
    State(app): State<AppState>,
    caller: Reader,
    Path(ExportPath { job_id: id }): Path<ExportPath>,
) -> Result<Json<StaticExportJob>, ApiError> {
    let job = find(&app, &caller, &id).await?;
    Ok(Json(job.into()))
}
