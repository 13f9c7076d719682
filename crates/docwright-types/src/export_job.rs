//! Static export jobs and their states.
//!
//! `queued` → `running` → `completed` | `failed`. A job follows its release, which a worker builds: one of the
//! site, or a separate one for some pages or a label.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::timestamp::Timestamp;

/// Warnings that a job stores; the others are only counted.
pub const MAXIMUM_WARNINGS: usize = 100;

/// State of an export job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ExportJobStatus)]
pub enum ExportStatus {
    /// It waits for a worker.
    Queued,
    /// The site is being built.
    Running,
    /// The bundle is available.
    Completed,
    /// It failed; `error` says why.
    Failed,
}

impl ExportStatus {
    /// Its name in the database and the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }
}

impl fmt::Display for ExportStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for ExportStatus {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "queued" => Ok(Self::Queued),
            "running" => Ok(Self::Running),
            "completed" => Ok(Self::Completed),
            "failed" => Ok(Self::Failed),
            other => Err(format!("`{other}` is not a state of an export job")),
        }
    }
}

/// A diagnostic in a page that did not stop an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportDiagnostic {
    /// Source file of the page.
    pub page: String,
    /// 1-based line; 0 for the whole file.
    pub line: u32,
    /// What is wrong.
    pub message: String,
}

/// The bundle of a completed job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBundle {
    /// Key in object storage.
    pub key: String,
    /// Length in bytes.
    pub size: i64,
    /// SHA-256, in hex.
    pub sha256: String,
    /// Commit of the bundle, if known.
    pub commit: Option<String>,
}

/// A static export job.
#[derive(Debug, Clone)]
pub struct ExportJob {
    /// Its id.
    pub id: String,
    /// The organization it belongs to.
    pub organization_id: String,
    /// The project that is exported.
    pub project_id: String,
    /// The requested domain.
    pub domain: String,
    /// The caller's label.
    pub version: Option<String>,
    /// Pages to export; `None` for all.
    pub paths: Option<Vec<String>>,
    /// The deployment that it is for, if one was named.
    pub deployment_id: Option<String>,
    /// Its state.
    pub status: ExportStatus,
    /// 0 to 100; never decreases.
    pub progress: i64,
    /// Pages rendered so far.
    pub page_count: i64,
    /// The first diagnostics.
    pub warnings: Vec<ExportDiagnostic>,
    /// Number of diagnostics.
    pub warning_count: i64,
    /// Why it failed.
    pub error: Option<String>,
    /// Its bundle, once completed.
    pub bundle: Option<StoredBundle>,
    /// The release with its bundle; `None` for jobs from before there were releases.
    pub release_id: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::ExportStatus;

    #[test]
    fn states_are_stored_by_name_and_read_back() {
        for (status, name) in [
            (ExportStatus::Queued, "queued"),
            (ExportStatus::Running, "running"),
            (ExportStatus::Completed, "completed"),
            (ExportStatus::Failed, "failed"),
        ] {
            assert_eq!(status.to_string(), name);
            assert_eq!(name.parse(), Ok(status));
        }
        let error = "done".parse::<ExportStatus>().unwrap_err();
        assert!(error.contains("`done`"), "{error}");
    }
}
