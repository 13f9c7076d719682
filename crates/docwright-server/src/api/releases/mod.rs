//! Releases: what was built of the commits of projects.

pub(super) mod activate;
pub(super) mod changes;
pub(super) mod create;
pub(super) mod get;
pub(super) mod list;
pub(super) mod of_domain;

use docwright_domain::{release, timestamp::iso};
use docwright_repository::web::WebRepository;
use docwright_storage::database::Project;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::web;
use crate::{
    authorize::{Caller, no_project},
    error::ApiError,
    state::AppState,
};

/// What was built of a commit, or is to be.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Release {
    /// Identifier of the release.
    #[schema(example = "rel_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    id: String,
    /// The project that it is of.
    #[schema(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: String,
    /// Where it stands.
    #[schema(example = "ready")]
    status: ReleaseStatus,
    /// Whether its site serves it.
    active: bool,
    /// The commit, once it is known.
    #[schema(example = "8f2c1e0b9a7d6c5b4a39281706f5e4d3c2b1a098")]
    commit: Option<String>,
    /// The commit on the page of the repository's host, where that is known.
    #[schema(
        format = "uri",
        example = "https://github.com/acme/docs/commit/8f2c1e0b9a7d6c5b4a39281706f5e4d3c2b1a098"
    )]
    commit_url: Option<String>,
    /// The branch that it was the newest commit of.
    #[schema(example = "main")]
    branch: Option<String>,
    /// First line of the message of the commit.
    #[schema(example = "Say how to install it")]
    message: Option<String>,
    /// Who wrote the commit.
    #[schema(example = "Ada Lovelace")]
    author: Option<String>,
    /// How many files the commit changed.
    #[schema(example = 3)]
    files_changed: Option<i64>,
    /// Whether it is of a whole site without a label, so that it can be served.
    is_whole: bool,
    /// The label of the export that it was made for.
    #[schema(example = "2026.11")]
    version: Option<String>,
    /// What asked for it, such as `push`.
    #[schema(example = "push")]
    trigger: &'static str,
    /// How far it is, in percent; never goes back.
    #[schema(minimum = 0, maximum = 100, example = 100)]
    progress: i64,
    /// Pages built so far.
    #[schema(example = 120)]
    pages: i64,
    /// Mistakes in pages.
    #[schema(example = 1)]
    warnings: i64,
    /// Why it failed.
    #[schema(example = json!(null))]
    error: Option<String>,
    /// When it was asked for.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it ended.
    #[schema(format = DateTime)]
    ended_at: Option<String>,
}

/// Where a release stands.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ReleaseStatus {
    /// It waits for a worker.
    Queued,
    /// The site is being built.
    Building,
    /// It is there, and can be active.
    Ready,
    /// It can't be built; `error` says why.
    Failed,
    /// A newer commit of the branch came first.
    Superseded,
    /// Another release holds the same pages already.
    Skipped,
}

/// A release.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct ReleasePath {
    /// Identifier of the release.
    #[param(example = "rel_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    release_id: String,
}

impl From<release::ReleaseStatus> for ReleaseStatus {
    fn from(status: release::ReleaseStatus) -> Self {
        match status {
            release::ReleaseStatus::Queued => Self::Queued,
            release::ReleaseStatus::Building => Self::Building,
            release::ReleaseStatus::Ready => Self::Ready,
            release::ReleaseStatus::Failed => Self::Failed,
            release::ReleaseStatus::Superseded => Self::Superseded,
            release::ReleaseStatus::Skipped => Self::Skipped,
        }
    }
}

impl From<ReleaseStatus> for release::ReleaseStatus {
    fn from(status: ReleaseStatus) -> Self {
        match status {
            ReleaseStatus::Queued => Self::Queued,
            ReleaseStatus::Building => Self::Building,
            ReleaseStatus::Ready => Self::Ready,
            ReleaseStatus::Failed => Self::Failed,
            ReleaseStatus::Superseded => Self::Superseded,
            ReleaseStatus::Skipped => Self::Skipped,
        }
    }
}

impl Release {
    fn of(release: release::Release, active: bool, web: Option<&WebRepository>) -> Self {
        let sha = release.commit.sha.as_deref();
        Self {
            commit_url: sha.and_then(|sha| Some(web?.commit(sha).into())),
            branch: release.commit.branch,
            files_changed: release.commit.files_changed,
            is_whole: release.servable,
            version: release.version,
            progress: release.progress,
            ended_at: release.ended_at.map(iso),
            id: release.id,
            project_id: release.project_id,
            status: release.status.into(),
            active,
            commit: release.commit.sha,
            message: release.commit.message,
            author: release.commit.author,
            trigger: release.trigger.name(),
            pages: release.page_count,
            warnings: release.warning_count,
            error: release.error,
            created_at: iso(release.created_at),
        }
    }

    /// A release as it is now.
    async fn read(app: &AppState, caller: &Caller, id: &str) -> Result<Self, ApiError> {
        let release = find(app, caller, id).await?;
        let site = app.database.site(&release.site_id).await?;
        let active = site.and_then(|site| site.active_release_id);
        let is_active = active.as_deref() == Some(&release.id);
        let project = project_of(app, &release).await?;
        Ok(Self::of(release, is_active, web::of_project(app, &project).as_ref()))
    }
}

/// The project of a release.
async fn project_of(app: &AppState, release: &release::Release) -> Result<Project, ApiError> {
    Ok(app.database.project(&release.project_id).await?.ok_or_else(no_project)?)
}

/// The release of an id, if the caller reaches its project.
async fn find(app: &AppState, caller: &Caller, id: &str) -> Result<release::Release, ApiError> {
    let release = app.database.release(id).await?;
    let own = release.filter(|own| caller.reaches(&own.organization_id, &own.project_id));
    own.ok_or_else(|| ApiError::NotFound(format!("There is no release {id}.")))
}
