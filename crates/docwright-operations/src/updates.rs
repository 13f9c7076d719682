//! Updates of a project: a release of each of its sites, from the latest commit.

use docwright_storage::database::{Allowance, Limited, Requested};
use docwright_types::{
    release::{Release, ReleaseStatus, Trigger},
    timestamp::{Timestamp, iso},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use crate::{
    Allowed, OperationError, Operations, audit::Change, can, idempotency::Idempotency,
    rate_limit::RateLimit,
};

/// A requested update.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StartedUpdate {
    /// ID of the update. Use it to get the update's state.
    #[schema(example = "upd_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub status_id: String,
}

/// An update: a release of the latest commit for each domain of a project.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Update {
    /// ID of the update.
    #[serde(rename = "_id")]
    #[schema(example = "upd_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub id: String,
    /// ID of the project.
    #[schema(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub project_id: String,
    /// Time when the update was requested.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Time when the last of its releases finished.
    #[schema(format = DateTime)]
    pub ended_at: Option<String>,
    /// `queued`, `in_progress`, `success`, `failure`, or `skipped`.
    #[schema(value_type = String, example = "in_progress")]
    pub status: UpdateStatus,
    /// State of the update, in a sentence.
    #[schema(example = "The site is being built.")]
    pub summary: String,
    /// One line for each step of its releases, oldest first, then the progress of running builds.
    #[schema(example = json!(["2026-11-22T09:00:00.000Z rel_0199a1b2: queued"]))]
    pub logs: Vec<String>,
    /// Trigger of the update, such as `api`.
    #[schema(value_type = String, example = "api")]
    pub source: Trigger,
    /// Commit of the update; null until it is known.
    pub commit: Option<UpdateCommit>,
    /// Author of the commit.
    #[schema(example = "Ada Lovelace")]
    pub author: Option<String>,
}

/// The commit of an update.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateCommit {
    /// Full hash of the commit.
    #[schema(example = "8f2c1e0b9a7d6c5b4a39281706f5e4d3c2b1a098")]
    pub sha: String,
    /// Branch with this commit as its head.
    #[serde(rename = "ref")]
    #[schema(example = "main")]
    pub git_ref: Option<String>,
    /// First line of the commit message.
    #[schema(example = "Say how to install it")]
    pub message: Option<String>,
    /// Number of files that the commit changed.
    #[schema(example = 3)]
    pub files_changed: Option<i64>,
}

/// What became of an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpdateStatus {
    /// Its releases wait for a worker.
    Queued,
    /// A release is being built.
    InProgress,
    /// A release is ready, and none failed.
    Success,
    /// A release failed.
    Failure,
    /// Other releases have the same or newer pages.
    Skipped,
}

/// Builds the latest commit of a project for each of its domains. Also returns the rest of the rate limit.
pub async fn start(
    operations: &Operations,
    caller: &Allowed<can::StartUpdate>,
    project_id: &str,
    idempotency: &Idempotency,
) -> Result<(StartedUpdate, Allowance), OperationError> {
    let project = caller.project(operations, project_id).await?;
    let key = idempotency.of(&project.organization_id);
    operations.require_room().await?;
    let change = Change::of("update.create", Some(&project.organization_id))
        .after(json!({ "projectId": project.id }));
    let database = caller.recording(operations, change);
    let requested = database.request_limited_update(&project.id, key, operations.now()).await?;
    let (requested, allowance) = match requested {
        Limited::Taken(requested, allowance) => (requested, allowance),
        Limited::Refused(allowance) => {
            return Err(OperationError::TooManyRequests(RateLimit::UPDATES, allowance));
        }
    };
    match requested {
        Requested::Update(status_id) => {
            operations.wakes.releases.notify_one();
            Ok((StartedUpdate { status_id }, allowance))
        }
        Requested::NoSite => Err(OperationError::Conflict(
            "The project has no domain. Add a domain first.".to_owned(),
        )),
        Requested::Conflict => Err(OperationError::Conflict(
            "This Idempotency-Key was used with a different request. Use a new key.".to_owned(),
        )),
    }
}

