//! `GET /v1/static-export/jobs/{jobId}`.

use axum::{
    Json,
    extract::{Path, State},
};

use super::StaticExportJob;
use crate::{
    authorize::Caller,
    error::{ApiError, Error},
    state::AppState,
};

/// The state of a static export job. Poll until `status` is `completed` or `failed`.
#[utoipa::path(
    get,
    path = "/v1/static-export/jobs/{jobId}",
    tag = "Static export",
    params(("jobId" = String, Path, description = "Identifier that starting the job returned")),
    responses(
        (status = 200, description = "The job", body = StaticExportJob, headers(("X-Request-Id" = String, description = "Id of the request"))),
        (status = 401, description = "No key, or one that is unknown, revoked or expired", body = Error, headers(("WWW-Authenticate" = String))),
        (status = 403, description = "The key or the plan does not allow it", body = Error),
        (status = 404, description = "There is no such job", body = Error),
        (status = 500, description = "A fault of the server's own", body = Error),
        (status = 503, description = "The database does not answer", body = Error, headers(("Retry-After" = String))),
    ),
    security(("key" = []))
)]
pub(crate) async fn status(
    State(app): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<StaticExportJob>, ApiError> {
    caller.require_static_export()?;
    let job = app.database.export_job(&caller.organization.id, &id).await?;
    let job = job.ok_or_else(|| ApiError::NotFound(format!("There is no export job {id}.")))?;
    Ok(Json(job.into()))
}
