//! Agent jobs for callers: creating, reading, canceling, archiving.

use std::collections::HashMap;

use docwright_types::{
    agent_job::{AgentJob, AgentStatus},
    key::ApiKey,
    notification::EventKind,
    timestamp::{HOUR, Timestamp},
};
use futures::FutureExt;
use sqlx::{Any, AnyConnection, AnyPool, AssertSqlSafe, Row, Transaction, any::AnyRow};

use super::{
    Allowance, Database, Organization, idempotency, keys,
    lists::{Order, PageRequest, Rows},
    new_id,
    notifications::{Subject, record},
    retention::{BATCH, placeholders},
    shared_reads::{SharedReads, rows},
    sites::lock_project,
};
use crate::StorageError;

/// Characters of a prompt that is a title.
const TITLE: usize = 300;

/// A new job.
#[derive(Debug, Clone)]
pub struct NewAgentJob {
    /// The requesting organization.
    pub organization_id: String,
    /// The edited project.
    pub project_id: String,
    /// Full address of the repository.
    pub repository: String,
    /// Name of the model.
    pub model: String,
    /// The prompt.
    pub prompt: String,
    /// The caller's idempotency key, and a fingerprint of the request.
    pub idempotency: Option<(String, String)>,
}

/// Result of sending a prompt.
#[derive(Debug)]
pub enum Prompted {
    /// The job, new or that of the same earlier request.
    Job(Box<AgentJob>, Allowance),
    /// The idempotency key was used for another request.
    Conflict,
    /// The limit is used up.
    Limited(Allowance),
    /// The job can't take a message in its state.
    Refused(AgentStatus),
    /// There is no such job.
    Missing,
}

/// An entry in the history of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentEntry {
    /// When.
    pub at: Timestamp,
    /// `prompt`, or the kind of an event.
    pub kind: String,
    /// The text of a prompt, or the JSON of an event.
    pub data: String,
}

/// Ends an active job at `$1`.
const CANCEL: &str = "UPDATE agent_jobs SET status = 'failed', error = 'cancelled', lease_expires_at = NULL, \
     updated_at = $1 WHERE id = $2 AND status = 'active'";

pub(super) const COLUMNS: &str = "id, project_id, status, repository, git_ref, base_commit, model, pr_link, error, summary, \
     usage, files_changed, refused, failures, created_at, updated_at, archived_at";

impl Database {
    /// Creates a job with its first prompt. The limit is exact, also with several nodes.
    pub async fn create_agent_job(
        &self,
        new: &NewAgentJob,
        now: Timestamp,
    ) -> Result<Prompted, StorageError> {
        let id = new_id("agt");
        let mut transaction = self.begin().await?;
        lock_project(&mut transaction, &new.project_id).await?;
        if let Some((key, fingerprint)) = &new.idempotency {
            let used = idempotency::claim(
                &mut transaction,
                &new.organization_id,
                key,
                fingerprint,
                &id,
                now,
            );
            if !used.await? {
                transaction.rollback().await?;
                return self.replay_agent_job(new, now).await;
            }
        }
        let allowance = allowance(&mut transaction, &new.project_id, now).await?;
        if allowance.remaining == 0 {
            // Dropping the transaction releases the idempotency key: a refusal uses nothing up.
            return Ok(Prompted::Limited(allowance));
        }
        sqlx::query(
            "INSERT INTO agent_jobs (id, project_id, status, repository, model, usage, files_changed, failures, run_after, created_at, updated_at) \
             VALUES ($1, $2, 'active', $3, $4, '{\"inputTokens\":0,\"outputTokens\":0,\"cost\":null}', '[]', 0, 0, $5, $5)",
        )
        .bind(&id)
        .bind(&new.project_id)
        .bind(&new.repository)
        .bind(&new.model)
        .bind(now)
        .execute(&mut *transaction)
        .await?;
        add_message(&mut transaction, &new.project_id, &id, &new.prompt, now).await?;
        self.record_change(&mut transaction, &id).await?;
        transaction.commit().await?;
        self.prompted(&new.project_id, &id, spend(allowance)).await
    }

