//! Static export jobs and their states.
//!
//! `queued` → `running` → `completed` | `failed`. A job follows its release, which is what a worker
//! builds: one of the site, or one of its own where only some pages or a label were asked for.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::timestamp::Timestamp;

/// Warnings that a job keeps; it counts the others.
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
    /// The bundle is there.
    Completed,
    /// Nothing could be rendered; `error` says why.
    Failed,
}

impl ExportStatus {
    /// As stored and shown.
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

/// Where the bundle of a completed job is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBundle {
    /// Key in object storage.
    pub key: String,
    /// Length in bytes.
    pub size: i64,
    /// SHA-256, in hex.
    pub sha256: String,
    /// Commit that it was made from, if known.
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
    /// The domain as asked for.
    pub domain: String,
    /// The caller's label.
    pub version: Option<String>,
    /// Pages to export; `None` for all.
    pub paths: Option<Vec<String>>,
    /// Its state.
    pub status: ExportStatus,
    /// 0 to 100; never goes back.
    pub progress: i64,
    /// Pages rendered so far.
    pub page_count: i64,
    /// The first diagnostics found.
    pub warnings: Vec<ExportDiagnostic>,
    /// How many were found.
    pub warning_count: i64,
    /// Why it failed.
    pub error: Option<String>,
    /// Its bundle, once completed.
    pub bundle: Option<StoredBundle>,
    /// The release that it gets its bundle from; `None` for one that ended before there were any.
    pub release_id: Option<String>,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When anything about it changed last.
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
