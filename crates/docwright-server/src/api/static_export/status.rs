//! `GET /v1/static-export/jobs/{jobId}`.

use axum::{Json, extract::State};

use super::{ExportPath, StaticExportJob};
use crate::{
    authorize::Caller,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// The state of a static export job. Poll until `status` is `completed` or `failed`.
#[utoipa::path(
    get,
    path = "/v1/static-export/jobs/{jobId}",
    tag = "Static export",
    params(ExportPath),
    responses(
        (status = 200, description = "The job", body = StaticExportJob),
        (status = 403, description = "The key or the plan does not allow it", body = Error),
        (status = 404, description = "There is no such job", body = Error),
    ),
)]
pub(crate) async fn status(
    State(app): State<AppState>,
    caller: Caller,
    Path(ExportPath { job_id: id }): Path<ExportPath>,
) -> Result<Json<StaticExportJob>, ApiError> {
    caller.require_static_export()?;
    let job = app.database.export_job(&caller.organization.id, &id).await?;
    let job = job.ok_or_else(|| ApiError::NotFound(format!("There is no export job {id}.")))?;
    Ok(Json(job.into()))
}
