//! How long questions are kept.

use docwright_types::timestamp::{DAY, Timestamp};
use sqlx::{Any, Transaction};

use crate::{StorageError, database::Database};

impl Database {
    /// Removes questions that expired. Returns how many.
    pub async fn remove_old_questions(&self, now: Timestamp) -> Result<u64, StorageError> {
        self.remove_in_batches("assistant_questions", "id", "expires_at <= $1", now).await
    }
}

/// Shortens the time for which the questions of a project are kept to a number of days. A longer time is only for later
/// questions: readers asked while the shorter one was set.
pub(in crate::database) async fn shorten(
    transaction: &mut Transaction<'_, Any>,
    project_id: &str,
    days: u16,
) -> Result<(), StorageError> {
    let sql = "UPDATE assistant_questions SET expires_at = asked_at + $1 \
         WHERE project_id = $2 AND expires_at > asked_at + $1";
    let query = sqlx::query(sql).bind(i64::from(days) * DAY).bind(project_id);
    query.execute(&mut **transaction).await?;
    Ok(())
}
