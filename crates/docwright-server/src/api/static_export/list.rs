//! `GET /v1/static-export/jobs`.

use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::StaticExportJob;
use crate::{
    api::paging::{Length, MAXIMUM},
    authorize::Reader,
    error::{ApiError, Error},
    parameters::{Number, Query},
    state::AppState,
};

/// Which jobs to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// The project whose sites were exported.
    #[param(value_type = String, pattern = r"^[^\x00]*$", example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: String,
    /// How many jobs a page has at most; 20 if left out.
    #[param(value_type = i64, required = false, minimum = 1, maximum = 100)]
    limit: Option<Number<1, MAXIMUM>>,
    /// The `nextCursor` of the page before; the first page if left out.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$")]
    cursor: Option<String>,
}

/// A page of static export jobs, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StaticExportJobList {
    /// The jobs.
    jobs: Vec<StaticExportJob>,
    /// What to ask for the next page with; null on the last one.
    next_cursor: Option<String>,
}

/// List static exports
///
/// The static export jobs of a project, newest first, a page at a time.
#[utoipa::path(
    get,
    path = "/v1/static-export/jobs",
    tag = "Static export",
    operation_id = "listStaticExports",
    security(("key" = ["read"])),
    params(Filter),
    responses(
        (status = 200, description = "A page of jobs", body = StaticExportJobList),
        (status = 404, description = "There is no such project", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Reader,
    filter: Result<Query<Filter>, ApiError>,
) -> Result<Json<StaticExportJobList>, ApiError> {
    let Query(Filter { project_id, limit, cursor }) = filter?;
    let project = caller.project(&app, &project_id).await?;
    let length = Length::of(limit);
    let jobs = app.database.export_jobs(&project.id, cursor.as_deref(), length.read()).await?;
    let (jobs, next_cursor) = length.page(jobs, |job| job.id.clone());
    let jobs = jobs.into_iter().map(StaticExportJob::from).collect();
    Ok(Json(StaticExportJobList { jobs, next_cursor }))
}
