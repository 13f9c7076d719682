//! What concerns an account, read from the records themselves: the audit log names what the account asked for, and
//! the rows of these releases, jobs, and exports say what became of it. Only the time until which the account has read
//! is stored. Each read looks at a bounded number of rows.

mod of_organization;
mod own;

use docwright_types::timestamp::Timestamp;
use sqlx::{Any, AssertSqlSafe, Row, any::AnyRow};

use super::Database;
use crate::StorageError;

pub use own::OwnChange;

/// Rows of one kind.
const ROWS: i64 = 50;

/// A record that concerns an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxRow {
    /// The id of the record, or its name.
    pub subject: String,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// Its state, or the kind of its problem.
    pub state: String,
    /// What is wrong with it.
    pub error: Option<String>,
    /// URL of the pull request of an agent job, or ID of the site of a release that waits.
    pub related: Option<String>,
    /// Its project.
    pub project_id: String,
    /// Name of the project.
    pub project: String,
    /// The organization of the project.
    pub organization_id: String,
    /// When it got this state.
    pub at: Timestamp,
}

impl Database {
    /// Until when an account has read its inbox.
    pub async fn inbox_read_until(&self, account_id: &str) -> Result<Timestamp, StorageError> {
        let sql = "SELECT COALESCE(inboxes.read_until, accounts.created_at) AS read_until FROM accounts \
             LEFT JOIN inboxes ON inboxes.account_id = accounts.id WHERE accounts.id = $1";
        let row = sqlx::query(sql).bind(account_id).fetch_optional(&self.pool).await?;
        Ok(row.map(|row| row.try_get("read_until")).transpose()?.unwrap_or_default())
    }

    /// Records that an account has read its inbox until a time. It never becomes an earlier one.
    pub async fn read_inbox(&self, account_id: &str, until: Timestamp) -> Result<(), StorageError> {
        let sql = "INSERT INTO inboxes (account_id, read_until) VALUES ($1, $2) ON CONFLICT (account_id) \
             DO UPDATE SET read_until = $2 WHERE inboxes.read_until < $2";
        sqlx::query(sql).bind(account_id).bind(until).execute(&self.pool).await?;
        Ok(())
    }

    async fn inbox_rows(
        &self,
        sql: String,
        values: impl IntoIterator<Item = &str>,
    ) -> Result<Vec<InboxRow>, StorageError> {
        let mut query = sqlx::query::<Any>(AssertSqlSafe(sql));
        for value in values {
            query = query.bind(value.to_owned());
        }
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }
}

fn read(row: &AnyRow) -> Result<InboxRow, StorageError> {
    Ok(InboxRow {
        subject: row.try_get("subject")?,
        title: row.try_get("title")?,
        state: row.try_get("state")?,
        error: row.try_get("error")?,
        related: row.try_get("related")?,
        project_id: row.try_get("project_id")?,
        project: row.try_get("project")?,
        organization_id: row.try_get("organization_id")?,
        at: row.try_get("happened_at")?,
    })
}
