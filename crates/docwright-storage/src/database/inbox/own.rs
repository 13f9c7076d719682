//! What an account asked for, and what became of it.

use docwright_types::{release::CANCELED, timestamp::Timestamp};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Row};

use super::{InboxRow, ROWS};
use crate::{
    StorageError,
    database::{Database, lists::text, retention::placeholders},
};

/// Changes of an account that are read: the newest.
const CHANGES: i64 = 200;

/// A change by the account, or one by someone else to what the account created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnChange {
    /// The action, such as `update.create`.
    pub action: String,
    /// The id of the changed object.
    pub subject: String,
    /// Name of the actor.
    pub actor: String,
    /// The organization of the change.
    pub organization_id: Option<String>,
    /// The state after.
    pub after: Option<Value>,
    /// When.
    pub at: Timestamp,
}

const CHANGE: &str = "SELECT action, subject_id, actor_name, organization_id, state_after, created_at FROM audit_entries";

const RELEASE: &str = "SELECT releases.id AS subject, commit_message AS title, releases.status AS state, error, \
     NULL AS related, releases.project_id, projects.name AS project, releases.organization_id, \
     COALESCE(ended_at, releases.updated_at) AS happened_at";
const FAILED: &str = "JOIN projects ON projects.id = releases.project_id WHERE releases.status = 'failed' \
     AND COALESCE(error, '') <> $1";

impl Database {
    /// The newest changes of an account, in all organizations.
    pub async fn own_changes(&self, account_id: &str) -> Result<Vec<OwnChange>, StorageError> {
        let sql = format!("{CHANGE} WHERE actor_id = $1 ORDER BY id DESC LIMIT {CHANGES}");
        self.changes(sql, [account_id]).await
    }

    /// Changes of some objects that end what someone else created: merges and ends of pull requests, and accepted
    /// invitations.
    pub async fn ends_by_others(
        &self,
        account_id: &str,
        subjects: &[String],
    ) -> Result<Vec<OwnChange>, StorageError> {
        if subjects.is_empty() {
            return Ok(Vec::new());
        }
        let list = placeholders(2, subjects.len());
        let sql = format!(
            "{CHANGE} WHERE subject_id IN ({list}) AND actor_id <> $1 \
             AND action IN ('pull_request.merge', 'pull_request.close', 'invitation.accept')"
        );
        let subjects = subjects.iter().map(String::as_str);
        self.changes(sql, [account_id].into_iter().chain(subjects)).await
    }

    async fn changes(
        &self,
        sql: String,
        values: impl IntoIterator<Item = &str>,
    ) -> Result<Vec<OwnChange>, StorageError> {
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for value in values {
            query = query.bind(value.to_owned());
        }
        let read = |row: &sqlx::any::AnyRow| {
            let after: Option<String> = row.try_get("state_after")?;
            Ok(OwnChange {
                action: row.try_get("action")?,
                subject: row.try_get("subject_id")?,
                actor: row.try_get("actor_name")?,
                organization_id: row.try_get("organization_id")?,
                after: after.and_then(|text| serde_json::from_str(&text).ok()),
                at: row.try_get("created_at")?,
            })
        };
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// Failed releases of some updates. Canceled ones don't count.
    pub async fn failed_releases_of_updates(
        &self,
        updates: &[String],
    ) -> Result<Vec<InboxRow>, StorageError> {
        if updates.is_empty() {
            return Ok(Vec::new());
        }
        let list = placeholders(2, updates.len());
        let sql = format!(
            "{RELEASE} FROM releases {FAILED} AND update_id IN ({list}) ORDER BY releases.id DESC LIMIT {ROWS}"
        );
        self.inbox_rows(sql, [CANCELED].into_iter().chain(updates.iter().map(String::as_str))).await
    }

    /// Failed releases of commits: pairs of a project and a hash. Canceled ones don't count.
    pub async fn failed_releases_of_commits(
        &self,
        commits: &[(String, String)],
    ) -> Result<Vec<InboxRow>, StorageError> {
        if commits.is_empty() {
            return Ok(Vec::new());
        }
        let pairs = (0..commits.len()).map(|at| format!("(${}, ${})", at * 2 + 2, at * 2 + 3));
        let sql = format!(
            "WITH asked (project_id, commit_sha) AS (VALUES {}) {RELEASE} FROM asked \
             JOIN releases ON releases.project_id = asked.project_id AND {} = asked.commit_sha {FAILED} \
             ORDER BY releases.id DESC LIMIT {ROWS}",
            pairs.collect::<Vec<_>>().join(", "),
            text!("releases.commit_sha"),
        );
        let commits = commits.iter().flat_map(|(project, commit)| [project.as_str(), commit]);
        self.inbox_rows(sql, [CANCELED].into_iter().chain(commits)).await
    }

    /// Agent jobs among some that ended. Canceled ones don't count.
    pub async fn ended_jobs_among(&self, jobs: &[String]) -> Result<Vec<InboxRow>, StorageError> {
        if jobs.is_empty() {
            return Ok(Vec::new());
        }
        let list = placeholders(1, jobs.len());
        let sql = format!(
            "SELECT agent_jobs.id AS subject, (SELECT SUBSTR(prompt, 1, 300) FROM agent_messages WHERE job_id = agent_jobs.id \
             AND number = 1) AS title, status AS state, error, pr_link AS related, project_id, projects.name AS project, \
             projects.organization_id, updated_at AS happened_at \
             FROM agent_jobs JOIN projects ON projects.id = agent_jobs.project_id WHERE agent_jobs.id IN ({list}) \
             AND status IN ('completed', 'failed') AND COALESCE(error, '') <> 'cancelled' \
             ORDER BY agent_jobs.id DESC LIMIT {ROWS}"
        );
        self.inbox_rows(sql, jobs.iter().map(String::as_str)).await
    }

    /// Static exports among some that ended.
    pub async fn ended_exports_among(
        &self,
        exports: &[String],
    ) -> Result<Vec<InboxRow>, StorageError> {
        if exports.is_empty() {
            return Ok(Vec::new());
        }
        let list = placeholders(1, exports.len());
        let sql = format!(
            "SELECT export_jobs.id AS subject, domain AS title, status AS state, error, NULL AS related, project_id, \
             projects.name AS project, export_jobs.organization_id, updated_at AS happened_at \
             FROM export_jobs JOIN projects ON projects.id = export_jobs.project_id WHERE export_jobs.id IN ({list}) \
             AND status IN ('completed', 'failed') ORDER BY export_jobs.id DESC LIMIT {ROWS}"
        );
        self.inbox_rows(sql, exports.iter().map(String::as_str)).await
    }

    /// Pull requests of the built-in git host by project and number. Their times are those of their creation.
    pub async fn pull_requests_among(
        &self,
        pulls: &[(String, i64)],
    ) -> Result<Vec<InboxRow>, StorageError> {
        let mut all = Vec::new();
        for (project, number) in pulls {
            let sql = format!(
                "SELECT CAST(number AS TEXT) AS subject, title, state, NULL AS error, NULL AS related, project_id, \
                 projects.name AS project, organization_id, pull_requests.created_at AS happened_at \
                 FROM pull_requests JOIN projects ON projects.id = project_id WHERE project_id = $1 AND number = {number}"
            );
            all.extend(self.inbox_rows(sql, [project.as_str()]).await?);
        }
        Ok(all)
    }
}
