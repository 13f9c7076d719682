//! Recurring jobs: rows that stay and are due periodically. Polls of repositories and reports to git hosts are
//! recurring jobs.
//!
//! A request increments `requested`. A worker reads the number when it starts; later requests make the row wait
//! again.

use docwright_types::timestamp::{HOUR, Timestamp};
use sqlx::{Any, AssertSqlSafe, Row, Transaction};

use super::{
    Database, Queue,
    leases::{HELD, Lease, MAXIMUM_FAILURES},
};
use crate::StorageError;

/// How a worker leaves a recurring job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecurringJobState {
    /// The number of requests when the worker started.
    pub requested: i64,
    /// The error, in a sentence.
    pub error: Option<String>,
    /// When it is due again, in milliseconds from now; `None` once it is requested.
    pub again: Option<Timestamp>,
}

impl Database {
    /// How often a recurring job was requested, and its consecutive failures.
    pub async fn recurring_job_state(&self, lease: &Lease) -> Result<(i64, i64), StorageError> {
        let sql = format!("SELECT requested, failures FROM {} WHERE id = $1", lease.queue.table());
        let query = sqlx::query(AssertSqlSafe(sql)).bind(&lease.id);
        let Some(row) = query.fetch_optional(&self.pool).await? else { return Ok((0, 0)) };
        Ok((row.try_get("requested")?, row.try_get("failures")?))
    }

    /// Leaves a recurring job. Returns whether the lease still held.
    pub(super) async fn leave(
        &self,
        transaction: &mut Transaction<'_, Any>,
        lease: &Lease,
        left: &RecurringJobState,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let (table, clock) = (lease.queue.table(), self.clock());
        // What was requested meanwhile is due at once. Only a host that failed to take a report, or asked for a pause,
        // gets no earlier one.
        let waits = match lease.queue {
            Queue::Reports => "($5 <> '' OR requested <= $4)",
            _ => "requested <= $4",
        };
        // It never fails permanently: its failures stop one below the limit of jobs.
        let failures = format!(
            "CASE WHEN $5 = '' THEN 0 WHEN failures < {} THEN failures + 1 ELSE failures END",
            MAXIMUM_FAILURES - 1
        );
        let sql = format!(
            "UPDATE {table} SET error = NULLIF($5, ''), failures = {failures}, interruptions = 0, \
             failing_since = CASE WHEN $5 = '' THEN NULL ELSE COALESCE(failing_since, $1) END, \
             status = CASE WHEN requested > $4 OR $6 >= 0 THEN 'open' ELSE 'idle' END, \
             run_after = CASE WHEN $6 >= 0 AND {waits} THEN {clock} + $6 ELSE 0 END, \
             lease_expires_at = NULL, updated_at = $1 WHERE {HELD}"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(now).bind(&lease.id).bind(lease.number);
        let query = query.bind(left.requested).bind(left.error.as_deref().unwrap_or_default());
        let query = query.bind(left.again.unwrap_or(-1));
        Ok(query.execute(&mut **transaction).await?.rows_affected() == 1)
    }

    /// Leaves a report to a host. Returns whether the lease still held.
    pub async fn finish_report(
        &self,
        lease: &Lease,
        left: &RecurringJobState,
        reported: Option<&str>,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let held = self.leave(&mut transaction, lease, left, now).await?;
        if held && let Some(reported) = reported {
            let sql = "UPDATE reports SET reported = $1 WHERE id = $2";
            sqlx::query(sql).bind(reported).bind(&lease.id).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(held)
    }
}

/// What happens to a recurring job that no worker finishes: it waits for an hour, or until it is requested.
pub(super) async fn fail(
    transaction: &mut Transaction<'_, Any>,
    lease: &Lease,
    (error, clock): (&str, &str),
    now: Timestamp,
) -> Result<bool, StorageError> {
    let sql = format!(
        "UPDATE {} SET error = $1, failures = 0, failing_since = COALESCE(failing_since, $4), interruptions = 0, run_after = {clock} + {HOUR}, \
         lease_expires_at = NULL, updated_at = $4 WHERE {HELD}",
        lease.queue.table()
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(error).bind(&lease.id).bind(lease.number);
    Ok(query.bind(now).execute(&mut **transaction).await?.rows_affected() == 1)
}
