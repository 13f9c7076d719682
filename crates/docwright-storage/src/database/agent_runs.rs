//! Agent jobs for workers: saved runs, events, and results. Every write names the lease.

use docwright_types::{
    agent_job::{AgentEvent, AgentJob, JobDiff, RefusedCall, Usage},
    notification::EventKind,
    timestamp::Timestamp,
};
use sqlx::{Any, AssertSqlSafe, Row, Transaction};

use super::{
    Database,
    agent_jobs::{COLUMNS, read},
    leases::{HELD, Lease},
    notifications::{Subject, record},
};
use crate::StorageError;

/// The result of a job.
#[derive(Debug, Clone, Copy)]
pub struct AgentResult<'a> {
    /// `Ok` with the summary, or the reason of the failure.
    pub outcome: Result<&'a str, &'a str>,
    /// Resources that it used.
    pub usage: &'a Usage,
    /// Changed files.
    pub files_changed: &'a [String],
    /// Refused tool calls.
    pub refused: &'a [RefusedCall],
    /// The pull request, if there is one.
    pub pr_link: Option<&'a str>,
}

impl Database {
    /// The job of a lease, even if the lease no longer holds.
    pub async fn leased_agent_job(&self, lease: &Lease) -> Result<Option<AgentJob>, StorageError> {
        let sql = format!("SELECT {COLUMNS} FROM agent_jobs WHERE id = $1");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(&lease.id);
        query.fetch_optional(&self.pool).await?.as_ref().map(read).transpose()
    }

    /// The saved run of a job, as its driver wrote it.
    pub async fn agent_run(&self, id: &str) -> Result<Option<String>, StorageError> {
        let row =
            sqlx::query("SELECT run FROM agent_jobs WHERE id = $1").bind(id).fetch_one(&self.pool);
        Ok(row.await?.try_get("run")?)
    }

    /// The change of a job, once its branch exists.
    pub async fn agent_diff(&self, id: &str) -> Result<Option<JobDiff>, StorageError> {
        let sql = "SELECT diff FROM agent_jobs WHERE id = $1";
        let row = sqlx::query(sql).bind(id).fetch_optional(&self.pool).await?;
        let text: Option<String> = row.map(|row| row.try_get("diff")).transpose()?.flatten();
        let read = |text: String| serde_json::from_str(&text);
        text.map(read).transpose().map_err(|error| StorageError::Value(error.to_string()))
    }

    /// Saves the run of a job and its usage so far. Returns whether the lease still holds.
    pub async fn save_agent_run(
        &self,
        lease: &Lease,
        (run, usage): (&str, &Usage),
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let sql =
            format!("UPDATE agent_jobs SET run = $1, usage = $4, updated_at = $5 WHERE {HELD}");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(run).bind(&lease.id).bind(lease.number);
        let query = query.bind(serde_json::json!(usage).to_string()).bind(now);
        Ok(query.execute(&self.pool).await?.rows_affected() == 1)
    }