    async fn replay_agent_job(
        &self,
        new: &NewAgentJob,
        now: Timestamp,
    ) -> Result<Prompted, StorageError> {
        let Some((key, fingerprint)) = &new.idempotency else { return Ok(Prompted::Missing) };
        match self.used_idempotency(&new.organization_id, key).await? {
            Some((first, id)) if first == *fingerprint => {
                let mut transaction = self.begin().await?;
                let allowance = allowance(&mut transaction, &new.project_id, now).await?;
                transaction.rollback().await?;
                self.prompted(&new.project_id, &id, allowance).await
            }
            _ => Ok(Prompted::Conflict),
        }
    }

    async fn prompted(
        &self,
        project_id: &str,
        id: &str,
        allowance: Allowance,
    ) -> Result<Prompted, StorageError> {
        let job = self.agent_job(project_id, id).await?;
        Ok(job.map_or(Prompted::Missing, |job| Prompted::Job(Box::new(job), allowance)))
    }

    /// Sets a completed or failed job back to `active` with another prompt. `idempotency` is the requesting
    /// organization, its key, and a fingerprint of the request.
    pub async fn follow_up(
        &self,
        project_id: &str,
        id: &str,
        prompt: &str,
        idempotency: Option<(&str, &str, &str)>,
        now: Timestamp,
    ) -> Result<Prompted, StorageError> {
        let mut transaction = self.begin().await?;
        lock_project(&mut transaction, project_id).await?;
        if let Some((organization_id, key, fingerprint)) = idempotency {
            let claimed =
                idempotency::claim(&mut transaction, organization_id, key, fingerprint, id, now);
            if !claimed.await? {
                let allowance = allowance(&mut transaction, project_id, now).await?;
                transaction.rollback().await?;
                return match self.used_idempotency(organization_id, key).await? {
                    Some((first, id)) if first == fingerprint => {
                        self.prompted(project_id, &id, allowance).await
                    }
                    _ => Ok(Prompted::Conflict),
                };
            }
        }
        let sql = "SELECT status FROM agent_jobs WHERE id = $1 AND project_id = $2";
        let row = sqlx::query(sql).bind(id).bind(project_id).fetch_optional(&mut *transaction);
        let Some(row) = row.await? else { return Ok(Prompted::Missing) };
        let status = status(&row)?;
        if !matches!(status, AgentStatus::Completed | AgentStatus::Failed) {
            return Ok(Prompted::Refused(status));
        }
        let allowance = allowance(&mut transaction, project_id, now).await?;
        if allowance.remaining == 0 {
            return Ok(Prompted::Limited(allowance));
        }
        sqlx::query(
            "UPDATE agent_jobs SET status = 'active', error = NULL, base_commit = NULL, failures = 0, interruptions = 0, \
             run_after = 0, lease_expires_at = NULL, updated_at = $1 WHERE id = $2",
        )
        .bind(now)
        .bind(id)
        .execute(&mut *transaction)
        .await?;
        add_message(&mut transaction, project_id, id, prompt, now).await?;
        self.record_change(&mut transaction, id).await?;
        transaction.commit().await?;
        self.prompted(project_id, id, spend(allowance)).await
    }

    /// A key and a job in their present state, read by one query that simultaneous requests share. Callers check
    /// whether the key is valid: the job is found in projects that the key can access.
    pub async fn key_and_agent_job(
        &self,
        key_id: &str,
        project_id: &str,
        id: &str,
    ) -> Result<Option<KeyAndAgentJob>, StorageError> {
        self.agent_jobs.read([key_id, project_id, id].map(str::to_owned)).await
    }

