//! Polls of the repositories of projects: when each is due, and its last result.

use std::collections::HashMap;

use docwright_types::{problem::ProblemKind, timestamp::Timestamp};
use sqlx::{Any, AssertSqlSafe, Row, Transaction};

use super::{Database, leases::Lease, recurring_jobs::RecurringJobState};
use crate::StorageError;

/// Requests a poll of the repository of the project $1 now.
const REQUEST: &str = "UPDATE polls SET requested = requested + 1, status = 'open', run_after = 0, updated_at = $2 WHERE id = $1";

/// State of the polls of a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PollState {
    /// When it was last polled.
    pub polled_at: Option<Timestamp>,
    /// Why it could not be read, in a sentence.
    pub error: Option<String>,
    /// What the error is about.
    pub error_kind: Option<ProblemKind>,
    /// Consecutive polls that failed.
    pub failures: i64,
    /// When the first of them failed.
    pub failing_since: Option<Timestamp>,
    /// When it is polled next, if that is known and in the future.
    pub next_at: Option<Timestamp>,
}

impl Database {
    /// Requests a poll of the repository of a project, in `wait` milliseconds at the latest. Requests that arrive
    /// before it starts share one poll.
    pub async fn request_poll(
        &self,
        project_id: &str,
        wait: Timestamp,
    ) -> Result<(), StorageError> {
        let mut transaction = self.begin().await?;
        self.request_poll_in(&mut transaction, project_id, wait).await?;
        self.record_change(&mut transaction, project_id).await?;
        Ok(transaction.commit().await?)
    }

    /// Requests polls of those repositories of an organization that could not be read, or are being polled.
    pub async fn request_failing_polls(&self, organization_id: &str) -> Result<(), StorageError> {
        let sql = format!(
            "UPDATE polls SET requested = requested + 1, status = 'open', run_after = 0, updated_at = {} \
             WHERE id IN (SELECT id FROM projects WHERE organization_id = $1) \
             AND (error IS NOT NULL OR lease_expires_at IS NOT NULL)",
            self.clock()
        );
        sqlx::query(AssertSqlSafe(sql)).bind(organization_id).execute(&self.pool).await?;
        Ok(())
    }

    /// See [`Self::request_poll`]. Returns the number of the request; `None` if there is no such project.
    pub(super) async fn request_poll_in(
        &self,
        transaction: &mut Transaction<'_, Any>,
        project_id: &str,
        wait: Timestamp,
    ) -> Result<Option<i64>, StorageError> {
        // An urgent request precedes all polls of the organization that are only due.
        let clock = self.clock();
        let due = if wait == 0 { "0".to_owned() } else { format!("{clock} + {wait}") };
        let sql = format!(
            "INSERT INTO polls (id, project_id, status, requested, failures, interruptions, run_after, lease_number, \
             created_at, updated_at) SELECT id, id, 'open', 1, 0, 0, {due}, 0, {clock}, {clock} FROM projects WHERE id = $1 \
             ON CONFLICT (id) DO UPDATE SET requested = polls.requested + 1, \
             run_after = CASE WHEN polls.status = 'open' AND polls.run_after < {due} THEN polls.run_after ELSE {due} END, \
             status = 'open', updated_at = {clock} RETURNING requested"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(project_id);
        let row = query.fetch_optional(&mut **transaction).await?;
        row.map(|row| row.try_get("requested").map_err(StorageError::from)).transpose()
    }

    /// States of the polls of repositories, by the ids of their projects.
    pub async fn polls(&self, ids: &[&str]) -> Result<HashMap<String, PollState>, StorageError> {
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let list: Vec<_> = (1..=ids.len()).map(|number| format!("${number}")).collect();
        let sql = format!(
            "SELECT id, polled_at, error, error_kind, failures, failing_since, CASE WHEN status = 'open' AND \
             lease_expires_at IS NULL AND run_after > {} THEN run_after END AS next_at FROM polls WHERE id IN ({})",
            self.clock(),
            list.join(", ")
        );
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for id in ids {
            query = query.bind(*id);
        }
        let read = |row: &sqlx::any::AnyRow| {
            let kind: Option<String> = row.try_get("error_kind")?;
            let state = PollState {
                polled_at: row.try_get("polled_at")?,
                error: row.try_get("error")?,
                error_kind: kind
                    .map(|kind| kind.parse())
                    .transpose()
                    .map_err(StorageError::Value)?,
                failures: row.try_get("failures")?,
                failing_since: row.try_get("failing_since")?,
                next_at: row.try_get("next_at")?,
            };
            Ok((row.try_get("id")?, state))
        };
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// State of the polls of the repository of a project.
    pub async fn poll_state(&self, project_id: &str) -> Result<Option<PollState>, StorageError> {
        Ok(self.polls(&[project_id]).await?.remove(project_id))
    }

    /// Finishes a poll. `summary` is its result, for the deliveries that requested it, and the kind is that of its
    /// error. Returns whether the lease still held.
    pub async fn finish_poll(
        &self,
        lease: &Lease,
        left: &RecurringJobState,
        (summary, kind): (&str, Option<ProblemKind>),
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let held = self.leave(&mut transaction, lease, left, now).await?;
        if held {
            let sql =
                "UPDATE polls SET polled_at = $1, answered = $2, error_kind = $4 WHERE id = $3";
            let query = sqlx::query(sql).bind(now).bind(left.requested).bind(&lease.id);
            let query = query.bind(kind.map(ProblemKind::name));
            query.execute(&mut *transaction).await?;
            let outcome = if left.error.is_some() { "failed" } else { "polled" };
            let sql = "UPDATE deliveries SET outcome = $1, summary = $2 \
                 WHERE project_id = $3 AND outcome = 'accepted' AND request <= $4";
            let query = sqlx::query(sql).bind(outcome).bind(summary).bind(&lease.id);
            query.bind(left.requested).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(held)
    }

    /// Turns periodic polls of repositories on or off. Requested polls stay.
    pub async fn poll_repositories(&self, polls: bool) -> Result<(), StorageError> {
        let (status, which) = if polls {
            ("open", "status = 'idle'")
        } else {
            // A failed poll is retried.
            let which = "status = 'open' AND failures = 0 AND lease_expires_at IS NULL \
                 AND requested = answered";
            ("idle", which)
        };
        // Reading costs no write: a service that starts doesn't wait for another writer.
        let look = format!("SELECT 1 FROM polls WHERE {which} LIMIT 1");
        if sqlx::query(AssertSqlSafe(look)).fetch_optional(&self.pool).await?.is_some() {
            let sql = format!("UPDATE polls SET status = '{status}' WHERE {which}");
            sqlx::query(AssertSqlSafe(sql)).execute(&self.pool).await?;
        }
        Ok(())
    }
}

/// Requests a poll of the repository of a project, within a transaction.
pub(super) async fn request(
    transaction: &mut Transaction<'_, Any>,
    project_id: &str,
    now: Timestamp,
) -> Result<(), StorageError> {
    sqlx::query(REQUEST).bind(project_id).bind(now).execute(&mut **transaction).await?;
    Ok(())
}

/// Requests a poll of a repository that could not be read, within a transaction: it was just read.
pub(super) async fn request_if_failing(
    transaction: &mut Transaction<'_, Any>,
    project_id: &str,
    now: Timestamp,
) -> Result<(), StorageError> {
    let query = sqlx::query(AssertSqlSafe(format!("{REQUEST} AND error IS NOT NULL")));
    query.bind(project_id).bind(now).execute(&mut **transaction).await?;
    Ok(())
}
