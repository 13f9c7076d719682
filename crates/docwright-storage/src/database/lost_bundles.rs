//! Bundles whose objects are gone, until they are built again.
//!
//! Owns the effects of a lost bundle: its release is queued again, exports that returned its link run again, and
//! its site serves the newest available release. Callers decide whether an object is gone.

use docwright_types::{notification::EventKind, release::Release, timestamp::Timestamp};
use sqlx::{Any, AssertSqlSafe, Row, Transaction};

use super::{
    Database,
    leases::{HELD, Lease},
    notifications::{Subject, record},
    releases::{self, COLUMNS},
    reports,
    retention::note_last_active,
    sites::lock_project_of,
};
use crate::StorageError;

/// Lost bundles are counted up to this number.
const COUNTED: i64 = 1_000;

/// Number of releases whose bundles are lost, up to 1,000 in all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LostBundleCount {
    /// Those that are being rebuilt.
    pub rebuilding: i64,
    /// Those that can't be rebuilt.
    pub failed: i64,
}

impl Database {
    /// The ready releases that use the bundle with a key.
    pub async fn releases_of_bundle(&self, key: &str) -> Result<Vec<Release>, StorageError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM releases WHERE bundle_key = $1 AND status = 'ready' ORDER BY id"
        );
        let rows = sqlx::query(AssertSqlSafe(sql)).bind(key).fetch_all(&self.pool).await?;
        rows.iter().map(releases::read).collect()
    }

    /// Queues a ready release again because the object of its bundle is gone. Exports of that bundle run
    /// again with the progress they had. Returns whether the release still named the object.
    pub async fn record_lost_bundle(
        &self,
        release_id: &str,
        key: &str,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        lock_project_of(&mut transaction, release_id).await?;
        let sql = "UPDATE releases SET status = 'queued', bundle_lost_at = $1, failures = 0, interruptions = 0, \
             run_after = 0, lease_expires_at = NULL, updated_at = $1, ended_at = NULL \
             WHERE id = $2 AND bundle_key = $3 AND status = 'ready'";
        let query = sqlx::query(sql).bind(now).bind(release_id).bind(key);
        if query.execute(&mut *transaction).await?.rows_affected() == 0 {
            return Ok(false);
        }
        let sql = "UPDATE export_jobs SET status = 'running', updated_at = $1 \
             WHERE release_id = $2 AND bundle_key = $3 AND status = 'completed'";
        let query = sqlx::query(sql).bind(now).bind(release_id).bind(key);
        query.execute(&mut *transaction).await?;
        let line = "the bundle is gone from the object store; building it again";
        reports::changed(&mut transaction, release_id, line, now).await?;
        let changed = serve_another(&mut transaction, release_id, now).await?;
        self.record_change(&mut transaction, release_id).await?;
        self.commit_serving(transaction, changed).await?;
        Ok(true)
    }

    /// Fails completed exports whose bundle is gone and can't be rebuilt by any release. Returns the number of
    /// exports.
    pub async fn fail_exports_of_bundle(
        &self,
        key: &str,
        error: &str,
        now: Timestamp,
    ) -> Result<u64, StorageError> {
        let mut transaction = self.begin().await?;
        let sql = "UPDATE export_jobs SET status = 'failed', error = $1, updated_at = $2 \
             WHERE bundle_key = $3 AND status = 'completed' AND NOT EXISTS (SELECT 1 FROM releases \
             WHERE releases.bundle_key = $3 AND releases.status IN ('queued', 'building', 'ready')) \
             RETURNING id";
        let query = sqlx::query(sql).bind(error).bind(now).bind(key);
        let failed = query.fetch_all(&mut *transaction).await?;
        for row in &failed {
            let id: String = row.try_get("id")?;
            record(&mut transaction, Subject::Export(&id), EventKind::ExportFailed, now).await?;
        }
        transaction.commit().await?;
        Ok(failed.len() as u64)
    }

    /// Whether the bundle with a key is lost and its release is being rebuilt.
    pub async fn is_being_rebuilt(&self, key: &str) -> Result<bool, StorageError> {
        let sql = "SELECT 1 FROM releases WHERE bundle_key = $1 AND bundle_lost_at IS NOT NULL \
             AND status IN ('queued', 'building') LIMIT 1";
        Ok(sqlx::query(sql).bind(key).fetch_optional(&self.pool).await?.is_some())
    }

    /// The bundles to check next, by the ids of their releases, among `limit` releases. All nodes together check
    /// all releases, and then start over.
    pub async fn next_bundles_to_check(&self, limit: i64) -> Result<Vec<String>, StorageError> {
        let mut transaction = self.begin().await?;
        let sql = "UPDATE bundle_checks SET after_release = after_release WHERE id = 1 RETURNING after_release";
        let row = sqlx::query(sql).fetch_one(&mut *transaction).await?;
        let after: String = row.try_get("after_release")?;
        let sql = "SELECT id, status, bundle_key FROM releases WHERE id > $1 ORDER BY id LIMIT $2";
        let rows = sqlx::query(sql).bind(&after).bind(limit).fetch_all(&mut *transaction).await?;
        let is_full = i64::try_from(rows.len()).is_ok_and(|count| count >= limit);
        let last: String = match rows.last().filter(|_| is_full) {
            Some(row) => row.try_get("id")?,
            None => String::new(),
        };
        let sql = "UPDATE bundle_checks SET after_release = $1 WHERE id = 1";
        sqlx::query(sql).bind(&last).execute(&mut *transaction).await?;
        transaction.commit().await?;
        let mut keys = Vec::new();
        for row in rows {
            let (status, key): (String, Option<String>) =
                (row.try_get("status")?, row.try_get("bundle_key")?);
            keys.extend(key.filter(|_| status == "ready"));
        }
        Ok(keys)
    }

    /// Counts the releases whose bundles are lost.
    pub async fn lost_bundles(&self) -> Result<LostBundleCount, StorageError> {
        let sql = format!(
            "SELECT status, COUNT(*) AS count FROM (SELECT status FROM releases \
             WHERE bundle_lost_at IS NOT NULL LIMIT {COUNTED}) AS lost GROUP BY status"
        );
        let mut counted = LostBundleCount::default();
        for row in sqlx::query(AssertSqlSafe(sql)).fetch_all(&self.pool).await? {
            let (status, count): (String, i64) = (row.try_get("status")?, row.try_get("count")?);
            if status == "failed" {
                counted.failed += count;
            } else {
                counted.rebuilding += count;
            }
        }
        Ok(counted)
    }

    /// The options of a release, as one text.
    pub async fn options_of(&self, release_id: &str) -> Result<Option<String>, StorageError> {
        let sql = "SELECT options FROM releases WHERE id = $1";
        let row = sqlx::query(sql).bind(release_id).fetch_optional(&self.pool).await?;
        Ok(row.map(|row| row.try_get("options")).transpose()?.flatten())
    }

    /// Records the options with which a lost bundle is rebuilt. Returns whether the lease still holds.
    pub async fn record_options(&self, lease: &Lease, options: &str) -> Result<bool, StorageError> {
        let sql = format!("UPDATE releases SET options = $1 WHERE {HELD}");
        let query = sqlx::query(AssertSqlSafe(sql));
        let query = query.bind(options).bind(&lease.id).bind(lease.number);
        Ok(query.execute(&self.pool).await?.rows_affected() == 1)
    }
}

