//! Releases for workers: their commit, their progress, and their result.

use docwright_types::{
    counted::counted,
    export_job::{ExportDiagnostic, StoredBundle},
    notification::EventKind,
    release::{ReleaseCommit, ReleaseStatus, SiteConfiguration, Trigger},
    timestamp::Timestamp,
};
use sqlx::{Any, AssertSqlSafe, Row, Transaction};

use super::{
    Database,
    activation::activate_if_due,
    leases::{HELD, Lease},
    lost_bundles,
    notifications::{Subject, record},
    polls,
    releases::{mirror, replace},
    reports,
    sites::{has_moved, lock_project_of, record_head},
    storage_usage::count_bundle,
};
use crate::StorageError;

/// The source of a release.
#[derive(Debug, Clone, Copy)]
pub struct BuildInput<'a> {
    /// The commit.
    pub commit: &'a ReleaseCommit,
    /// All other inputs of the bytes, as one text: releases of one commit with equal texts are identical.
    pub options: &'a str,
    /// The position that [`Database::last_head_position`] returned before the poll.
    pub seen_position: i64,
}

/// The decision about a release whose commit is now known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildDecision {
    /// Build it.
    Build,
    /// Skip it: another release has or will have the same pages.
    Skipped,
    /// The branch got another head since the poll: poll again.
    Outdated,
    /// The lease is lost.
    Lost,
}

/// Result of a build.
#[derive(Debug, Clone, Copy)]
pub struct BuildResult<'a> {
    /// Pages rendered.
    pub page_count: i64,
    /// The first diagnostics.
    pub warnings: &'a [ExportDiagnostic],
    /// The number of diagnostics.
    pub warning_count: i64,
    /// The bundle.
    pub bundle: &'a StoredBundle,
}

struct Claimed {
    site_id: String,
    project_id: String,
    branch: String,
    trigger: Trigger,
    servable: bool,
    /// All pages, without a label: a release of equal options has the same bundle.
    whole: bool,
    /// Built anew, so nothing replaces it.
    without_cache: bool,
}

impl Database {
    /// Records the commit of a claimed release, and supersedes unbuilt releases of earlier heads, and those of this
    /// head with other options: the options of the site changed since they began. The caller reads the options again
    /// afterwards, since those it passed can be the older ones. If another release of the site has the same commit
    /// and options, or nothing below the docs root changed since the previous head, that release also serves this
    /// head.
    pub async fn begin_build(
        &self,
        lease: &Lease,
        input: BuildInput<'_>,
        now: Timestamp,
    ) -> Result<BuildDecision, StorageError> {
        let mut transaction = self.begin().await?;
        lock_project_of(&mut transaction, &lease.id).await?;
        let Some(release) = claimed(&mut transaction, lease).await? else {
            return Ok(BuildDecision::Lost);
        };
        let sha = input.commit.sha.as_deref();
        let branch = (release.project_id.as_str(), release.branch.as_str());
        if has_moved(&mut transaction, branch, sha, input.seen_position).await? {
            return Ok(BuildDecision::Outdated);
        }
        let sequence = record_head(&mut transaction, branch, sha, now).await?;
        polls::request_if_failing(&mut transaction, &release.project_id, now).await?;
        describe(&mut transaction, lease, input, sequence).await?;
        let short = sha.map_or("files without a commit", |sha| sha.get(..12).unwrap_or(sha));
        reports::changed(&mut transaction, &lease.id, &format!("{short} is checked out"), now)
            .await?;
        let (mut started, mut activated) = (BuildDecision::Build, false);
        if release.whole {
            let same = same_release(&mut transaction, lease, &release, input).await?;
            let newest = same.as_deref().unwrap_or(&lease.id);
            if release.servable {
                supersede(&mut transaction, (&release.site_id, newest), (&lease.id, sequence), now)
                    .await?;
            }
            if let Some(same) = same {
                let sql =
                    "UPDATE releases SET head_sequence = $1 WHERE id = $2 AND head_sequence < $1";
                sqlx::query(sql).bind(sequence).bind(&same).execute(&mut *transaction).await?;
                replace(&mut transaction, (&lease.id, ReleaseStatus::Skipped), &same, now).await?;
                activated = activate_if_due(&mut transaction, &same, now).await?;
                started = BuildDecision::Skipped;
            }
        }
        self.commit_serving(transaction, activated).await?;
        Ok(started)
    }

    /// The bundle of the ready release that [`Self::begin_build`] would use in place of a claimed one. Only the
    /// caller knows whether its object exists.
    pub async fn standing_bundle(
        &self,
        lease: &Lease,
        input: BuildInput<'_>,
    ) -> Result<Option<StoredBundle>, StorageError> {
        let mut transaction = self.begin().await?;
        let Some(release) = claimed(&mut transaction, lease).await?.filter(|own| own.whole) else {
            return Ok(None);
        };
        let same = same_release(&mut transaction, lease, &release, input).await?;
        transaction.rollback().await?;
        let Some(same) = same else { return Ok(None) };
        let same = self.release(&same).await?;
        Ok(same.filter(|same| same.status == ReleaseStatus::Ready).and_then(|same| same.bundle))
    }