/// Returns the state of an update.
pub async fn get(
    operations: &Operations,
    caller: &Allowed<can::GetUpdate>,
    id: &str,
) -> Result<Update, OperationError> {
    let mut releases = operations.database.releases_of_update(id).await?;
    releases.retain(|release| caller.reaches(&release.organization_id, &release.project_id));
    let mut logs = Vec::new();
    for release in &mut releases {
        log(operations, release, &mut logs).await?;
        let Some(id) = release.replaced_by.as_deref() else { continue };
        // The update ends only when the replacing release is ready.
        let other = operations.database.release(id).await?;
        if let Some(other) = other.filter(|each| each.status != ReleaseStatus::Ready) {
            let (created_at, trigger) = (release.created_at, release.trigger);
            log(operations, &other, &mut logs).await?;
            *release = Release { created_at, trigger, ..other };
        }
    }
    // Steps with equal times keep their order.
    logs.sort_by_key(|(time, _)| *time);
    let logs = logs.into_iter().map(|(time, line)| format!("{} {line}", iso(time))).collect();
    let update = Update::of(id.to_owned(), &releases, logs);
    update.ok_or_else(|| OperationError::NotFound(format!("Update {id} not found.")))
}

impl Update {
    /// The update of some releases, at least one.
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
            source: first.trigger,
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

/// One state for all releases: unfinished ones count first, then failed ones.
fn status(releases: &[Release]) -> UpdateStatus {
    let any = |wanted: ReleaseStatus| releases.iter().any(|release| release.status == wanted);
    if any(ReleaseStatus::Building) {
        UpdateStatus::InProgress
    } else if any(ReleaseStatus::Queued) {
        if releases.iter().any(|release| release.status.is_final()) {
            UpdateStatus::InProgress
        } else {
            UpdateStatus::Queued
        }
    } else if any(ReleaseStatus::Failed) {
        UpdateStatus::Failure
    } else if any(ReleaseStatus::Ready) {
        UpdateStatus::Success
    } else {
        UpdateStatus::Skipped
    }
}

fn summary(releases: &[Release]) -> String {
    let failed = releases.iter().find_map(|release| release.error.as_deref());
    match (status(releases), failed) {
        (UpdateStatus::Queued, _) => "The update is waiting for a worker.".to_owned(),
        (UpdateStatus::InProgress, _) => "The site is being built.".to_owned(),
        (UpdateStatus::Failure, error) => {
            format!("The update failed: {}.", error.unwrap_or("no reason is known"))
        }
        (UpdateStatus::Success, _) => {
            let pages: i64 = releases.iter().map(|release| release.page_count).sum();
            let warnings: i64 = releases.iter().map(|release| release.warning_count).sum();
            format!("{pages} pages were built, with {warnings} warnings.")
        }
        _ => "No build needed: another release has the same or newer pages.".to_owned(),
    }
}

/// Adds the steps of a release, and why its report to the host failed.
async fn log(
    operations: &Operations,
    release: &Release,
    lines: &mut Vec<(Timestamp, String)>,
) -> Result<(), OperationError> {
    let id = &release.id;
    for (time, step) in operations.database.release_log(id).await? {
        lines.push((time, format!("{id}: {step}")));
    }
    if release.status == ReleaseStatus::Building {
        let (percent, pages) = (release.progress, release.page_count);
        lines.push((release.updated_at, format!("{id}: building, {percent}%, {pages} pages")));
    }
    let report = operations.database.report(id).await?.unwrap_or_default();
    if let Some(error) = report.error {
        lines.push((
            release.updated_at,
            format!("{id}: it could not be reported to the git host: {error}"),
        ));
    }
    Ok(())
}
