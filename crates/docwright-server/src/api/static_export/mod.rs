//! Static export jobs.

pub(super) mod bundle;
pub(super) mod start;
pub(super) mod status;

use docwright_domain::{
    export_job::{ExportJob, ExportWarning},
    timestamp::iso,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A static export job, as clients see it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StaticExportJob {
    /// Identifier of the job.
    job_id: String,
    /// `queued`, `running`, `completed` or `failed`.
    #[schema(example = "running")]
    status: String,
    /// Percent; never goes back.
    #[schema(minimum = 0, maximum = 100)]
    progress: i64,
    /// Pages rendered so far; all of them once completed.
    page_count: i64,
    /// When the job was asked for.
    #[schema(format = DateTime)]
    created_at: String,
    /// When anything about it changed last.
    #[schema(format = DateTime)]
    updated_at: String,
    /// Why it failed.
    error: Option<String>,
    /// The label it was given.
    version: Option<String>,
    /// The first mistakes found in pages; they do not fail a job.
    warnings: Vec<Warning>,
    /// How many were found.
    warning_count: i64,
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

/// A mistake in a page.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Warning {
    /// Source file.
    page: String,
    /// 1-based line; 0 for the whole file.
    line: u32,
    /// What is wrong.
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
            status: job.status.to_string(),
            progress: job.progress,
            page_count: job.page_count,
            created_at: iso(job.created_at),
            updated_at: iso(job.updated_at),
            error: job.error,
            version: job.version,
            warnings: warnings.collect(),
            warning_count: job.warning_count,
        }
    }
}