    /// Records the progress of a build; it never decreases. Returns whether the lease still holds.
    pub async fn record_progress(
        &self,
        lease: &Lease,
        (progress, page_count): (i64, i64),
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let sql = format!(
            "UPDATE releases SET updated_at = $4, \
             page_count = CASE WHEN bundle_lost_at IS NULL THEN $1 ELSE page_count END, \
             progress = CASE WHEN progress > $5 THEN progress ELSE $5 END WHERE {HELD}"
        );
        let query =
            sqlx::query(AssertSqlSafe(sql)).bind(page_count).bind(&lease.id).bind(lease.number);
        let held = query.bind(now).bind(progress).execute(&mut *transaction).await?;
        mirror(&mut transaction, &lease.id, now).await?;
        transaction.commit().await?;
        Ok(held.rows_affected() == 1)
    }

    /// Records the configuration of a release. Returns whether the lease still holds.
    pub async fn record_configuration(
        &self,
        lease: &Lease,
        configuration: &SiteConfiguration,
    ) -> Result<bool, StorageError> {
        let sql = format!("UPDATE releases SET configuration = $1 WHERE {HELD}");
        let query = sqlx::query(AssertSqlSafe(sql));
        let query = query.bind(serde_json::json!(configuration).to_string());
        let query = query.bind(&lease.id).bind(lease.number);
        Ok(query.execute(&self.pool).await?.rows_affected() == 1)
    }

    /// The configuration of a release, if it is known.
    pub async fn configuration_of(
        &self,
        release_id: &str,
    ) -> Result<Option<SiteConfiguration>, StorageError> {
        let sql = "SELECT configuration FROM releases WHERE id = $1";
        let row = sqlx::query(sql).bind(release_id).fetch_optional(&self.pool).await?;
        let text: Option<String> =
            row.map(|row| row.try_get("configuration")).transpose()?.flatten();
        let read = |text: String| serde_json::from_str(&text);
        text.map(read).transpose().map_err(|error| StorageError::Value(error.to_string()))
    }

    /// Makes a release ready, and active if its head is the newest. Returns whether the lease still held;
    /// otherwise nothing changed.
    pub async fn complete_build(
        &self,
        lease: &Lease,
        result: BuildResult<'_>,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        lock_project_of(&mut transaction, &lease.id).await?;
        count_bundle(&mut transaction, &lease.id, result.bundle.size).await?;
        let sql = format!(
            "UPDATE releases SET status = 'ready', progress = 100, page_count = $1, warnings = $4, warning_count = $5, \
             bundle_key = $6, bundle_size = $7, bundle_sha256 = $8, error = NULL, lease_expires_at = NULL, \
             updated_at = $9, ended_at = $9 WHERE {HELD}"
        );
        let query = sqlx::query(AssertSqlSafe(sql))
            .bind(result.page_count)
            .bind(&lease.id)
            .bind(lease.number)
            .bind(serde_json::json!(result.warnings).to_string())
            .bind(result.warning_count)
            .bind(&result.bundle.key)
            .bind(result.bundle.size)
            .bind(&result.bundle.sha256)
            .bind(now);
        if query.execute(&mut *transaction).await?.rows_affected() == 0 {
            return Ok(false);
        }
        let (pages, warnings) = (result.page_count, result.warning_count);
        let line =
            format!("ready: {}, {}", counted(pages, "page"), counted(warnings, "diagnostic"));
        reports::changed(&mut transaction, &lease.id, &line, now).await?;
        let was_lost = lost_bundles::end_loss(&mut transaction, &lease.id).await?;
        let activated = if was_lost {
            self.record_change(&mut transaction, &lease.id).await?;
            lost_bundles::serve_again(&mut transaction, &lease.id, now).await?
        } else {
            // Subscribers were notified when a rebuilt release became ready the first time.
            let subject = Subject::Release(&lease.id);
            record(&mut transaction, subject, EventKind::ReleaseReady, now).await?;
            activate_if_due(&mut transaction, &lease.id, now).await?
        };
        if activated {
            reports::log(&mut transaction, &lease.id, "active", now).await?;
        }
        mirror(&mut transaction, &lease.id, now).await?;
        self.commit_serving(transaction, activated).await?;
        Ok(true)
    }
}

