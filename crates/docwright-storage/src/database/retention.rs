//! Data retention: each function removes one kind of data older than a time, one batch per transaction, and never
//! data that is still needed.
//!
//! The removing statement itself decides whether a row can go. So several nodes can run at once, and any of them
//! can be killed between two statements.

use std::collections::{BTreeMap, HashSet};

use docwright_types::timestamp::Timestamp;
use sqlx::{Any, AssertSqlSafe, Encode, Row, Transaction, Type, any::AnyRow};

use super::{Database, sites::lock_project, storage_usage::uncount_bundles};
use crate::StorageError;

/// Rows that one transaction can change or remove.
pub(super) const BATCH: i64 = 500;

/// A removable release: it has ended, and nothing needs it. Binds [`KeptReleases`] as `$1` to `$4`. Ready releases
/// must also be among `surplus`; for previews, which are never rolled back, this isn't needed.
fn removable(surplus: &str) -> String {
    format!(
        "status IN ('ready', 'failed', 'skipped', 'superseded') \
         AND COALESCE(ended_at, updated_at) < $1 AND COALESCE(last_active_at, 0) < $1 \
         AND NOT EXISTS (SELECT 1 FROM sites WHERE sites.active_release_id = releases.id) \
         AND NOT EXISTS (SELECT 1 FROM previews WHERE previews.base_release_id = releases.id AND previews.state = 'open') \
         AND NOT EXISTS (SELECT 1 FROM export_jobs WHERE export_jobs.release_id = releases.id \
             AND (releases.status = 'ready' OR export_jobs.status IN ('queued', 'running'))) \
         AND CASE WHEN status <> 'ready' THEN COALESCE(ended_at, updated_at) < $2 \
             ELSE servable = 0 OR trigger_name = 'preview' OR id IN ({surplus}) END"
    )
}

/// Sites whose releases exceed the limits.
const FULL_SITES: &str = "SELECT site_id FROM releases WHERE status = 'ready' \
     GROUP BY site_id HAVING COUNT(*) > $3 OR SUM(bundle_size) > $4";

/// Ready releases of some sites that exceed the limits of their sites: older than the newest `$3`, or than the newest
/// that use `$4` bytes together. The newest release always stays.
fn surplus(sites: &str) -> String {
    format!(
        "SELECT ranked.id FROM (SELECT id, ROW_NUMBER() OVER newest AS place, SUM(bundle_size) OVER newest AS bytes \
             FROM releases WHERE status = 'ready' AND servable = 1 AND trigger_name <> 'preview' \
             AND site_id IN ({sites}) \
             WINDOW newest AS (PARTITION BY site_id ORDER BY head_sequence DESC, id DESC)) AS ranked \
         WHERE ranked.place > $3 OR (ranked.place > 1 AND ranked.bytes > $4)"
    )
}

/// The releases to keep, in addition to those in use. Times are end times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptReleases {
    /// Releases that ended, or were active, at this time or later.
    pub since: Timestamp,
    /// Releases without a bundle that ended at this time or later.
    pub unbuilt_since: Timestamp,
    /// The number of newest ready releases kept for each site that isn't a preview.
    pub newest: i64,
    /// As many of these as use no more bytes than this together, and at least one.
    pub bytes: i64,
}

/// Agent jobs archived before a time, which is bound as `$1`, and whose events are removed.
const FORGOTTEN: &str = "forgotten = 1 AND archived_at < $1";

impl Database {
    /// The database's own time. Nodes whose clocks differ agree on it.
    pub async fn now(&self) -> Result<Timestamp, StorageError> {
        let sql = format!("SELECT {} AS now", self.clock());
        let row = sqlx::query(AssertSqlSafe(sql)).fetch_one(&self.pool).await?;
        Ok(row.try_get("now")?)
    }

    /// Removes releases except those to keep, the active one of each site, and those that export jobs use. Returns
    /// how many were removed, and the keys of their bundles.
    pub async fn remove_old_releases(
        &self,
        keep: KeptReleases,
    ) -> Result<(u64, Vec<String>), StorageError> {
        let (mut count, mut keys) = (0, Vec::new());
        let removable = removable(&surplus(FULL_SITES));
        let sql = format!("SELECT id, project_id FROM releases WHERE {removable} LIMIT {BATCH}");
        loop {
            let query = sqlx::query(AssertSqlSafe(sql.clone()));
            let query = query.bind(keep.since).bind(keep.unbuilt_since);
            let query = query.bind(keep.newest).bind(keep.bytes);
            let mut by_project: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for row in query.fetch_all(&self.pool).await? {
                by_project.entry(row.try_get("project_id")?).or_default().push(row.try_get("id")?);
            }
            let mut removed = 0;
            for (project, ids) in &by_project {
                let bundles = self.remove_releases((project, ids), keep).await?;
                removed += bundles.len() as u64;
                keys.extend(bundles.into_iter().flatten());
            }
            count += removed;
            // Empty if others removed them or need them again.
            if removed == 0 {
                return Ok((count, keys));
            }
        }
    }

