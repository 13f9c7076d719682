//! What an instance depends on and doesn't work now: models, and the object storage. A row goes when the dependency
//! works again.

use docwright_types::{problem::ProblemKind, timestamp::Timestamp};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::Database;
use crate::StorageError;

/// A dependency that doesn't work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailingDependency {
    /// A model, or the object storage.
    pub kind: ProblemKind,
    /// The name of the model; for the object storage, `read` or `write`.
    pub subject: String,
    /// The project that noticed; empty if it concerns all.
    pub project_id: String,
    /// What is wrong, without a period at the end.
    pub message: String,
    /// When it first failed.
    pub failing_since: Timestamp,
    /// How often it failed since then.
    pub failures: i64,
    /// When it is tested next.
    pub next_test_at: Timestamp,
}

impl Database {
    /// Records that a dependency failed. It is tested after `wait` milliseconds, unless a test is due earlier.
    pub async fn record_failing_dependency(
        &self,
        (kind, subject): (ProblemKind, &str),
        (project_id, message): (&str, &str),
        wait: Timestamp,
    ) -> Result<(), StorageError> {
        let clock = self.clock();
        let sql = format!(
            "INSERT INTO failing_dependencies (kind, subject, project_id, message, failing_since, failures, next_test_at) \
             VALUES ($1, $2, $3, $4, {clock}, 1, {clock} + $5) ON CONFLICT (kind, subject, project_id) DO UPDATE SET \
             message = $4, failures = failing_dependencies.failures + 1"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(kind.name()).bind(subject);
        let query = query.bind(project_id).bind(message).bind(wait);
        query.execute(&self.pool).await?;
        Ok(())
    }

    /// Records that a dependency works. Returns whether it didn't before.
    pub async fn record_working_dependency(
        &self,
        (kind, subject): (ProblemKind, &str),
    ) -> Result<bool, StorageError> {
        let sql = "DELETE FROM failing_dependencies WHERE kind = $1 AND subject = $2";
        let deleted = sqlx::query(sql).bind(kind.name()).bind(subject).execute(&self.pool).await?;
        Ok(deleted.rows_affected() > 0)
    }

    /// All dependencies that don't work. There are few.
    pub async fn failing_dependencies(&self) -> Result<Vec<FailingDependency>, StorageError> {
        let sql = "SELECT * FROM failing_dependencies ORDER BY kind, subject, project_id";
        let rows = sqlx::query(sql).fetch_all(&self.pool).await?;
        rows.iter().map(read).collect()
    }

    /// Those that concern a project.
    pub async fn failing_dependencies_of(
        &self,
        project_id: &str,
    ) -> Result<Vec<FailingDependency>, StorageError> {
        let sql = "SELECT * FROM failing_dependencies WHERE project_id IN ('', $1) ORDER BY kind, subject";
        let rows = sqlx::query(sql).bind(project_id).fetch_all(&self.pool).await?;
        rows.iter().map(read).collect()
    }

    /// Takes a dependency for a test, if it is due, and schedules the next one. One node of several gets it.
    pub async fn take_dependency_test(
        &self,
        (kind, subject): (ProblemKind, &str),
        wait: Timestamp,
    ) -> Result<bool, StorageError> {
        let clock = self.clock();
        let sql = format!(
            "UPDATE failing_dependencies SET next_test_at = {clock} + $3 \
             WHERE kind = $1 AND subject = $2 AND next_test_at <= {clock}"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(kind.name()).bind(subject).bind(wait);
        Ok(query.execute(&self.pool).await?.rows_affected() > 0)
    }
}

fn read(row: &AnyRow) -> Result<FailingDependency, StorageError> {
    let kind: String = row.try_get("kind")?;
    Ok(FailingDependency {
        kind: kind.parse().map_err(StorageError::Value)?,
        subject: row.try_get("subject")?,
        project_id: row.try_get("project_id")?,
        message: row.try_get("message")?,
        failing_since: row.try_get("failing_since")?,
        failures: row.try_get("failures")?,
        next_test_at: row.try_get("next_test_at")?,
    })
}