/// The release of a lease, if the lease still holds.
async fn claimed(
    transaction: &mut Transaction<'_, Any>,
    lease: &Lease,
) -> Result<Option<Claimed>, StorageError> {
    let row = sqlx::query(
        "SELECT releases.site_id, releases.project_id, sites.branch, releases.trigger_name, releases.servable, releases.without_cache, \
         CASE WHEN releases.version IS NULL AND releases.paths IS NULL THEN 1 ELSE 0 END AS whole \
         FROM releases JOIN sites ON sites.id = releases.site_id \
         WHERE releases.id = $1 AND lease_number = $2 AND lease_expires_at IS NOT NULL",
    )
    .bind(&lease.id)
    .bind(lease.number)
    .fetch_optional(&mut **transaction)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let trigger: String = row.try_get("trigger_name")?;
    Ok(Some(Claimed {
        site_id: row.try_get("site_id")?,
        project_id: row.try_get("project_id")?,
        branch: row.try_get("branch")?,
        trigger: trigger.parse().map_err(StorageError::Value)?,
        servable: row.try_get::<i64, _>("servable")? != 0,
        whole: row.try_get::<i64, _>("whole")? != 0,
        without_cache: row.try_get::<i64, _>("without_cache")? != 0,
    }))
}

async fn describe(
    transaction: &mut Transaction<'_, Any>,
    lease: &Lease,
    input: BuildInput<'_>,
    sequence: i64,
) -> Result<(), StorageError> {
    let ReleaseCommit { branch, sha, docs_tree, message, author, files_changed } = input.commit;
    sqlx::query(
        "UPDATE releases SET branch = $1, commit_sha = $2, docs_tree = $3, commit_message = $4, commit_author = $5, \
         files_changed = $6, options = $7, head_sequence = $8 WHERE id = $9",
    )
    .bind(branch.as_deref())
    .bind(sha.as_deref())
    .bind(docs_tree.as_deref())
    .bind(message.as_deref())
    .bind(author.as_deref())
    .bind(*files_changed)
    .bind(input.options)
    .bind(sequence)
    .bind(&lease.id)
    .execute(&mut **transaction)
    .await?;
    Ok(())
}

/// Another release with the contents of this one: one of the same commit; or one of the previous head with the
/// same files below the docs root, except for exports, which need the latest commit itself.
async fn same_release(
    transaction: &mut Transaction<'_, Any>,
    lease: &Lease,
    release: &Claimed,
    input: BuildInput<'_>,
) -> Result<Option<String>, StorageError> {
    if release.without_cache {
        return Ok(None);
    }
    // A folder with uncommitted changes never equals an earlier state.
    let Some(sha) = input.commit.sha.as_deref() else { return Ok(None) };
    // One that can be activated is replaced by another such release only.
    let whole = if release.servable { "servable = 1" } else { "version IS NULL AND paths IS NULL" };
    let others = format!(
        "FROM releases WHERE site_id = $1 AND id <> $2 AND {whole} AND options = $3 \
         AND head_sequence + 0 IS NOT NULL AND status IN ('queued', 'building', 'ready') AND bundle_lost_at IS NULL"
    );
    // For a new commit, SQLite would scan the heads of the site, newest first. It has no index of sums.
    let sql = format!(
        "SELECT id {others} AND commit_sha = $4 ORDER BY head_sequence + 0 DESC, id LIMIT 1"
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(&release.site_id).bind(&lease.id);
    let row = query.bind(input.options).bind(sha).fetch_optional(&mut **transaction).await?;
    if let Some(row) = row {
        return Ok(Some(row.try_get("id")?));
    }
    let Some(tree) = input.commit.docs_tree.as_deref() else { return Ok(None) };
    if release.trigger == Trigger::Export {
        return Ok(None);
    }
    let sql = format!("SELECT id, docs_tree {others} ORDER BY head_sequence DESC, id DESC LIMIT 1");
    let query = sqlx::query(AssertSqlSafe(sql)).bind(&release.site_id).bind(&lease.id);
    let row = query.bind(input.options).fetch_optional(&mut **transaction).await?;
    let Some(row) = row else { return Ok(None) };
    let before: Option<String> = row.try_get("docs_tree")?;
    Ok(if before.as_deref() == Some(tree) { Some(row.try_get("id")?) } else { None })
}

/// Ends all other unbuilt releases of a head and of earlier ones of a site.
async fn supersede(
    transaction: &mut Transaction<'_, Any>,
    (site_id, newest): (&str, &str),
    (own, sequence): (&str, i64),
    now: Timestamp,
) -> Result<(), StorageError> {
    // Few releases wait and many have earlier heads: the index of states finds them, since there is no index of
    // sums.
    let sql = "SELECT id FROM releases WHERE site_id = $1 AND servable = 1 AND status IN ('queued', 'building') \
         AND bundle_lost_at IS NULL AND head_sequence + 0 <= $2 AND id <> $3 AND id <> $4";
    let query = sqlx::query(sql).bind(site_id).bind(sequence).bind(newest).bind(own);
    for row in query.fetch_all(&mut **transaction).await? {
        let id: String = row.try_get("id")?;
        replace(transaction, (&id, ReleaseStatus::Superseded), newest, now).await?;
    }
    Ok(())
}