/// Clears the mark of a lost bundle that is back. Returns whether it was lost.
pub(super) async fn end_loss(
    transaction: &mut Transaction<'_, Any>,
    release_id: &str,
) -> Result<bool, StorageError> {
    let sql =
        "UPDATE releases SET bundle_lost_at = NULL WHERE id = $1 AND bundle_lost_at IS NOT NULL";
    let query = sqlx::query(sql).bind(release_id);
    Ok(query.execute(&mut **transaction).await?.rows_affected() == 1)
}

/// Makes a site serve a release again whose bundle is back, if the site served it before. Such a release can also
/// replace an older substitute. Returns whether the site serves another release.
pub(super) async fn serve_again(
    transaction: &mut Transaction<'_, Any>,
    release_id: &str,
    now: Timestamp,
) -> Result<bool, StorageError> {
    let Some(site) = SiteOf::read(transaction, release_id).await? else { return Ok(false) };
    match site.restores.as_deref() {
        None => Ok(false),
        Some(restores) if restores == release_id => {
            note_last_active(transaction, release_id, now).await?;
            let sql =
                "UPDATE sites SET active_release_id = $1, restores_release_id = NULL WHERE id = $2";
            let query = sqlx::query(sql).bind(release_id).bind(&site.id);
            query.execute(&mut **transaction).await?;
            Ok(true)
        }
        Some(restores) => stand_in(transaction, &site, restores, now).await,
    }
}

