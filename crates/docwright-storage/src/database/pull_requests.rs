//! Pull requests of docwright's own git host.

use docwright_domain::{
    pull_request::{PullRequest, PullRequestState},
    timestamp::Timestamp,
};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::Database;
use crate::StorageError;

/// A pull request to be opened, or brought up to date.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "as in PullRequest")]
pub struct NewPullRequest<'a> {
    pub project_id: &'a str,
    pub head: &'a str,
    pub base: &'a str,
    pub title: &'a str,
    pub body: &'a str,
}

const COLUMNS: &str = "project_id, number, head, base, title, body, state, created_at";

impl Database {
    /// Opens the pull request of a branch, or brings the one that it has up to date: a branch has
    /// one, ever.
    pub async fn open_pull_request(
        &self,
        new: NewPullRequest<'_>,
        now: Timestamp,
    ) -> Result<PullRequest, StorageError> {
        let mut transaction = self.pool.begin().await?;
        // A write to the project first, so that numbers are given one after the other.
        sqlx::query("UPDATE projects SET name = name WHERE id = $1")
            .bind(new.project_id)
            .execute(&mut *transaction)
            .await?;
        let sql = format!(
            "INSERT INTO pull_requests (project_id, number, head, base, title, body, state, created_at, updated_at) \
             VALUES ($1, (SELECT COUNT(*) + 1 FROM pull_requests WHERE project_id = $1), $2, $3, $4, $5, 'open', $6, $6) \
             ON CONFLICT (project_id, head) DO UPDATE SET title = $4, body = $5, updated_at = $6 RETURNING {COLUMNS}"
        );
        let row = sqlx::query(AssertSqlSafe(sql))
            .bind(new.project_id)
            .bind(new.head)
            .bind(new.base)
            .bind(new.title)
            .bind(new.body)
            .bind(now)
            .fetch_one(&mut *transaction)
            .await?;
        let opened = read(&row)?;
        transaction.commit().await?;
        Ok(opened)
    }

    /// The pull request of a number.
    pub async fn pull_request(
        &self,
        project_id: &str,
        number: i64,
    ) -> Result<Option<PullRequest>, StorageError> {
        let sql =
            format!("SELECT {COLUMNS} FROM pull_requests WHERE project_id = $1 AND number = $2");
        let row = sqlx::query(AssertSqlSafe(sql)).bind(project_id).bind(number);
        row.fetch_optional(&self.pool).await?.as_ref().map(read).transpose()
    }

    /// The pull request of a branch.
    pub async fn pull_request_of(
        &self,
        project_id: &str,
        head: &str,
    ) -> Result<Option<PullRequest>, StorageError> {
        let sql =
            format!("SELECT {COLUMNS} FROM pull_requests WHERE project_id = $1 AND head = $2");
        let row = sqlx::query(AssertSqlSafe(sql)).bind(project_id).bind(head);
        row.fetch_optional(&self.pool).await?.as_ref().map(read).transpose()
    }

    /// Pull requests of a project, newest first.
    pub async fn pull_requests(&self, project_id: &str) -> Result<Vec<PullRequest>, StorageError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM pull_requests WHERE project_id = $1 ORDER BY number DESC LIMIT 200"
        );
        let rows = sqlx::query(AssertSqlSafe(sql)).bind(project_id).fetch_all(&self.pool).await?;
        rows.iter().map(read).collect()
    }

    /// Ends an open pull request. Returns whether it was open.
    pub async fn end_pull_request(
        &self,
        project_id: &str,
        number: i64,
        state: PullRequestState,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let query = sqlx::query(
            "UPDATE pull_requests SET state = $1, updated_at = $2 WHERE project_id = $3 AND number = $4 AND state = 'open'",
        );
        let ended = query.bind(state.name()).bind(now).bind(project_id).bind(number);
        Ok(ended.execute(&self.pool).await?.rows_affected() == 1)
    }
}

fn read(row: &AnyRow) -> Result<PullRequest, StorageError> {
    let state: String = row.try_get("state")?;
    Ok(PullRequest {
        project_id: row.try_get("project_id")?,
        number: row.try_get("number")?,
        head: row.try_get("head")?,
        base: row.try_get("base")?,
        title: row.try_get("title")?,
        body: row.try_get("body")?,
        state: state.parse().map_err(StorageError::Value)?,
        created_at: row.try_get("created_at")?,
    })
}
