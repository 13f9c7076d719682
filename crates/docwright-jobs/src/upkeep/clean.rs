//! Removes expired data. A round reads like the table of settings: what is removed, and after what time.
//!
//! Several nodes can do this at once and can be killed at any step. A row is removed first, in a statement with
//! its condition; then everything that only that row named. Leftovers from between the two are orphans: no row
//! names them, and they are removed after a day.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use docwright_storage::{Database, Objects, StorageError, database::KeptReleases};
use docwright_types::timestamp::{DAY, HOUR, Timestamp, iso};
use futures::TryStreamExt;
use tokio_util::sync::CancellationToken;

use super::old_events::OldEvents;
use crate::{
    deletion,
    lost_bundles::LostBundles,
    remote_specs::{self, RemoteSpecs},
    repositories::Repositories,
    result_caches::MAXIMUM_ALL_RESULTS,
    scratch,
};

/// Time between two rounds.
const EVERY: Duration = Duration::from_mins(10);
/// Orphans are removed after this. No build and no upload takes so long.
const ORPHANED: Timestamp = DAY;
/// How long the tokens of a day are kept after its start. Milliseconds.
const ASSISTANT_TOKENS: Timestamp = 7 * DAY;
/// How long an idempotency key is valid.
const IDEMPOTENCY_KEYS: Timestamp = DAY;
/// How long notifications are listed after they were delivered or failed.
const NOTIFICATIONS: Timestamp = 30 * DAY;
/// Copies of API specs, and results of checks, are removed after this time without use.
const UNUSED: Duration = Duration::from_hours(30 * 24);
/// How long the host of a closed preview shows that it is closed. Milliseconds.
const CLOSED_PREVIEWS: Timestamp = 30 * DAY;
/// Pending domains are removed after this.
const CLAIMS: Timestamp = 30 * DAY;
/// Shortest time that a formerly active release is kept: other nodes can still read its bundle.
const ACTIVE_LATELY: Timestamp = HOUR;
/// Smaller indexes are never rebuilt, in bytes.
const SPARSE_INDEX: i64 = 64 * 1024 * 1024;
/// Orphans that are looked up at a time.
const BATCH: usize = 500;

/// Retention times and limits. Times are in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Ready releases that each site keeps at any age.
    pub releases: i64,
    /// Bytes that these can use together, for each site. The newest one is always kept.
    pub release_bytes: i64,
    /// Further releases that ended, or were active, less than this ago are kept.
    pub releases_for: Timestamp,
    /// Releases without a bundle, and heads of branches.
    pub unbuilt_for: Timestamp,
    /// Previews without changes are closed after this.
    pub previews_for: Timestamp,
    /// Export jobs and their bundles; `None` keeps them.
    pub exports_for: Option<Timestamp>,
    /// Ended agent jobs are archived after this.
    pub archive_after: Timestamp,
    /// Events and conversations of archived agent jobs.
    pub events_for: Timestamp,
    /// Archived agent jobs; `None` keeps them.
    pub agent_jobs_for: Option<Timestamp>,
    /// Feedback.
    pub feedback_for: Timestamp,
    /// Events of web analytics.
    pub analytics_events_for: Timestamp,
    /// Keys that were revoked or expired.
    pub keys_for: Timestamp,
    /// Entries of the audit log.
    pub audit_for: Timestamp,
}

/// Removes expired data.
#[derive(Debug, Clone)]
pub struct Cleaner {
    /// Storage of bundles.
    pub objects: Objects,
    /// The repositories of projects.
    pub repositories: Repositories,
    /// Folders of temporary files of processes.
    pub processes: PathBuf,
    /// Folder of the results of checks.
    pub checks: PathBuf,
    /// Copies of API specs, if there are any.
    pub remote_specs: Option<RemoteSpecs>,
    /// Retention times and limits.
    pub retention: Retention,
    /// Rebuilds bundles whose objects are gone.
    pub lost_bundles: LostBundles,
}

