//! Static export jobs.

pub(super) mod bundle;
pub(super) mod list;
pub(super) mod start;
pub(super) mod status;

use docwright_domain::{
    export_job::{ExportJob, ExportStatus, ExportWarning},
    timestamp::iso,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{authorize::Caller, error::ApiError, state::AppState};

/// The export of a site as one archive.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StaticExportJob {
    /// Identifier of the job.
    #[schema(example = "exp_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    job_id: String,
    /// The project whose site it is.
    #[schema(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: String,
    /// The domain whose site it is.
    #[schema(example = "docs.example.com")]
    domain: String,
    /// Where the export stands.
    status: ExportJobStatus,
    /// Percent; never goes back.
    #[schema(minimum = 0, maximum = 100, example = 45)]
    progress: i64,
    /// Pages rendered so far; all of them once completed.
    #[schema(example = 120)]
    page_count: i64,
    /// When the job was asked for.
    #[schema(format = DateTime)]
    created_at: String,
    /// When anything about it changed last.
    #[schema(format = DateTime)]
    updated_at: String,
    /// Why it failed.
    #[schema(example = json!(null))]
    error: Option<String>,
    /// The label that it was given.
    #[schema(example = "2026.11")]
    version: Option<String>,
    /// The only pages that it holds; null for all.
    #[schema(example = json!(["quickstart"]))]
    paths: Option<Vec<String>>,
    /// The release that it gets its bundle from.
    #[schema(example = "rel_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    release_id: Option<String>,
    /// The first 100 mistakes in pages. They don't fail an export.
    warnings: Vec<Warning>,
    /// How many mistakes there are in all.
    #[schema(example = 1)]
    warning_count: i64,
}

/// Where a static export stands.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExportJobStatus {
    /// It waits for a worker.
    Queued,
    /// The site is being built.
    Running,
    /// The bundle is there.
    Completed,
    /// Nothing could be rendered; `error` says why.
    Failed,
}

impl From<ExportStatus> for ExportJobStatus {
    fn from(status: ExportStatus) -> Self {
        match status {
            ExportStatus::Queued => Self::Queued,
            ExportStatus::Running => Self::Running,
            ExportStatus::Completed => Self::Completed,
            ExportStatus::Failed => Self::Failed,
        }
    }
}

impl From<ExportJobStatus> for ExportStatus {
    fn from(status: ExportJobStatus) -> Self {
        match status {
            ExportJobStatus::Queued => Self::Queued,
            ExportJobStatus::Running => Self::Running,
            ExportJobStatus::Completed => Self::Completed,
            ExportJobStatus::Failed => Self::Failed,
        }
    }
}

/// A static export job.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct ExportPath {
    /// Identifier of the job, which starting it answered.
    #[param(example = "exp_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    job_id: String,
}

/// The job of an id, if the caller reaches its project.
async fn find(app: &AppState, caller: &Caller, id: &str) -> Result<ExportJob, ApiError> {
    let job = app.database.export_job(id).await?;
    let own = job.filter(|job| caller.reaches(&job.organization_id, &job.project_id));
    own.ok_or_else(|| ApiError::NotFound(format!("There is no export job {id}.")))
}

/// A mistake in a page.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Warning {
    /// Its source file.
    #[schema(example = "guides/start.mdx")]
    page: String,
    /// The line; 0 for the whole file.
    #[schema(example = 14)]
    line: u32,
    /// What is wrong.
    #[schema(example = "there is no page `guides/setup`")]
    message: String,
}

impl From<ExportJob> for StaticExportJob {
    fn from(job: ExportJob) -> Self {
        let warnings = job
            .warnings
            .into_iter()
            .map(|ExportWarning { page, line, message }| Warning { page, line, message });
        Self {
            job_id: job.id,
            project_id: job.project_id,
            domain: job.domain,
            status: job.status.into(),
            progress: job.progress,
            page_count: job.page_count,
            created_at: iso(job.created_at),
            updated_at: iso(job.updated_at),
            error: job.error,
            version: job.version,
            paths: job.paths,
            release_id: job.release_id,
            warnings: warnings.collect(),
            warning_count: job.warning_count,
        }
    }
}
