//! How full the queues are, for those who watch the service.

use sqlx::{AssertSqlSafe, Row};

use super::{Database, leases::Queue};
use crate::StorageError;

/// How many jobs of a queue are in which state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueDepth {
    /// A worker could claim them now.
    pub waiting: i64,
    /// A fault was met; they wait for their next attempt.
    pub delayed: i64,
    /// A worker has them.
    pub running: i64,
    /// How long the oldest one that waits could have been claimed, in milliseconds; 0 if none waits.
    pub oldest_wait: i64,
}

impl Database {
    /// How full a queue is. Reads the rows of jobs that have not ended, by their index, and no others.
    pub async fn queue_depth(&self, queue: Queue) -> Result<QueueDepth, StorageError> {
        let row = sqlx::query(AssertSqlSafe(self.depth(queue))).fetch_one(&self.pool).await?;
        Ok(QueueDepth {
            waiting: row.try_get("waiting")?,
            delayed: row.try_get("delayed")?,
            running: row.try_get("running")?,
            oldest_wait: row.try_get::<i64, _>("oldest")?.max(0),
        })
    }

    /// A job waits since it was asked for, given back or tried, since its next attempt is due, or since
    /// the lease of a worker that is gone ran out: the latest of these.
    fn depth(&self, queue: Queue) -> String {
        let (clock, latest) = (self.clock(), if self.postgres { "GREATEST" } else { "MAX" });
        format!(
            "SELECT COUNT(CASE WHEN state = 0 THEN 1 END) AS waiting, \
             COUNT(CASE WHEN state = 1 THEN 1 END) AS delayed, \
             COUNT(CASE WHEN state = 2 THEN 1 END) AS running, \
             {clock} - COALESCE(MIN(CASE WHEN state = 0 THEN since END), {clock}) AS oldest \
             FROM (SELECT CASE WHEN lease_expires_at >= {clock} THEN 2 WHEN run_after > {clock} THEN 1 ELSE 0 END AS state, \
             {latest}(updated_at, run_after, COALESCE(lease_expires_at, 0)) AS since FROM {table} WHERE {open}) AS jobs",
            table = queue.table(),
            open = queue.open(),
        )
    }
}