impl Cleaner {
    /// Runs until `stop`.
    pub async fn run(self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            match self.begin_round(self.repositories.clock.now()).await {
                Ok(now) => {
                    tokio::select! {
                        () = self.round(now) => {}
                        // A round can be interrupted anywhere.
                        () = stop.cancelled() => {}
                    }
                }
                Err(error) => tracing::error!(%error, "cleanup failed; retrying"),
            }
            tokio::select! {
                () = tokio::time::sleep(EVERY) => {}
                () = stop.cancelled() => {}
            }
        }
    }

    /// Starts a round at a time of this machine. Returns the time by which ages are measured: that of the earlier
    /// clock, and at most a day after the previous round.
    pub async fn begin_round(&self, machine: Timestamp) -> Result<Timestamp, StorageError> {
        let interval = i64::try_from(EVERY.as_millis()).unwrap_or(i64::MAX);
        let round = self.database().begin_retention_round(machine, interval).await?;
        if let Some(previous) = round.previous
            && round.time + interval < round.clock
        {
            tracing::warn!(
                clock = iso(round.clock),
                previous = iso(previous),
                ages_at = iso(round.time),
                "the clock is more than a day ahead of the last clean-up; ages move by one day each round; \
                 if docwright was not stopped for long, check the clocks of this machine and of the database"
            );
        }
        Ok(round.time)
    }

    const fn database(&self) -> &Database {
        &self.repositories.database
    }

    /// Cleans up once. Errors are logged, and retried in the next round.
    pub async fn round(&self, now: Timestamp) {
        let (database, keep) = (self.database(), &self.retention);
        let archived = database.archive_agent_jobs(now - keep.archive_after, now);
        tell("archived agent jobs", archived.await);
        let forgotten = database.forget_old_agent_jobs(now - keep.events_for);
        tell("events and conversations of agent jobs", forgotten.await);
        if let Some(age) = keep.agent_jobs_for {
            tell("agent jobs", database.remove_old_agent_jobs(now - age).await);
        }
        if let Some(age) = keep.exports_for {
            let removed = database.remove_old_exports(now - age).await;
            self.with_bundles("exports", removed).await;
        }
        let unchanged = database.close_unchanged_previews(now - keep.previews_for, now);
        tell("previews that did not change", unchanged.await);
        let removed = database.remove_closed_previews(now - CLOSED_PREVIEWS).await;
        self.with_bundles("closed previews", removed).await;
        let removed = database.remove_old_releases(self.kept_releases(now)).await;
        self.with_bundles("releases", removed).await;
        tell("heads of branches", database.remove_old_heads(now - keep.unbuilt_for).await);
        let used = database.remove_old_idempotency_keys(now - IDEMPOTENCY_KEYS);
        tell("idempotency keys", used.await);
        tell("feedback", database.remove_old_feedback(now - keep.feedback_for).await);
        tell("analytics", database.remove_old_analytics(now).await);
        tell("sparse indexes", database.rebuild_sparse_indexes(SPARSE_INDEX).await);
        tell("questions to the assistant", database.remove_old_questions(now).await);
        let spent = database.remove_old_assistant_tokens(now - ASSISTANT_TOKENS);
        tell("sums of tokens of the assistant", spent.await);
        tell("sketches of visitors", database.reduce_sketches(now).await);
        let sent = database.remove_old_notifications(now - NOTIFICATIONS);
        tell("notifications", sent.await);
        let entries = database.remove_old_audit_entries(now - keep.audit_for);
        tell("entries of the audit log", entries.await);
        tell("ended keys", database.remove_ended_keys(now - keep.keys_for).await);
        tell("ended sign-ins", database.remove_ended_sign_ins(now).await);
        let claims = database.remove_domain_claims_before(now - CLAIMS).await;
        tell("claims of domains", claims);
        let uploads = self.objects.remove_broken_uploads(now - ORPHANED).await;
        tell("broken uploads", uploads.map(|count| count as u64));
        match self.remove_old_objects(now).await {
            Ok((bundles, events)) => {
                tell("bundles that no row names", Ok::<_, StorageError>(bundles));
                tell("files with events of readers", Ok::<_, StorageError>(events));
            }
            Err(error) => tell("objects", Err(error)),
        }
        if let Err(error) = self.lost_bundles.check_next().await {
            tracing::warn!(%error, "bundles not listed; retrying");
        }
        tell("files that nobody needs", self.clean_disk(now).await);
        tell("repositories with many packs", self.pack_repositories(disk_time(now)).await);
        tell("sizes of clones", database.remove_old_clone_sizes(now).await);
        let anonymized = database.anonymize_deleted_accounts().await;
        tell("names of deleted accounts in the audit log", anonymized);
        deletion::erase(database).await;
    }

    fn kept_releases(&self, now: Timestamp) -> KeptReleases {
        let keep = &self.retention;
        KeptReleases {
            since: now - keep.releases_for.max(ACTIVE_LATELY),
            unbuilt_since: now - keep.unbuilt_for,
            newest: keep.releases,
            bytes: keep.release_bytes,
        }
    }

    /// Removes the bundles of removed rows, unless other rows name them.
    async fn with_bundles(&self, what: &str, removed: Result<(u64, Vec<String>), StorageError>) {
        match removed {
            Ok((count, keys)) => {
                tell(what, Ok::<_, StorageError>(count));
                tell("bundles", self.remove_bundles(keys).await);
            }
            Err(error) => tell(what, Err(error)),
        }
    }

    async fn remove_bundles(&self, keys: Vec<String>) -> Result<u64, StorageError> {
        let mut removed = 0;
        for key in self.database().unneeded(keys).await? {
            self.objects.remove(&key).await?;
            removed += 1;
        }
        Ok(removed)
    }

    /// Removes bundles that no row names, and events that are old or whose domain is gone. Returns how many of each.
    async fn remove_old_objects(&self, now: Timestamp) -> Result<(u64, u64), StorageError> {
        let (mut bundles, mut events) = (0, 0);
        let mut old_events =
            OldEvents::new(self.database(), now - self.retention.analytics_events_for);
        let found = self.objects.older_than(now - ORPHANED).try_chunks(BATCH);
        tokio::pin!(found);
        loop {
            let next = found.try_next().await.map_err(|chunk| chunk.1)?;
            let Some(mut keys) = next else { return Ok((bundles, events)) };
            for key in &keys {
                if old_events.contains(key).await? {
                    self.objects.remove(key).await?;
                    events += 1;
                }
            }
            // Other objects don't belong to docwright.
            keys.retain(|key| is_own(key));
            bundles += self.remove_bundles(keys).await?;
        }
    }

    /// Removes unused files from the disk.
    async fn clean_disk(&self, now: Timestamp) -> Result<u64, StorageError> {
        let projects = self.database().projects().await?;
        let cleaner = self.clone();
        let is_project = move |id: &str| projects.iter().any(|project| project.id == id);
        let cleaned = tokio::task::spawn_blocking(move || {
            let now = disk_time(now);
            let mut removed = scratch::remove_abandoned(&cleaner.processes)?;
            removed += cleaner.repositories.checkouts.clones.remove_unused(now);
            removed += remove_unused(&cleaner.checks, is_check, now)?;
            if let Some(specs) = &cleaner.remote_specs {
                removed += remove_unused(&specs.folder, remote_specs::is_copy, now)?;
            }
            let caches = &cleaner.repositories.result_caches;
            removed += caches.clean(&is_project, MAXIMUM_ALL_RESULTS)?;
            removed += remove_repositories(&cleaner.repositories.git_folder, is_project, now)?;
            io::Result::Ok(removed as u64)
        });
        Ok(cleaned.await.map_err(io::Error::other)??)
    }
}

