//! Agent jobs as workers see them: leases, saved runs, and how they end.
//!
//! Every write names the lease, so that a worker that lost it changes nothing any more.

use docwright_domain::{
    agent_job::{AgentEvent, AgentJob, MAXIMUM_ATTEMPTS, Usage},
    timestamp::Timestamp,
};
use sqlx::{AssertSqlSafe, Row};

use super::{
    Database,
    agent_jobs::{COLUMNS, read},
};
use crate::StorageError;

/// What a job came to.
#[derive(Debug, Clone, Copy)]
pub struct AgentResult<'a> {
    /// `Ok` with the summary, or why it failed.
    pub outcome: Result<&'a str, &'a str>,
    /// What it used up.
    pub usage: &'a Usage,
    /// Changed files.
    pub files_changed: &'a [String],
}

impl Database {
    /// Takes the next job that waits, or whose worker has let its lease run out.
    pub async fn claim_agent_job(
        &self,
        owner: &str,
        now: Timestamp,
        lease: Timestamp,
    ) -> Result<Option<AgentJob>, StorageError> {
        sqlx::query(
            "UPDATE agent_jobs SET status = 'failed', error = $1, lease_owner = NULL, updated_at = $2 \
             WHERE status = 'active' AND (lease_owner IS NULL OR lease_expires_at < $2) AND attempts >= $3",
        )
        .bind("the job was begun several times and never came to an end; see the server's log")
        .bind(now)
        .bind(MAXIMUM_ATTEMPTS)
        .execute(&self.pool)
        .await?;
        let lock = if self.skips_locked_rows { " FOR UPDATE SKIP LOCKED" } else { "" };
        let sql = format!(
            "UPDATE agent_jobs SET lease_owner = $1, lease_expires_at = $2, attempts = attempts + 1, updated_at = $3 \
             WHERE id = (SELECT id FROM agent_jobs WHERE status = 'active' AND run_after <= $3 \
             AND (lease_owner IS NULL OR lease_expires_at < $3) ORDER BY run_after, id LIMIT 1{lock}) RETURNING {COLUMNS}"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(owner).bind(now + lease).bind(now);
        query.fetch_optional(&self.pool).await?.as_ref().map(read).transpose()
    }

    /// Renews a lease. Returns whether it still holds.
    pub async fn renew_agent_job(
        &self,
        id: &str,
        owner: &str,
        expires_at: Timestamp,
    ) -> Result<bool, StorageError> {
        let query = sqlx::query(
            "UPDATE agent_jobs SET lease_expires_at = $1 WHERE id = $2 AND lease_owner = $3 AND status = 'active'",
        );
        let renewed = query.bind(expires_at).bind(id).bind(owner).execute(&self.pool).await?;
        Ok(renewed.rows_affected() == 1)
    }

    /// The saved run of a job, as its driver wrote it.
    pub async fn agent_run(&self, id: &str) -> Result<Option<String>, StorageError> {
        let row =
            sqlx::query("SELECT run FROM agent_jobs WHERE id = $1").bind(id).fetch_one(&self.pool);
        Ok(row.await?.try_get("run")?)
    }

    /// Saves the run of a job and what it used up so far. Returns whether the lease still holds.
    pub async fn save_agent_run(
        &self,
        id: &str,
        owner: &str,
        (run, usage): (&str, &Usage),
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let query = sqlx::query(
            "UPDATE agent_jobs SET run = $1, usage = $2, updated_at = $3 WHERE id = $4 AND lease_owner = $5 AND status = 'active'",
        );
        let usage = serde_json::json!(usage).to_string();
        let saved = query.bind(run).bind(usage).bind(now).bind(id).bind(owner).execute(&self.pool);
        Ok(saved.await?.rows_affected() == 1)
    }

    /// Notes the commit that the work begins from, unless one is noted. Returns the one noted.
    pub async fn note_base_commit(
        &self,
        id: &str,
        owner: &str,
        commit: &str,
    ) -> Result<Option<String>, StorageError> {
        let sql = "UPDATE agent_jobs SET base_commit = COALESCE(base_commit, $1) WHERE id = $2 AND lease_owner = $3 RETURNING base_commit";
        let row = sqlx::query(sql).bind(commit).bind(id).bind(owner).fetch_optional(&self.pool);
        row.await?.map(|row| Ok(row.try_get("base_commit")?)).transpose()
    }

    /// Notes the branch of a job, once it is there.
    pub async fn note_branch(
        &self,
        id: &str,
        owner: &str,
        branch: &str,
    ) -> Result<bool, StorageError> {
        let query =
            sqlx::query("UPDATE agent_jobs SET git_ref = $1 WHERE id = $2 AND lease_owner = $3");
        let noted = query.bind(branch).bind(id).bind(owner).execute(&self.pool).await?;
        Ok(noted.rows_affected() == 1)
    }

    /// Ends a job. The pull request, once there, stays. Returns whether the lease still held.
    pub async fn end_agent_job(
        &self,
        id: &str,
        owner: &str,
        result: AgentResult<'_>,
        pr_link: Option<&str>,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let (status, summary, error) = match result.outcome {
            Ok(summary) => ("completed", Some(summary), None),
            Err(error) => ("failed", None, Some(error)),
        };
        let query = sqlx::query(
            "UPDATE agent_jobs SET status = $1, summary = COALESCE($2, summary), error = $3, usage = $4, files_changed = $5, \
             pr_link = COALESCE($6, pr_link), lease_owner = NULL, updated_at = $7 \
             WHERE id = $8 AND lease_owner = $9 AND status = 'active'",
        );
        let ended = query
            .bind(status)
            .bind(summary)
            .bind(error)
            .bind(serde_json::json!(result.usage).to_string())
            .bind(serde_json::json!(result.files_changed).to_string())
            .bind(pr_link)
            .bind(now)
            .bind(id)
            .bind(owner)
            .execute(&self.pool);
        Ok(ended.await?.rows_affected() == 1)
    }

    /// Puts a job back in the queue: after a fault that may pass, or when its worker stops.
    pub async fn release_agent_job(
        &self,
        id: &str,
        owner: &str,
        run_after: Timestamp,
    ) -> Result<bool, StorageError> {
        let query = sqlx::query(
            "UPDATE agent_jobs SET lease_owner = NULL, run_after = $1 WHERE id = $2 AND lease_owner = $3 AND status = 'active'",
        );
        let released = query.bind(run_after).bind(id).bind(owner).execute(&self.pool).await?;
        Ok(released.rows_affected() == 1)
    }

    /// Notes something that happened in a job, for those who watch it.
    pub async fn add_agent_event(
        &self,
        id: &str,
        kind: &str,
        data: &str,
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
        .execute(&self.pool)
        .await?;
        Ok(())
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
