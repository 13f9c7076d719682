//! `GET /v1/static-export/jobs`.

use axum::{Json, extract::State};
use docwright_domain::export_job::ExportStatus;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{ExportJobStatus, StaticExportJob};
use crate::{
    api::paging::{Page, Search},
    authorize::Reader,
    error::{ApiError, Error},
    parameters::Query,
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
    /// Only those that stand here.
    #[param(inline, value_type = ExportJobStatus, required = false)]
    status: Option<ExportJobStatus>,
    /// Only those whose domain begins so, in any case of ASCII letters. Those with the same one stand together then.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "docs.")]
    search: Option<Search>,
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
    params(Filter, Page),
    responses(
        (status = 200, description = "A page of jobs", body = StaticExportJobList),
        (status = 404, description = "There is no such project", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Reader,
    filter: Result<Query<Filter>, ApiError>,
    page: Result<Page, ApiError>,
) -> Result<Json<StaticExportJobList>, ApiError> {
    let (Query(Filter { project_id, status, search }), page) = (filter?, page?);
    let project = caller.project(&app, &project_id).await?;
    let wanted = page.searched(search.as_ref());
    let status = status.map(ExportStatus::from);
    let jobs = app.database.export_jobs(&project.id, status, wanted).await?;
    let (jobs, next_cursor) = page.cut(jobs, |job| wanted.position(Some(&job.domain), &job.id));
    let jobs = jobs.into_iter().map(StaticExportJob::from).collect();
    Ok(Json(StaticExportJobList { jobs, next_cursor }))
}