    /// Records the commit that the work is based on, unless one is recorded. Returns the recorded one; `None` if
    /// the lease is lost.
    pub async fn record_base_commit(
        &self,
        lease: &Lease,
        commit: &str,
    ) -> Result<Option<String>, StorageError> {
        let sql = format!(
            "UPDATE agent_jobs SET base_commit = COALESCE(base_commit, $1) WHERE {HELD} RETURNING base_commit"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(commit).bind(&lease.id).bind(lease.number);
        let row = query.fetch_optional(&self.pool).await?;
        row.map(|row| Ok(row.try_get("base_commit")?)).transpose()
    }

    /// Records the branch of a job once it exists, and its changes if they are known. Returns whether the lease
    /// still holds.
    pub async fn record_branch(
        &self,
        lease: &Lease,
        branch: &str,
        diff: Option<&JobDiff>,
    ) -> Result<bool, StorageError> {
        let sql = format!("UPDATE agent_jobs SET git_ref = $1, diff = $4 WHERE {HELD}");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(branch).bind(&lease.id).bind(lease.number);
        let query = query.bind(diff.map(|diff| serde_json::json!(diff).to_string()));
        Ok(query.execute(&self.pool).await?.rows_affected() == 1)
    }

    /// Ends a job, with the event for it. An existing pull request stays. Returns whether the lease still held.
    pub async fn end_agent_job(
        &self,
        lease: &Lease,
        result: AgentResult<'_>,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let (status, summary, error) = match result.outcome {
            Ok(summary) => ("completed", Some(summary), None),
            Err(error) => ("failed", None, Some(error)),
        };
        let mut transaction = self.begin().await?;
        let sql = format!(
            "UPDATE agent_jobs SET status = $1, summary = COALESCE($4, summary), error = $5, usage = $6, files_changed = $7, \
             refused = $10, pr_link = COALESCE($8, pr_link), lease_expires_at = NULL, updated_at = $9 WHERE {HELD}"
        );
        let ended = sqlx::query(AssertSqlSafe(sql))
            .bind(status)
            .bind(&lease.id)
            .bind(lease.number)
            .bind(summary)
            .bind(error)
            .bind(serde_json::json!(result.usage).to_string())
            .bind(serde_json::json!(result.files_changed).to_string())
            .bind(result.pr_link)
            .bind(now)
            .bind(serde_json::json!(result.refused).to_string())
            .execute(&mut *transaction)
            .await?;
        if ended.rows_affected() == 0 {
            return Ok(false);
        }
        let data = serde_json::json!({ "status": status, "prLink": result.pr_link }).to_string();
        add_event(&mut transaction, &lease.id, ("status", &data), now).await?;
        let kind =
            if result.outcome.is_ok() { EventKind::JobCompleted } else { EventKind::JobFailed };
        record(&mut transaction, Subject::AgentJob(&lease.id), kind, now).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Records an event of a job for its watchers.
    pub async fn add_agent_event(
        &self,
        id: &str,
        kind: &str,
        data: &str,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let mut transaction = self.begin().await?;
        add_event(&mut transaction, id, (kind, data), now).await?;
        Ok(transaction.commit().await?)
    }

    /// Events of a job after a number.
    pub async fn agent_events(
        &self,
        id: &str,
        after: i64,
    ) -> Result<Vec<AgentEvent>, StorageError> {
        let sql = "SELECT number, kind, data FROM agent_events WHERE job_id = $1 AND number > $2 ORDER BY number LIMIT 500";
        let rows = sqlx::query(sql).bind(id).bind(after).fetch_all(&self.pool).await?;
        let read = |row: &sqlx::any::AnyRow| {
            Ok(AgentEvent {
                number: row.try_get("number")?,
                kind: row.try_get("kind")?,
                data: row.try_get("data")?,
            })
        };
        rows.iter().map(read).collect()
    }
}

async fn add_event(
    transaction: &mut Transaction<'_, Any>,
    id: &str,
    (kind, data): (&str, &str),
    now: Timestamp,
) -> Result<(), StorageError> {
    sqlx::query(
        "INSERT INTO agent_events (job_id, number, kind, data, created_at) \
         VALUES ($1, (SELECT COUNT(*) + 1 FROM agent_events WHERE job_id = $1), $2, $3, $4) ON CONFLICT DO NOTHING",
    )
    .bind(id)
    .bind(kind)
    .bind(data)
    .bind(now)
    .execute(&mut **transaction)
    .await?;
    Ok(())
}

/// Fails a job permanently. Its changes and usage so far stay recorded. Returns whether the lease still held.
pub(super) async fn fail(
    transaction: &mut Transaction<'_, Any>,
    lease: &Lease,
    error: &str,
    now: Timestamp,
) -> Result<bool, StorageError> {
    let sql = format!(
        "UPDATE agent_jobs SET status = 'failed', error = $1, lease_expires_at = NULL, updated_at = $4 WHERE {HELD}"
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(error).bind(&lease.id).bind(lease.number);
    let held = query.bind(now).execute(&mut **transaction).await?.rows_affected() == 1;
    if held {
        let data = serde_json::json!({ "status": "failed", "prLink": null }).to_string();
        add_event(transaction, &lease.id, ("status", &data), now).await?;
        record(transaction, Subject::AgentJob(&lease.id), EventKind::JobFailed, now).await?;
    }
    Ok(held)
}
