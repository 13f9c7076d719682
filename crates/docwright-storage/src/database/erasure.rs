//! Removes deleted text from the files of a SQLite database. `PRAGMA secure_delete` overwrites it in the pages of
//! the database, but free pages still use disk space, and the write-ahead log has old pages until it is emptied.
//! `PostgreSQL` reuses and removes pages itself.
//!
//! Other connections can read and write during this. Each step delays a writer by a fraction of a second.

use std::time::Duration;

use sqlx::{AssertSqlSafe, Row};
use tokio::time::sleep;

use super::Database;
use crate::StorageError;

/// Free pages that one step removes before others can write.
const PAGES: i64 = 500;
/// How long one attempt to empty the log can delay writers because of readers of earlier pages.
pub(super) const PATIENCE: &str = "PRAGMA busy_timeout = 50";
/// Attempts to empty the log.
const ATTEMPTS: u32 = 20;
/// The time between two attempts.
const PAUSE: Duration = Duration::from_millis(100);

impl Database {
    /// Removes deleted text from the files of the database. Returns whether all of it is removed. If a reader
    /// still needs earlier pages, call this again later.
    pub async fn erase_deleted(&self) -> Result<bool, StorageError> {
        if self.postgres {
            return Ok(true);
        }
        self.remove_free_pages().await?;
        for attempt in 1..=ATTEMPTS {
            if self.empty_log().await? {
                return Ok(true);
            }
            if attempt < ATTEMPTS {
                sleep(PAUSE).await;
            }
        }
        Ok(false)
    }

    /// Returns unused pages to the file system.
    async fn remove_free_pages(&self) -> Result<(), StorageError> {
        let count = async || {
            let row = sqlx::query("PRAGMA freelist_count").fetch_one(&self.pool).await?;
            Ok::<i64, StorageError>(row.try_get(0)?)
        };
        let mut free = count().await?;
        while free > 0 {
            let sql = format!("PRAGMA incremental_vacuum({PAGES})");
            sqlx::query(AssertSqlSafe(sql)).fetch_all(&self.pool).await?;
            let left = count().await?;
            // A file created without `auto_vacuum` keeps its size, and others can free pages all the time.
            if left >= free {
                return Ok(());
            }
            free = left;
        }
        Ok(())
    }

    /// Copies the write-ahead log to the database and truncates it. Returns whether it is empty.
    async fn empty_log(&self) -> Result<bool, StorageError> {
        let mut kept_open = self.kept_open.lock().await;
        // Closing the last connection empties the log too.
        let Some(connection) = kept_open.as_mut() else { return Ok(true) };
        // Pages copied before need no lock that writers wait for.
        for mode in ["PASSIVE", "TRUNCATE"] {
            let sql = AssertSqlSafe(format!("PRAGMA wal_checkpoint({mode})"));
            let row = sqlx::query(sql).fetch_one(&mut *connection).await?;
            if mode == "TRUNCATE" && row.try_get::<i64, _>(0)? == 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
