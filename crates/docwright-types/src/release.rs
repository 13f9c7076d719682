//! Releases: the immutable results of building one commit of a site with one set of options.
//!
//! An interrupted build goes back to `queued`. `ARCHITECTURE.md` has the diagram.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    deployment::Features,
    export_job::{ExportDiagnostic, StoredBundle},
    timestamp::Timestamp,
};

/// State of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReleaseStatus {
    /// It waits for a worker.
    Queued,
    /// The site is being built.
    Building,
    /// It can be activated.
    Ready,
    /// The build failed; `error` says why.
    Failed,
    /// A newer commit of the branch superseded it.
    Superseded,
    /// Another release already has the same pages.
    Skipped,
}

impl ReleaseStatus {
    /// Every state.
    pub const ALL: [Self; 6] =
        [Self::Queued, Self::Building, Self::Ready, Self::Failed, Self::Superseded, Self::Skipped];

    /// Its name in the database and the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Building => "building",
            Self::Ready => "ready",
            Self::Failed => "failed",
            Self::Superseded => "superseded",
            Self::Skipped => "skipped",
        }
    }

    /// Whether its state is final.
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Queued | Self::Building)
    }
}

impl fmt::Display for ReleaseStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for ReleaseStatus {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|status| status.name() == text);
        found.ok_or_else(|| format!("`{text}` is not a state of a release"))
    }
}

/// The trigger of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trigger {
    /// Commits were pushed to the built-in git host.
    Push,
    /// A pull request of the built-in git host was merged.
    Merge,
    /// A poll found a new head.
    Poll,
    /// The API.
    Api,
    /// The operator's shell.
    Manual,
    /// A static export.
    Export,
    /// A preview: its branch has a new head, or someone requested it.
    Preview,
}

impl Trigger {
    /// Every trigger.
    pub const ALL: [Self; 7] =
        [Self::Push, Self::Merge, Self::Poll, Self::Api, Self::Manual, Self::Export, Self::Preview];

    /// Its name in the database and the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Push => "push",
            Self::Merge => "merge",
            Self::Poll => "poll",
            Self::Api => "api",
            Self::Manual => "manual",
            Self::Export => "export",
            Self::Preview => "preview",
        }
    }
}

impl FromStr for Trigger {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|trigger| trigger.name() == text);
        found.ok_or_else(|| format!("`{text}` does not trigger releases"))
    }
}

/// The commit of a release, and its origin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReleaseCommit {
    /// Name of the branch.
    pub branch: Option<String>,
    /// The commit; `None` for a folder with uncommitted changes.
    pub sha: Option<String>,
    /// Git's id of the docs root's contents. Equal ids mean equal files.
    pub docs_tree: Option<String>,
    /// First line of the commit's message.
    pub message: Option<String>,
    /// Its author.
    pub author: Option<String>,
    /// Number of files that it changed.
    pub files_changed: Option<i64>,
}

/// The configuration of a built site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteConfiguration {
    /// Its file.
    pub path: String,
    /// The name that it gives the site.
    pub name: String,
    /// Its theme.
    pub theme: String,
}

/// Error of a release that someone canceled.
pub const CANCELED: &str = "canceled";

/// A release.
#[derive(Debug, Clone)]
pub struct Release {
    /// Its id.
    pub id: String,
    /// Its number among the releases of its project, from 1 on.
    pub number: i64,
    /// Its site.
    pub site_id: String,
    /// Its project.
    pub project_id: String,
    /// The organization that it belongs to.
    pub organization_id: String,
    /// The address of its site at the time of the request; `None` if no service had started yet.
    pub address: Option<String>,
    /// The update that requested it, together with releases of the project's other sites.
    pub update_id: Option<String>,
    /// Its trigger.
    pub trigger: Trigger,
    /// Whether it can be activated. Exports of some pages, with a
    /// label, or for a deployment have separate releases, which can't.
    pub servable: bool,
    /// The caller's label.
    pub version: Option<String>,
    /// The only pages to build; `None` for all.
    pub paths: Option<Vec<String>>,
    /// The deployment that it was requested for; `None` for the project's cloud deployment, or if none was named.
    pub deployment_id: Option<String>,
    /// Its features; `None` for those of the cloud deployment when it is built.
    pub features: Option<Features>,
    /// Its commit, once it is known.
    pub commit: ReleaseCommit,
    /// Position of its head among the recorded heads of the branch; later heads have higher ones.
    pub head_sequence: Option<i64>,
    /// Its state.
    pub status: ReleaseStatus,
    /// 0 to 100.
    pub progress: i64,
    /// Pages rendered so far.
    pub page_count: i64,
    /// The first diagnostics.
    pub warnings: Vec<ExportDiagnostic>,
    /// Number of diagnostics.
    pub warning_count: i64,
    /// Why it failed.
    pub error: Option<String>,
    /// The release that superseded or replaced it.
    pub replaced_by: Option<String>,
    /// Its bundle, once ready.
    pub bundle: Option<StoredBundle>,
    /// Transient errors.
    pub failures: i64,
    /// When it was requested.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it reached its final state.
    pub ended_at: Option<Timestamp>,
    /// When the object of its bundle was found missing, until the bundle is rebuilt.
    pub bundle_lost_at: Option<Timestamp>,
    /// Whether it is built anew, without results of earlier builds.
    pub without_cache: bool,
    /// For how many errors it is held, which the active release doesn't have; `None` if it isn't held.
    pub held_errors: Option<i64>,
    /// The release that was active when it became ready, or before it became active for the first time. It can be gone.
    pub base_id: Option<String>,
}

impl Release {
    /// Whether someone canceled it.
    pub fn is_canceled(&self) -> bool {
        self.status == ReleaseStatus::Failed && self.error.as_deref() == Some(CANCELED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for status in ReleaseStatus::ALL {
            assert_eq!(status.to_string().parse(), Ok(status));
        }
        for trigger in Trigger::ALL {
            assert_eq!(trigger.name().parse(), Ok(trigger));
        }
        assert!("done".parse::<ReleaseStatus>().is_err());
        assert!("wind".parse::<Trigger>().is_err());
    }

    #[test]
    fn two_states_are_not_final() {
        let open: Vec<_> = ReleaseStatus::ALL.into_iter().filter(|each| !each.is_final()).collect();
        assert_eq!(open, [ReleaseStatus::Queued, ReleaseStatus::Building]);
    }
}