    /// A job of a project.
    pub async fn agent_job(
        &self,
        project_id: &str,
        id: &str,
    ) -> Result<Option<AgentJob>, StorageError> {
        let sql = format!("SELECT {COLUMNS} FROM agent_jobs WHERE id = $1 AND project_id = $2");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(id).bind(project_id);
        query.fetch_optional(&self.pool).await?.as_ref().map(read).transpose()
    }

    /// Jobs of a project, newest first. `status` filters them.
    pub async fn agent_jobs(
        &self,
        project_id: &str,
        status: Option<AgentStatus>,
        page: PageRequest<'_>,
    ) -> Result<Vec<AgentJob>, StorageError> {
        let select = format!("SELECT {COLUMNS} FROM agent_jobs");
        let rows = Rows::all()
            .with("project_id", Some(project_id))
            .with("status", status.map(|status| status.to_string()));
        rows.read(&self.pool, &select, Order::newest("id"), page, read).await
    }

    /// Jobs of a project, newest first: `take` of them after the first `skip`.
    pub async fn newest_agent_jobs(
        &self,
        project_id: &str,
        skip: i64,
        take: i64,
    ) -> Result<Vec<AgentJob>, StorageError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM agent_jobs WHERE project_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(project_id).bind(take).bind(skip);
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// The prompts of a job, first to last.
    pub async fn agent_prompts(&self, id: &str) -> Result<Vec<String>, StorageError> {
        let sql = "SELECT prompt FROM agent_messages WHERE job_id = $1 ORDER BY number";
        let rows = sqlx::query(sql).bind(id).fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok(row.try_get("prompt")?)).collect()
    }

    /// The beginning of the first prompt of each of some jobs, by job.
    pub async fn agent_titles(
        &self,
        jobs: &[&str],
    ) -> Result<HashMap<String, String>, StorageError> {
        if jobs.is_empty() {
            return Ok(HashMap::new());
        }
        let list = placeholders(1, jobs.len());
        let sql = format!(
            "SELECT job_id, SUBSTR(prompt, 1, {TITLE}) AS title FROM agent_messages WHERE number = 1 AND job_id IN ({list})"
        );
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for id in jobs {
            query = query.bind(*id);
        }
        let rows = query.fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok((row.try_get("job_id")?, row.try_get("title")?))).collect()
    }

    /// The prompts and events of a job, first to last: the newest 1000 entries.
    pub async fn agent_history(&self, id: &str) -> Result<Vec<AgentEntry>, StorageError> {
        // A result can have the same timestamp as its prompt.
        let sql = "SELECT created_at, 0 AS rank, number, 'prompt' AS kind, prompt AS data FROM agent_messages WHERE job_id = $1 \
             UNION ALL SELECT created_at, 1 AS rank, number, kind, data FROM agent_events WHERE job_id = $1 \
             ORDER BY created_at DESC, rank DESC, number DESC LIMIT 1000";
        let rows = sqlx::query(sql).bind(id).fetch_all(&self.pool).await?;
        let read = |row: &AnyRow| {
            Ok(AgentEntry {
                at: row.try_get("created_at")?,
                kind: row.try_get("kind")?,
                data: row.try_get("data")?,
            })
        };
        rows.iter().rev().map(read).collect()
    }

    /// Ends an active job `failed`, "cancelled". Its worker notices that its lease is gone.
    pub async fn cancel_agent_job(&self, id: &str, now: Timestamp) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let query = sqlx::query(CANCEL).bind(now).bind(id);
        let cancelled = query.execute(&mut *transaction).await?.rows_affected() == 1;
        if cancelled {
            record(&mut transaction, Subject::AgentJob(id), EventKind::JobFailed, now).await?;
            self.record_change(&mut transaction, id).await?;
        }
        transaction.commit().await?;
        Ok(cancelled)
    }

    /// Archives a job. An active job is canceled first.
    pub async fn archive_agent_job(&self, id: &str, now: Timestamp) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let cancelled = sqlx::query(CANCEL).bind(now).bind(id).execute(&mut *transaction).await?;
        if cancelled.rows_affected() == 1 {
            record(&mut transaction, Subject::AgentJob(id), EventKind::JobFailed, now).await?;
        }
        let sql = "UPDATE agent_jobs SET status = 'archived', archived_at = $1, updated_at = $1 \
             WHERE id = $2 AND status <> 'archived'";
        let query = sqlx::query(sql).bind(now).bind(id);
        let archived = query.execute(&mut *transaction).await?.rows_affected() == 1;
        if archived {
            self.record_change(&mut transaction, id).await?;
        }
        transaction.commit().await?;
        Ok(archived)
    }

    /// Archives jobs that ended before a time. Returns how many.
    pub async fn archive_agent_jobs(
        &self,
        before: Timestamp,
        now: Timestamp,
    ) -> Result<u64, StorageError> {
        let old = format!(
            "SELECT id FROM agent_jobs WHERE status IN ('completed', 'failed') AND updated_at < $1 LIMIT {BATCH}"
        );
        let mut count = 0;
        loop {
            // Reading costs no write, and a batch delays other writers only briefly.
            let query = sqlx::query(AssertSqlSafe(old.clone())).bind(before);
            let rows = query.fetch_all(&self.pool).await?;
            if rows.is_empty() {
                return Ok(count);
            }
            let list = placeholders(2, rows.len());
            let sql = format!(
                "UPDATE agent_jobs SET status = 'archived', archived_at = $1, updated_at = $1 \
                 WHERE id IN ({list}) AND status IN ('completed', 'failed')"
            );
            let mut query = sqlx::query(AssertSqlSafe(sql)).bind(now);
            for row in &rows {
                query = query.bind(row.try_get::<String, _>("id")?);
            }
            count += query.execute(&self.pool).await?.rows_affected();
        }
    }
}

