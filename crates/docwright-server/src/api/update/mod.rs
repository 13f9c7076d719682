//! Updates of a project: a release of each of its sites, from the newest commit.

pub(super) mod start;
pub(super) mod status;

use docwright_domain::{
    release::{Release, ReleaseStatus},
    timestamp::iso,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// An update of a project.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct UpdatePath {
    /// Identifier of the update, which asking for it answered.
    #[param(example = "upd_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    status_id: String,
}

/// A release of the newest commit for each domain of a project.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Update {
    /// Identifier of the update.
    #[serde(rename = "_id")]
    #[schema(example = "upd_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    id: String,
    /// The project that is updated.
    #[schema(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: String,
    /// When it was asked for.
    #[schema(format = DateTime)]
    created_at: String,
    /// When the last of its releases ended.
    #[schema(format = DateTime)]
    ended_at: Option<String>,
    /// `queued`, `in_progress`, `success`, `failure` or `skipped`.
    #[schema(example = "in_progress")]
    status: &'static str,
    /// What became of it, in a sentence.
    #[schema(example = "The site is being built.")]
    summary: String,
    /// A line for each step of its releases, oldest first, and how far those are that are being built.
    #[schema(example = json!(["2026-11-22T09:00:00.000Z rel_0199a1b2: queued"]))]
    logs: Vec<String>,
    /// What asked for it, such as `api`.
    #[schema(example = "api")]
    source: &'static str,
    /// The commit, once it is known.
    commit: Option<UpdateCommit>,
    /// Who wrote the commit.
    #[schema(example = "Ada Lovelace")]
    author: Option<String>,
}

/// The commit of an update.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UpdateCommit {
    /// Its full name.
    #[schema(example = "8f2c1e0b9a7d6c5b4a39281706f5e4d3c2b1a098")]
    sha: String,
    /// The branch that it is the newest of.
    #[serde(rename = "ref")]
    #[schema(example = "main")]
    git_ref: Option<String>,
    /// First line of its message.
    #[schema(example = "Say how to install it")]
    message: Option<String>,
    /// How many files it changed.
    #[schema(example = 3)]
    files_changed: Option<i64>,
}

impl Update {
    /// The update that some releases, one at least, were made for.
    fn of(id: String, releases: &[Release], logs: Vec<String>) -> Option<Self> {
        let first = releases.first()?;
        let ended = releases.iter().map(|release| release.ended_at).collect::<Option<Vec<_>>>();
        let described = releases.iter().find(|release| release.commit.sha.is_some());
        let commit = described.map(|release| &release.commit);
        Some(Self {
            id,
            project_id: first.project_id.clone(),
            created_at: iso(first.created_at),
            ended_at: ended.and_then(|ended| ended.into_iter().max()).map(iso),
            status: status(releases),
            summary: summary(releases),
            logs,
            source: first.trigger.name(),
            commit: commit.and_then(|commit| {
                Some(UpdateCommit {
                    sha: commit.sha.clone()?,
                    git_ref: commit.branch.clone(),
                    message: commit.message.clone(),
                    files_changed: commit.files_changed,
                })
            }),
            author: commit.and_then(|commit| commit.author.clone()),
        })
    }
}

/// One word for all releases: what is unfinished counts first, then what failed.
fn status(releases: &[Release]) -> &'static str {
    let any = |wanted: ReleaseStatus| releases.iter().any(|release| release.status == wanted);
    if any(ReleaseStatus::Building) {
        "in_progress"
    } else if any(ReleaseStatus::Queued) {
        if releases.iter().any(|release| release.status.is_final()) {
            "in_progress"
        } else {
            "queued"
        }
    } else if any(ReleaseStatus::Failed) {
        "failure"
    } else if any(ReleaseStatus::Ready) {
        "success"
    } else {
        "skipped"
    }
}

fn summary(releases: &[Release]) -> String {
    let failed = releases.iter().find_map(|release| release.error.as_deref());
    match (status(releases), failed) {
        ("queued", _) => "The update waits for a worker.".to_owned(),
        ("in_progress", _) => "The site is being built.".to_owned(),
        ("failure", error) => {
            format!("The update failed: {}.", error.unwrap_or("no reason is known"))
        }
        ("success", _) => {
            let pages: i64 = releases.iter().map(|release| release.page_count).sum();
            let warnings: i64 = releases.iter().map(|release| release.warning_count).sum();
            format!("{pages} pages were built, with {warnings} warnings.")
        }
        _ => "No build needed: another release has the same or newer pages.".to_owned(),
    }
}
