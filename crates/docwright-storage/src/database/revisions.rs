//! Revisions of records: of several updates that name the same revision, one succeeds.
//!
//! A record that people change counts its updates. Changes by the service don't count: polls, activation, last
//! use.

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
    /// The feedback entry of a project, with an id.
    Feedback(&'a str, &'a str),
    /// The member of an organization, with an account.
    Member(&'a str, &'a str),
    /// The plan with a name.
    Plan(&'a str),
    /// The domain with a name.
    Domain(&'a str),
    /// The deployment with an id.
    Deployment(&'a str),
}

impl<'a> Record<'a> {
    /// Its name in errors.
    const fn name(self) -> &'static str {
        match self {
            Self::Project(_) => "project",
            Self::Organization(_) => "organization",
            Self::Key(_) => "key",
            Self::Feedback(..) => "feedback entry",
            Self::Member(..) => "member",
            Self::Plan(_) => "plan",
            Self::Domain(_) => "domain",
            Self::Deployment(_) => "deployment",
        }
    }

    /// Its table, the condition that finds it, and the values of that condition.
    fn row(self) -> (&'static str, &'static str, Vec<&'a str>) {
        match self {
            Self::Project(id) => ("projects", "id = $1", vec![id]),
            Self::Organization(id) => ("organizations", "id = $1", vec![id]),
            Self::Key(id) => ("api_keys", "id = $1 AND revoked_at IS NULL", vec![id]),
            Self::Feedback(project_id, id) => {
                ("feedback", "project_id = $1 AND id = $2", vec![project_id, id])
            }
            Self::Member(organization_id, account_id) => {
                let condition = "organization_id = $1 AND account_id = $2";
                ("members", condition, vec![organization_id, account_id])
            }
            Self::Plan(name) => ("plans", "name = $1", vec![name]),
            Self::Domain(name) => ("domains", "name = $1", vec![name]),
            Self::Deployment(id) => ("deployments", "id = $1", vec![id]),
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
    let (table, condition, values) = record.row();
    let sql = format!(
        "UPDATE {table} SET revision = revision + 1 WHERE {condition} AND revision = COALESCE(${}, revision)",
        values.len() + 1
    );
    let query =
        values.iter().fold(sqlx::query(AssertSqlSafe(sql)), |query, value| query.bind(*value));
    if query.bind(named).execute(&mut **transaction).await?.rows_affected() == 1 {
        return Ok(true);
    }
    let Some(revision) = named else { return Ok(false) };
    let sql = format!("SELECT revision FROM {table} WHERE {condition}");
    let query =
        values.iter().fold(sqlx::query(AssertSqlSafe(sql)), |query, value| query.bind(*value));
    match query.fetch_optional(&mut **transaction).await? {
        Some(_) => Err(StorageError::Stale { record: record.name(), revision }),
        None => Ok(false),
    }
}