/// A key, and the job that its holder requests.
#[derive(Debug, Clone)]
pub struct KeyAndAgentJob {
    /// The key.
    pub key: ApiKey,
    /// The organization of the key, if it has one.
    pub organization: Option<Organization>,
    /// Whether the key reaches the project.
    pub has_project: bool,
    /// The job, if the project has it.
    pub job: Option<AgentJob>,
}

/// Reads by key, project and job.
pub(super) type AgentJobReads = SharedReads<[String; 3], KeyAndAgentJob>;

pub(super) fn shared_reads(pool: &AnyPool) -> AgentJobReads {
    SharedReads::start(pool.clone(), |connection, asked| read_shared(connection, asked).boxed())
}

async fn read_shared(
    connection: &mut AnyConnection,
    asked: Vec<[String; 3]>,
) -> Result<HashMap<[String; 3], KeyAndAgentJob>, StorageError> {
    let (count, rows) = rows(asked.len(), 3);
    let columns = COLUMNS.replace(", ", ", agent_jobs.");
    let sql = format!(
        "WITH asked (key_id, project_id, id) AS (VALUES {rows}) \
         SELECT asked.project_id AS asked_project, asked.id AS asked_job, projects.id AS own_project, {}, \
         agent_jobs.{columns} FROM asked {} \
         LEFT JOIN projects ON projects.id = asked.project_id \
         AND (api_keys.organization_id IS NULL OR projects.organization_id = api_keys.organization_id) \
         LEFT JOIN agent_jobs ON agent_jobs.id = asked.id AND agent_jobs.project_id = projects.id",
        keys::HELD_COLUMNS,
        keys::JOINED
    );
    let mut query = sqlx::query(AssertSqlSafe(sql));
    for part in asked.iter().cycle().take(count).flatten() {
        query = query.bind(part);
    }
    let mut found = HashMap::new();
    for row in query.fetch_all(&mut *connection).await? {
        let (key, organization) = keys::read_held(&row)?;
        let asked = [key.id.clone(), row.try_get("asked_project")?, row.try_get("asked_job")?];
        let project: Option<String> = row.try_get("own_project")?;
        let is_among = |id: &String| key.projects.is_empty() || key.projects.contains(id);
        let has_project = project.as_ref().is_some_and(is_among);
        let has_job = has_project && row.try_get::<Option<String>, _>("id")?.is_some();
        let job = has_job.then(|| read(&row)).transpose()?;
        found.insert(asked, KeyAndAgentJob { key, organization, has_project, job });
    }
    Ok(found)
}

