//! Ends previews: closes them first, and removes them after a while.

use docwright_types::{preview::PreviewEnd, timestamp::Timestamp};
use sqlx::{Any, Row, Transaction};

use crate::{
    StorageError,
    database::{
        Database, retention::bundle_keys, sites::lock_project, storage_usage::uncount_bundles,
    },
};

/// Previews that are ended in one batch.
const BATCH: i64 = 100;

impl Database {
    /// Closes an open preview of a project. Returns whether it was open.
    pub async fn close_preview(
        &self,
        project_id: &str,
        id: &str,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        lock_project(&mut transaction, project_id).await?;
        let closed = close(&mut transaction, id, PreviewEnd::Deleted, now).await?;
        if closed {
            self.record_change(&mut transaction, id).await?;
        }
        self.commit_serving(transaction, closed).await?;
        Ok(closed)
    }

    /// Closes the previews that did not change since a time. Returns how many.
    pub async fn close_unchanged_previews(
        &self,
        before: Timestamp,
        now: Timestamp,
    ) -> Result<u64, StorageError> {
        let sql =
            "SELECT id, project_id FROM previews WHERE state = 'open' AND changed_at < $1 LIMIT $2";
        let mut count = 0;
        loop {
            let query = sqlx::query(sql).bind(before).bind(BATCH);
            let rows = query.fetch_all(&self.pool).await?;
            if rows.is_empty() {
                return Ok(count);
            }
            for row in rows {
                let (id, project): (String, String) =
                    (row.try_get("id")?, row.try_get("project_id")?);
                let mut transaction = self.begin().await?;
                lock_project(&mut transaction, &project).await?;
                let closed = close(&mut transaction, &id, PreviewEnd::Unchanged, now).await?;
                self.commit_serving(transaction, closed).await?;
                count += u64::from(closed);
            }
        }
    }

    /// Removes the previews that were closed before a time, with their sites and releases. Returns how
    /// many, and the keys of their bundles.
    pub async fn remove_closed_previews(
        &self,
        before: Timestamp,
    ) -> Result<(u64, Vec<String>), StorageError> {
        let sql = "SELECT id, project_id, site_id FROM previews WHERE state = 'closed' AND closed_at < $1 LIMIT $2";
        let (mut count, mut keys) = (0, Vec::new());
        loop {
            let rows = sqlx::query(sql).bind(before).bind(BATCH).fetch_all(&self.pool).await?;
            if rows.is_empty() {
                return Ok((count, keys));
            }
            for row in rows {
                let [id, project, site]: [String; 3] =
                    [row.try_get("id")?, row.try_get("project_id")?, row.try_get("site_id")?];
                let mut transaction = self.begin().await?;
                lock_project(&mut transaction, &project).await?;
                // It might have been reopened in the meantime.
                let removed =
                    sqlx::query("DELETE FROM previews WHERE id = $1 AND state = 'closed'");
                let removed = removed.bind(&id).execute(&mut *transaction).await?.rows_affected();
                if removed == 1 {
                    let releases =
                        "DELETE FROM releases WHERE site_id = $1 RETURNING bundle_key, bundle_size";
                    let rows = sqlx::query(releases).bind(&site).fetch_all(&mut *transaction);
                    let rows = rows.await?;
                    uncount_bundles(&mut transaction, &project, &rows).await?;
                    keys.extend(bundle_keys(&rows)?);
                    let sql = "DELETE FROM sites WHERE id = $1";
                    sqlx::query(sql).bind(&site).execute(&mut *transaction).await?;
                }
                self.commit_serving(transaction, removed == 1).await?;
                count += removed;
            }
        }
    }
}

/// Closes a preview under the project's lock: it serves nothing any more, and its builds end. Returns whether it
/// was open.
pub(super) async fn close(
    transaction: &mut Transaction<'_, Any>,
    id: &str,
    end: PreviewEnd,
    now: Timestamp,
) -> Result<bool, StorageError> {
    let closed = sqlx::query(
        "UPDATE previews SET state = 'closed', closed_because = $1, closed_at = $2 WHERE id = $3 AND state = 'open'",
    );
    let closed = closed.bind(end.name()).bind(now).bind(id).execute(&mut **transaction).await?;
    if closed.rows_affected() == 0 {
        return Ok(false);
    }
    for sql in [
        "UPDATE releases SET status = 'failed', error = 'the preview was closed', bundle_lost_at = NULL, lease_expires_at = NULL, \
         updated_at = $1, ended_at = $1 WHERE status IN ('queued', 'building') \
         AND site_id = (SELECT site_id FROM previews WHERE id = $2)",
        "UPDATE releases SET last_active_at = $1 WHERE id = (SELECT active_release_id FROM sites \
         WHERE id = (SELECT site_id FROM previews WHERE id = $2))",
    ] {
        sqlx::query(sql).bind(now).bind(id).execute(&mut **transaction).await?;
    }
    let sql = "UPDATE sites SET active_release_id = NULL, restores_release_id = NULL, activates_from = 0 \
         WHERE id = (SELECT site_id FROM previews WHERE id = $1)";
    sqlx::query(sql).bind(id).execute(&mut **transaction).await?;
    Ok(true)
}
