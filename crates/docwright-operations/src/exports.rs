//! Static exports: the sites of domains as bundles.

mod start;

use docwright_types::{
    export_job::{ExportDiagnostic, ExportJob, ExportStatus},
    timestamp::iso,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    Allowed, Caller, Listed, OperationError, Operations, can,
    listed::Item,
    lists::{Page, Search},
};

pub use start::{BasePath, PagePath, Paths, StartExport, start};

/// A static export job.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StaticExportJob {
    /// ID of the job.
    #[schema(example = "exp_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub job_id: String,
    /// ID of the project.
    #[schema(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub project_id: String,
    /// Domain of the site.
    #[schema(example = "docs.example.com")]
    pub domain: String,
    /// State of the export.
    pub status: ExportStatus,
    /// Progress in percent. It never decreases.
    #[schema(minimum = 0, maximum = 100, example = 45)]
    pub progress: i64,
    /// Number of pages rendered so far. For a completed export, of all pages.
    #[schema(example = 120)]
    pub page_count: i64,
    /// Time when the job was created.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Time of the last change.
    #[schema(format = DateTime)]
    pub updated_at: String,
    /// Reason for the failure.
    #[schema(example = json!(null))]
    pub error: Option<String>,
    /// Label of the export.
    #[schema(example = "2026.11")]
    pub version: Option<String>,
    /// Exported pages; null for all pages.
    #[schema(example = json!(["quickstart"]))]
    pub paths: Option<Vec<String>>,
    /// ID of the deployment that the bundle is made for; null if the request named none.
    #[schema(example = "dpl_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub deployment_id: Option<String>,
    /// ID of the release that has the bundle.
    #[schema(example = "rel_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub release_id: Option<String>,
    /// The first 100 diagnostics in pages. Diagnostics don't fail an export.
    pub warnings: Vec<Warning>,
    /// Total number of diagnostics.
    #[schema(example = 1)]
    pub warning_count: i64,
}

/// A diagnostic in a page.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Warning {
    /// Path of the source file.
    #[schema(example = "guides/start.mdx")]
    pub page: String,
    /// Line number; 0 for the whole file.
    #[schema(example = 14)]
    pub line: u32,
    /// Text of the diagnostic.
    #[schema(example = "page `guides/setup` not found")]
    pub message: String,
}

/// Which jobs to list.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ListStaticExports {
    /// ID of the project.
    #[param(value_type = String, pattern = r"^[^\x00]*$", example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub project_id: String,
    /// Return only jobs in this state.
    #[param(inline, value_type = ExportStatus, required = false)]
    pub status: Option<ExportStatus>,
    /// Return only jobs whose domain starts with this text, grouped by domain. The case of ASCII
    /// letters is ignored.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "docs.")]
    pub search: Option<Search>,
}

/// A link to the bundle of an export.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExportBundle {
    /// ID of the job.
    #[schema(example = "exp_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub job_id: String,
    /// Presigned URL of the bundle. It works without a key.
    #[schema(
        format = "uri",
        example = "https://docwright.example.com/objects/rel_1/1/bundle.tar.gz?expires=1790000000000&signature=0a1b2c3d4e5f60718293a4b5c6d7e8f9"
    )]
    pub bundle_url: String,
    /// Size of the bundle in bytes.
    #[schema(example = 1_482_311)]
    pub size_bytes: i64,
    /// SHA-256 hash of the bundle, in hex.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    pub sha256: String,
    /// Time when the link expires.
    #[schema(format = DateTime)]
    pub expires_at: String,
}

/// A page of static export jobs, newest first.
pub type StaticExportJobList = Listed<StaticExportJob>;

impl Item for StaticExportJob {
    const LIST: &'static str = "StaticExportJobList";
    const FIELD: &'static str = "jobs";
    const PAGE: &'static str = "A page of static export jobs, newest first.";
}

/// Lists the static exports of a project.
pub async fn list(
    operations: &Operations,
    caller: &Allowed<can::ListStaticExports>,
    filter: &ListStaticExports,
    page: &Page,
) -> Result<StaticExportJobList, OperationError> {
    let project = caller.project(operations, &filter.project_id).await?;
    let page = page.of(("exports", filter))?;
    let wanted = page.searched(filter.search.as_ref());
    let jobs = operations.database.export_jobs(&project.id, filter.status, wanted).await?;
    let position = |job: &ExportJob| wanted.position(Some(&job.domain), &job.id);
    Ok(page.cut(jobs, position, StaticExportJob::from))
}

/// Returns a static export.
pub async fn get(
    operations: &Operations,
    caller: &Allowed<can::GetStaticExport>,
    id: &str,
) -> Result<StaticExportJob, OperationError> {
    Ok(find(operations, caller, id).await?.into())
}

/// Returns a link to the bundle of a completed export. `server` is the address of the request, for instances
/// without a public URL.
pub async fn bundle(
    operations: &Operations,
    caller: &Allowed<can::CreateExportBundle>,
    id: &str,
    server: Option<&str>,
) -> Result<ExportBundle, OperationError> {
    let mut job = find(operations, caller, id).await?;
    if let Some(bundle) = job.bundle.as_ref().filter(|_| job.status == ExportStatus::Completed)
        && operations.lost_bundles.is_lost(&bundle.key).await?
    {
        job = find(operations, caller, id).await?;
    }
    let had_bundle = job.bundle.is_some();
    let Some(bundle) = job.bundle.filter(|_| job.status == ExportStatus::Completed) else {
        return Err(OperationError::Conflict(match job.error {
            Some(error) => format!("The export failed and has no bundle: {error}."),
            None if had_bundle => "The bundle of this job was lost and is being rebuilt. Wait until the job is completed."
                .to_owned(),
            None => format!("The export is {}. Wait until it is completed.", job.status),
        }));
    };
    let now = operations.now();
    let expires_at = now + operations.link_lifetime;
    let server = operations.public_url.as_deref().or(server);
    let server = server.unwrap_or(&operations.repositories.public_url);
    Ok(ExportBundle {
        job_id: job.id,
        bundle_url: operations.objects.link(&bundle.key, server, (now, expires_at)).await?,
        size_bytes: bundle.size,
        sha256: bundle.sha256,
        expires_at: iso(expires_at),
    })
}

/// The job with an ID, if the caller can access its project.
async fn find(
    operations: &Operations,
    caller: &Caller,
    id: &str,
) -> Result<ExportJob, OperationError> {
    let job = operations.database.export_job(id).await?;
    let own = job.filter(|job| caller.reaches(&job.organization_id, &job.project_id));
    own.ok_or_else(|| OperationError::NotFound(format!("Export {id} not found.")))
}

impl StaticExportJob {
    /// Whether it is queued or running.
    pub fn is_running(&self) -> bool {
        matches!(self.status, ExportStatus::Queued | ExportStatus::Running)
    }
}

impl From<ExportJob> for StaticExportJob {
    fn from(job: ExportJob) -> Self {
        let warnings = job
            .warnings
            .into_iter()
            .map(|ExportDiagnostic { page, line, message }| Warning { page, line, message });
        Self {
            job_id: job.id,
            project_id: job.project_id,
            domain: job.domain,
            status: job.status,
            progress: job.progress,
            page_count: job.page_count,
            created_at: iso(job.created_at),
            updated_at: iso(job.updated_at),
            error: job.error,
            version: job.version,
            paths: job.paths,
            deployment_id: job.deployment_id,
            release_id: job.release_id,
            warnings: warnings.collect(),
            warning_count: job.warning_count,
        }
    }
}