async fn allowance(
    transaction: &mut Transaction<'_, Any>,
    project_id: &str,
    now: Timestamp,
) -> Result<Allowance, StorageError> {
    let sql = "SELECT prompts_an_hour FROM projects JOIN organizations ON organizations.id = organization_id \
         JOIN plans ON plans.name = plan WHERE projects.id = $1";
    let row = sqlx::query(sql).bind(project_id).fetch_optional(&mut **transaction).await?;
    let quota: i64 = row.map_or(Ok(0), |row| row.try_get("prompts_an_hour"))?;
    let row = sqlx::query(
        "SELECT COUNT(*) AS used, MIN(created_at) AS first FROM agent_messages WHERE project_id = $1 AND created_at > $2",
    )
    .bind(project_id)
    .bind(now - HOUR)
    .fetch_one(&mut **transaction)
    .await?;
    let used: i64 = row.try_get("used")?;
    let first: Option<i64> = row.try_get("first")?;
    // The clock of the node that wrote the first entry can be ahead of ours.
    let reset = first.map_or(HOUR, |first| (first + HOUR - now).min(HOUR));
    Ok(Allowance { quota, remaining: (quota - used).max(0), reset })
}

fn spend(allowance: Allowance) -> Allowance {
    Allowance { remaining: allowance.remaining - 1, ..allowance }
}

async fn add_message(
    transaction: &mut Transaction<'_, Any>,
    project_id: &str,
    id: &str,
    prompt: &str,
    now: Timestamp,
) -> Result<(), StorageError> {
    sqlx::query(
        "INSERT INTO agent_messages (job_id, number, project_id, prompt, created_at) \
         VALUES ($1, (SELECT COUNT(*) + 1 FROM agent_messages WHERE job_id = $1), $2, $3, $4)",
    )
    .bind(id)
    .bind(project_id)
    .bind(prompt)
    .bind(now)
    .execute(&mut **transaction)
    .await?;
    Ok(())
}

fn status(row: &AnyRow) -> Result<AgentStatus, StorageError> {
    let status: String = row.try_get("status")?;
    status.parse().map_err(StorageError::Value)
}

pub(super) fn read(row: &AnyRow) -> Result<AgentJob, StorageError> {
    let json = |error: serde_json::Error| StorageError::Value(error.to_string());
    let usage: String = row.try_get("usage")?;
    let files: String = row.try_get("files_changed")?;
    let refused: String = row.try_get("refused")?;
    Ok(AgentJob {
        id: row.try_get("id")?,
        project_id: row.try_get("project_id")?,
        status: status(row)?,
        repository: row.try_get("repository")?,
        git_ref: row.try_get("git_ref")?,
        base_commit: row.try_get("base_commit")?,
        model: row.try_get("model")?,
        pr_link: row.try_get("pr_link")?,
        error: row.try_get("error")?,
        summary: row.try_get("summary")?,
        usage: serde_json::from_str(&usage).map_err(json)?,
        files_changed: serde_json::from_str(&files).map_err(json)?,
        refused: serde_json::from_str(&refused).map_err(json)?,
        failures: row.try_get("failures")?,
        created_at: row.try_get("created_at")?,
        updated_at: row.try_get("updated_at")?,
        archived_at: row.try_get("archived_at")?,
    })
}