/// Clears the wait of a site for a release that can't be rebuilt.
pub(super) async fn end_wait(
    transaction: &mut Transaction<'_, Any>,
    release_id: &str,
) -> Result<(), StorageError> {
    let sql = "UPDATE sites SET restores_release_id = NULL WHERE restores_release_id = $1 \
         AND id = (SELECT site_id FROM releases WHERE id = $1)";
    sqlx::query(sql).bind(release_id).execute(&mut **transaction).await?;
    Ok(())
}

/// Makes the site of a lost release serve another one, if it serves the lost one. Returns whether the site serves
/// another release.
async fn serve_another(
    transaction: &mut Transaction<'_, Any>,
    lost: &str,
    now: Timestamp,
) -> Result<bool, StorageError> {
    let Some(site) = SiteOf::read(transaction, lost).await? else { return Ok(false) };
    if site.active.as_deref() != Some(lost) {
        return Ok(false);
    }
    let restores = site.restores.clone().unwrap_or_else(|| lost.to_owned());
    let sql = "UPDATE sites SET restores_release_id = $1 WHERE id = $2";
    sqlx::query(sql).bind(&restores).bind(&site.id).execute(&mut **transaction).await?;
    stand_in(transaction, &site, &restores, now).await
}

/// Selects a substitute for a lost release: the newest available release of the site with the same head or an
/// earlier one, else with any head, but none that is held. Without a substitute, nodes with a copy of the lost bundle keep serving it.
async fn stand_in(
    transaction: &mut Transaction<'_, Any>,
    site: &SiteOf,
    lost: &str,
    now: Timestamp,
) -> Result<bool, StorageError> {
    let mut found = None;
    for earlier in
        ["AND head_sequence <= (SELECT head_sequence FROM releases WHERE id = $2)", "AND id <> $2"]
    {
        let sql = format!(
            "SELECT id FROM releases WHERE site_id = $1 AND status = 'ready' AND servable = 1 AND held_errors IS NULL {earlier} \
             ORDER BY head_sequence DESC, id DESC LIMIT 1"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(&site.id).bind(lost);
        if let Some(row) = query.fetch_optional(&mut **transaction).await? {
            found = Some(row.try_get::<String, _>("id")?);
            break;
        }
    }
    let Some(found) = found.filter(|found| site.active.as_deref() != Some(found)) else {
        return Ok(false);
    };
    note_last_active(transaction, &found, now).await?;
    let sql = "UPDATE sites SET active_release_id = $1 WHERE id = $2";
    sqlx::query(sql).bind(&found).bind(&site.id).execute(&mut **transaction).await?;
    Ok(true)
}

/// The active release of the site of a release, and the one to restore later.
struct SiteOf {
    id: String,
    active: Option<String>,
    restores: Option<String>,
}

impl SiteOf {
    async fn read(
        transaction: &mut Transaction<'_, Any>,
        release_id: &str,
    ) -> Result<Option<Self>, StorageError> {
        let sql = "SELECT id, active_release_id, restores_release_id FROM sites \
             WHERE id = (SELECT site_id FROM releases WHERE id = $1)";
        let row = sqlx::query(sql).bind(release_id).fetch_optional(&mut **transaction).await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(Self {
            id: row.try_get("id")?,
            active: row.try_get("active_release_id")?,
            restores: row.try_get("restores_release_id")?,
        }))
    }
}
