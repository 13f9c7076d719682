//! Revisions of records: of several updates that name the same revision, one succeeds.
//!
//! A record that people change counts its updates. Machines change it without counting: polls, activation, last use.

use sqlx::{Any, AssertSqlSafe, Transaction};

use crate::StorageError;

/// A record that counts its updates.
#[derive(Debug, Clone, Copy)]
pub(super) enum Record<'a> {
    /// The project with an id.
    Project(&'a str),
    /// The organization with an id.
    Organization(&'a str),
    /// The API key with an id, unless it is revoked.
    Key(&'a str),
}

impl<'a> Record<'a> {
    /// Its name in errors.
    const fn name(self) -> &'static str {
        match self {
            Self::Project(_) => "project",
            Self::Organization(_) => "organization",
            Self::Key(_) => "key",
        }
    }

    /// Its table, the condition that finds it, and its id.
    const fn row(self) -> (&'static str, &'static str, &'a str) {
        match self {
            Self::Project(id) => ("projects", "id = $1", id),
            Self::Organization(id) => ("organizations", "id = $1", id),
            Self::Key(id) => ("api_keys", "id = $1 AND revoked_at IS NULL", id),
        }
    }
}

/// Counts an update of a record in the transaction that makes it. Returns whether there is such a record. Fails if
/// the update names a revision and the record has another one.
pub(super) async fn revise(
    transaction: &mut Transaction<'_, Any>,
    record: Record<'_>,
    named: Option<i64>,
) -> Result<bool, StorageError> {
    let (table, condition, id) = record.row();
    let sql = format!(
        "UPDATE {table} SET revision = revision + 1 WHERE {condition} AND revision = COALESCE($2, revision)"
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(id).bind(named);
    if query.execute(&mut **transaction).await?.rows_affected() == 1 {
        return Ok(true);
    }
    let Some(revision) = named else { return Ok(false) };
    let sql = format!("SELECT revision FROM {table} WHERE {condition}");
    let query = sqlx::query(AssertSqlSafe(sql)).bind(id);
    match query.fetch_optional(&mut **transaction).await? {
        Some(_) => Err(StorageError::Stale { record: record.name(), revision }),
        None => Ok(false),
    }
}
