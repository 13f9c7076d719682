//! Searches for parts of texts that no index has, among the newest agent jobs and pull requests of a project.

use docwright_types::{agent_job::AgentJob, pull_request::PullRequest};
use sqlx::AssertSqlSafe;

use super::{
    Database, agent_jobs,
    lists::{containing, text},
    pull_requests,
};
use crate::StorageError;

/// Agent jobs of a project, or pull requests, whose texts are searched.
const SEARCHED: i64 = 1_000;

impl Database {
    /// The newest agent jobs of a project whose first prompt or id contains a text.
    pub async fn agent_jobs_with_text(
        &self,
        project_id: &str,
        search: &str,
        limit: i64,
    ) -> Result<Vec<AgentJob>, StorageError> {
        let sql = format!(
            "SELECT {} FROM agent_jobs WHERE id IN (SELECT id FROM agent_jobs WHERE project_id = $1 ORDER BY id DESC LIMIT {SEARCHED}) \
             AND (id LIKE $2 ESCAPE '\\' OR EXISTS (SELECT 1 FROM agent_messages WHERE job_id = agent_jobs.id AND number = 1 \
             AND {} LIKE $2 ESCAPE '\\')) ORDER BY id DESC LIMIT $3",
            agent_jobs::COLUMNS,
            text!("prompt"),
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(project_id).bind(containing(search));
        let rows = query.bind(limit).fetch_all(&self.pool).await?;
        rows.iter().map(agent_jobs::read).collect()
    }

    /// The newest pull requests of a project with a number, or whose title or branch contains a text.
    pub async fn pull_requests_with_text(
        &self,
        project_id: &str,
        search: &str,
        limit: i64,
    ) -> Result<Vec<PullRequest>, StorageError> {
        let sql = format!(
            "SELECT {} FROM pull_requests WHERE project_id = $1 AND number IN (SELECT number FROM pull_requests \
             WHERE project_id = $1 ORDER BY number DESC LIMIT {SEARCHED}) \
             AND (number = $2 OR {} LIKE $3 ESCAPE '\\' OR {} LIKE $3 ESCAPE '\\') ORDER BY number DESC LIMIT $4",
            pull_requests::COLUMNS,
            text!("title"),
            text!("head"),
        );
        // No pull request has this number.
        let number = search.trim_start_matches('#').parse().unwrap_or(-1_i64);
        let query = sqlx::query(AssertSqlSafe(sql)).bind(project_id).bind(number);
        let rows = query.bind(containing(search)).bind(limit).fetch_all(&self.pool).await?;
        rows.iter().map(pull_requests::read).collect()
    }
}