    /// Removes those among some releases of a project that are still removable. Returns the key of the bundle of
    /// each.
    async fn remove_releases(
        &self,
        (project, ids): (&str, &[String]),
        keep: KeptReleases,
    ) -> Result<Vec<Option<String>>, StorageError> {
        let mut transaction = self.begin().await?;
        // As with activation: one of the two transactions sees the other's change.
        lock_project(&mut transaction, project).await?;
        let list = placeholders(5, ids.len());
        let sites = format!("SELECT site_id FROM releases WHERE id IN ({list})");
        let removable = removable(&surplus(&sites));
        let sql = format!(
            "DELETE FROM releases WHERE id IN ({list}) AND {removable} RETURNING bundle_key, bundle_size"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(keep.since).bind(keep.unbuilt_since);
        let mut query = query.bind(keep.newest).bind(keep.bytes);
        for id in ids {
            query = query.bind(id);
        }
        let rows = query.fetch_all(&mut *transaction).await?;
        uncount_bundles(&mut transaction, project, &rows).await?;
        transaction.commit().await?;
        rows.iter().map(|row| Ok(row.try_get("bundle_key")?)).collect()
    }

    /// Removes export jobs that ended before a time. Returns how many, and the keys of their bundles.
    pub async fn remove_old_exports(
        &self,
        before: Timestamp,
    ) -> Result<(u64, Vec<String>), StorageError> {
        let (mut count, mut keys) = (0, Vec::new());
        loop {
            let sql = format!(
                "DELETE FROM export_jobs WHERE id IN (SELECT id FROM export_jobs \
                 WHERE status IN ('completed', 'failed') AND updated_at < $1 LIMIT {BATCH}) RETURNING bundle_key"
            );
            let rows = sqlx::query(AssertSqlSafe(sql)).bind(before).fetch_all(&self.pool).await?;
            keys.extend(bundle_keys(&rows)?);
            count += rows.len() as u64;
            if rows.is_empty() {
                return Ok((count, keys));
            }
        }
    }

    /// The unused keys among some keys of bundles: no row names them, and no release that could name them is being
    /// built.
    pub async fn unneeded(&self, keys: Vec<String>) -> Result<Vec<String>, StorageError> {
        let mut unneeded = Vec::new();
        for batch in keys.chunks(usize::try_from(BATCH).unwrap_or(1)) {
            let (named, first) = (placeholders(1, batch.len()), batch.len() + 1);
            let releases = placeholders(first, batch.len());
            let sql = format!(
                "SELECT bundle_key AS needed FROM releases WHERE bundle_key IN ({named}) \
                 UNION SELECT bundle_key AS needed FROM export_jobs WHERE bundle_key IN ({named}) \
                 UNION SELECT id AS needed FROM releases WHERE id IN ({releases}) AND status IN ('queued', 'building')"
            );
            let mut query = sqlx::query(AssertSqlSafe(sql));
            for key in batch {
                query = query.bind(key);
            }
            for key in batch {
                query = query.bind(release_of(key));
            }
            let rows = query.fetch_all(&self.pool).await?;
            let needed: HashSet<String> =
                rows.iter().map(|row| row.try_get("needed")).collect::<Result<_, _>>()?;
            let is_needed = |key: &str| needed.contains(key) || needed.contains(release_of(key));
            unneeded.extend(batch.iter().filter(|key| !is_needed(key)).cloned());
        }
        Ok(unneeded)
    }

    /// Removes heads of branches recorded before a time. The newest head of a branch that a site serves stays: the
    /// position of the next one follows from it.
    pub async fn remove_old_heads(&self, before: Timestamp) -> Result<u64, StorageError> {
        self.remove_in_batches(
            "branch_heads",
            "project_id, branch, sequence",
            "seen_at < $1 AND (NOT EXISTS (SELECT 1 FROM sites \
             WHERE sites.project_id = branch_heads.project_id AND sites.branch = branch_heads.branch) \
             OR EXISTS (SELECT 1 FROM branch_heads AS later WHERE later.project_id = branch_heads.project_id \
             AND later.branch = branch_heads.branch AND later.sequence > branch_heads.sequence))",
            before,
        )
        .await
    }

    /// Removes the history of agent jobs archived before a time: their events, the model's conversation, and their
    /// diffs. Jobs that can still receive a message keep it: their next events continue its numbers. Returns the
    /// number of jobs.
    pub async fn forget_old_agent_jobs(&self, before: Timestamp) -> Result<u64, StorageError> {
        let sql = format!(
            "SELECT id FROM agent_jobs WHERE forgotten = 0 AND archived_at < $1 LIMIT {BATCH}"
        );
        let mut count = 0;
        loop {
            let query = sqlx::query(AssertSqlSafe(sql.clone())).bind(before);
            let rows = query.fetch_all(&self.pool).await?;
            if rows.is_empty() {
                return Ok(count);
            }
            let list = placeholders(1, rows.len());
            // The mark comes last: an interrupted run repeats this.
            for sql in [
                format!("DELETE FROM agent_events WHERE job_id IN ({list})"),
                format!(
                    "UPDATE agent_jobs SET run = NULL, diff = NULL, forgotten = 1 WHERE id IN ({list})"
                ),
            ] {
                let mut query = sqlx::query(AssertSqlSafe(sql));
                for row in &rows {
                    query = query.bind(row.try_get::<String, _>("id")?);
                }
                query.execute(&self.pool).await?;
            }
            count += rows.len() as u64;
        }
    }

    /// Removes agent jobs that were archived before a time, with their prompts and events.
    pub async fn remove_old_agent_jobs(&self, before: Timestamp) -> Result<u64, StorageError> {
        self.forget_old_agent_jobs(before).await?;
        let messages = format!("job_id IN (SELECT id FROM agent_jobs WHERE {FORGOTTEN})");
        self.remove_in_batches("agent_messages", "job_id, number", &messages, before).await?;
        self.remove_in_batches("agent_jobs", "id", FORGOTTEN, before).await
    }

    /// Removes idempotency keys that were used before a time.
    pub async fn remove_old_idempotency_keys(
        &self,
        before: Timestamp,
    ) -> Result<u64, StorageError> {
        let key = "organization_id, idempotency_key";
        self.remove_in_batches("idempotency_keys", key, "created_at < $1", before).await
    }

    /// Removes feedback from before a time.
    pub async fn remove_old_feedback(&self, before: Timestamp) -> Result<u64, StorageError> {
        self.remove_in_batches("feedback", "id", "created_at < $1", before).await
    }

    /// Removes keys that were revoked or expired before a time.
    pub async fn remove_ended_keys(&self, before: Timestamp) -> Result<u64, StorageError> {
        let ended = "revoked_at < $1 OR expires_at < $1";
        self.remove_in_batches("api_keys", "id", ended, before).await
    }

    /// Removes rows of a table, a batch in each transaction. `key` is its primary key; `which` binds
    /// `value` as `$1`.
    pub(super) async fn remove_in_batches<T>(
        &self,
        table: &str,
        key: &str,
        which: &str,
        value: T,
    ) -> Result<u64, StorageError>
    where
        T: for<'q> Encode<'q, Any> + Type<Any> + Clone + Send,
    {
        let sql = format!(
            "DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM {table} WHERE {which} LIMIT {BATCH})"
        );
        self.repeat(&sql, value).await
    }

    /// Runs a statement until it changes no row. Returns the number of changed rows.
    async fn repeat<T>(&self, sql: &str, value: T) -> Result<u64, StorageError>
    where
        T: for<'q> Encode<'q, Any> + Type<Any> + Clone + Send,
    {
        let mut count = 0;
        loop {
            let query = sqlx::query(AssertSqlSafe(sql.to_owned())).bind(value.clone());
            let changed = query.execute(&self.pool).await?.rows_affected();
            count += changed;
            if changed == 0 {
                return Ok(count);
            }
        }
    }
}

/// Marks a site's active release as inactive from now on, because another one replaces it. Unless that one was active
/// before, the release that it replaces is what it is compared with.
pub(super) async fn note_last_active(
    transaction: &mut Transaction<'_, Any>,
    next: &str,
    now: Timestamp,
) -> Result<(), StorageError> {
    let sql = "UPDATE releases SET last_active_at = $1 WHERE id = (SELECT active_release_id FROM sites \
         WHERE id = (SELECT site_id FROM releases WHERE id = $2))";
    sqlx::query(sql).bind(now).bind(next).execute(&mut **transaction).await?;
    let sql = "UPDATE releases SET base_release_id = (SELECT active_release_id FROM sites WHERE sites.id = releases.site_id) \
         WHERE id = $1 AND active_from IS NULL";
    sqlx::query(sql).bind(next).execute(&mut **transaction).await?;
    Ok(())
}

/// Records when a release becomes active for the first time.
pub(super) async fn note_active(
    transaction: &mut Transaction<'_, Any>,
    id: &str,
    now: Timestamp,
) -> Result<(), StorageError> {
    let sql = "UPDATE releases SET active_from = $1 WHERE id = $2 AND active_from IS NULL";
    sqlx::query(sql).bind(now).bind(id).execute(&mut **transaction).await?;
    Ok(())
}

/// The keys of bundles that removed rows named.
pub(super) fn bundle_keys(rows: &[AnyRow]) -> Result<Vec<String>, StorageError> {
    let keys = rows.iter().map(|row| row.try_get::<Option<String>, _>("bundle_key"));
    Ok(keys.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// The release at the start of a bundle's key.
fn release_of(key: &str) -> &str {
    key.split('/').next().unwrap_or(key)
}

/// `$first` and the following ones, for as many values.
pub(super) fn placeholders(first: usize, count: usize) -> String {
    let each = (first..first + count).map(|number| format!("${number}"));
    each.collect::<Vec<_>>().join(", ")
}
