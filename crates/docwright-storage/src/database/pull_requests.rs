//! Pull requests of docwright's own git host.

use docwright_types::{pull_request::PullRequest, release::Trigger, timestamp::Timestamp};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{
    Database, new_id,
    sites::{lock_project, record_pushed_head},
};
use crate::StorageError;

/// A pull request to open or update.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "as in PullRequest")]
pub struct NewPullRequest<'a> {
    pub project_id: &'a str,
    pub head: &'a str,
    pub base: &'a str,
    pub title: &'a str,
    pub body: &'a str,
}

/// The newest commits of a base branch around a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedCommits {
    /// Before the merge, if it is known.
    pub before: Option<String>,
    /// After the merge.
    pub after: String,
}

pub(super) const COLUMNS: &str =
    "project_id, number, head, base, title, body, state, merge_commit, base_before, created_at";

impl Database {
    /// Opens or updates the pull request of a branch. A branch never gets a second one.
    pub async fn open_pull_request(
        &self,
        new: NewPullRequest<'_>,
        now: Timestamp,
    ) -> Result<PullRequest, StorageError> {
        let mut transaction = self.begin().await?;
        lock_project(&mut transaction, new.project_id).await?;
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
        let subject = format!("{}/{}", new.project_id, opened.number);
        self.record_change(&mut transaction, &subject).await?;
        transaction.commit().await?;
        Ok(opened)
    }

    /// The pull request with a number.
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

    /// Pull requests of a project, newest first: `limit` of those before a number, or from the newest.
    pub async fn pull_requests(
        &self,
        project_id: &str,
        before: Option<i64>,
        limit: i64,
    ) -> Result<Vec<PullRequest>, StorageError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM pull_requests WHERE project_id = $1 AND number < $2 ORDER BY number DESC LIMIT $3"
        );
        let rows = sqlx::query(AssertSqlSafe(sql)).bind(project_id);
        let rows = rows.bind(before.unwrap_or(i64::MAX)).bind(limit).fetch_all(&self.pool).await?;
        rows.iter().map(read).collect()
    }

    /// Adds a comment to a pull request, or changes the comment with its marker. Returns its id; `None` if the
    /// pull request doesn't exist.
    pub async fn set_comment(
        &self,
        (project_id, number): (&str, i64),
        (marker, body): (&str, &str),
        now: Timestamp,
    ) -> Result<Option<String>, StorageError> {
        let row = sqlx::query(
            "INSERT INTO pull_request_comments (id, project_id, number, marker, body, created_at, updated_at) \
             SELECT $1, project_id, number, $4, $5, $6, $6 FROM pull_requests WHERE project_id = $2 AND number = $3 \
             ON CONFLICT (project_id, number, marker) DO UPDATE SET body = $5, updated_at = $6 RETURNING id",
        )
        .bind(new_id("com"))
        .bind(project_id)
        .bind(number)
        .bind(marker)
        .bind(body)
        .bind(now)
        .fetch_optional(&self.pool)
        .await?;
        row.map(|row| row.try_get("id").map_err(StorageError::from)).transpose()
    }

    /// The texts of the comments on a pull request, oldest first.
    pub async fn comments(
        &self,
        project_id: &str,
        number: i64,
    ) -> Result<Vec<String>, StorageError> {
        let sql = "SELECT body FROM pull_request_comments WHERE project_id = $1 AND number = $2 ORDER BY id";
        let rows = sqlx::query(sql).bind(project_id).bind(number).fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok(row.try_get("body")?)).collect()
    }

    /// Open pull requests of a project, newest first.
    pub async fn open_pull_requests(
        &self,
        project_id: &str,
    ) -> Result<Vec<PullRequest>, StorageError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM pull_requests WHERE project_id = $1 AND state = 'open' ORDER BY number DESC LIMIT 500"
        );
        let rows = sqlx::query(AssertSqlSafe(sql)).bind(project_id).fetch_all(&self.pool).await?;
        rows.iter().map(read).collect()
    }

    /// Closes an open pull request. Returns whether it was open.
    pub async fn close_pull_request(
        &self,
        project_id: &str,
        number: i64,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let query = sqlx::query(
            "UPDATE pull_requests SET state = 'closed', updated_at = $1 WHERE project_id = $2 AND number = $3 AND state = 'open'",
        );
        let closed = query.bind(now).bind(project_id).bind(number);
        self.change_one(closed, &format!("{project_id}/{number}")).await
    }

    /// Records that a pull request was merged, together with the new head of its base branch and the releases that
    /// follow. It is idempotent. `default` says whether the base is the repository's default branch.
    pub async fn record_merge(
        &self,
        pull_request: &PullRequest,
        (merged, default): (&MergedCommits, bool),
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let PullRequest { project_id, number, base, .. } = pull_request;
        let mut transaction = self.begin().await?;
        sqlx::query(
            "UPDATE pull_requests SET state = 'merged', merge_commit = $4, base_before = $5, updated_at = $1 \
             WHERE project_id = $2 AND number = $3 AND state = 'open'",
        )
        .bind(now)
        .bind(project_id)
        .bind(number)
        .bind(&merged.after)
        .bind(&merged.before)
        .execute(&mut *transaction)
        .await?;
        let head = (merged.after.as_str(), Trigger::Merge);
        record_pushed_head(&mut transaction, project_id, (base, default), head, now).await?;
        Ok(transaction.commit().await?)
    }
}

pub(super) fn read(row: &AnyRow) -> Result<PullRequest, StorageError> {
    let state: String = row.try_get("state")?;
    Ok(PullRequest {
        project_id: row.try_get("project_id")?,
        number: row.try_get("number")?,
        head: row.try_get("head")?,
        base: row.try_get("base")?,
        title: row.try_get("title")?,
        body: row.try_get("body")?,
        state: state.parse().map_err(StorageError::Value)?,
        merge_commit: row.try_get("merge_commit")?,
        base_before: row.try_get("base_before")?,
        created_at: row.try_get("created_at")?,
    })
}