/// A time like those of files.
fn disk_time(time: Timestamp) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(time.unsigned_abs())
}

/// Whether a key has the form of docwright's objects: a bundle of a release or an export, or a test object.
fn is_own(key: &str) -> bool {
    let parts: Vec<_> = key.split('/').collect();
    match parts.as_slice() {
        [id, claim, "bundle.tar.gz"] => {
            let id = id.strip_prefix("rel_").or_else(|| id.strip_prefix("exp_"));
            let is_id =
                |id: &str| id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
            id.is_some_and(is_id) && claim.bytes().all(|byte| byte.is_ascii_digit())
        }
        ["probe", _] => true,
        _ => false,
    }
}

fn is_check(name: &str) -> bool {
    name.ends_with(".json")
}

/// Removes the files of a folder that were not used for a time. All of them can be created again.
fn remove_unused(folder: &Path, is_one: fn(&str) -> bool, now: SystemTime) -> io::Result<usize> {
    let mut removed = 0;
    for (path, age) in entries(folder, now)? {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if is_one(name) && path.is_file() && age > UNUSED {
            fs::remove_file(path)?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// Removes repositories of docwright's own git host whose projects are gone.
fn remove_repositories(
    folder: &Path,
    is_project: impl Fn(&str) -> bool,
    now: SystemTime,
) -> io::Result<usize> {
    let mut removed = 0;
    for (path, age) in entries(folder, now)? {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Some(id) = name.strip_suffix(".git").filter(|id| id.starts_with("prj_")) else {
            continue;
        };
        if !is_project(id) && age > Duration::from_millis(ORPHANED.unsigned_abs()) {
            fs::remove_dir_all(path)?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// The contents of a folder, if it exists, with the time since each was written.
fn entries(folder: &Path, now: SystemTime) -> io::Result<Vec<(PathBuf, Duration)>> {
    let found = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        found => found?,
    };
    let mut entries = Vec::new();
    for entry in found {
        let entry = entry?;
        // Others can remove it in the meantime.
        if let Ok(written) = entry.metadata().and_then(|metadata| metadata.modified()) {
            entries.push((entry.path(), now.duration_since(written).unwrap_or_default()));
        }
    }
    Ok(entries)
}

/// Logs a number of removed records, or an error.
fn tell(what: &str, outcome: Result<u64, impl std::fmt::Display>) {
    match outcome {
        Ok(0) => {}
        Ok(count) => tracing::info!(what, count, "cleaned up"),
        Err(error) => tracing::warn!(what, %error, "part of the cleanup failed; retrying"),
    }
}
