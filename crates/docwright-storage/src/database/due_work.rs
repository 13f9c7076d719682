//! What waits for a process: the one statement that an idle service repeats.

use sqlx::{AssertSqlSafe, Row};

use super::{Database, leases::Queue, notifications};
use crate::StorageError;

/// Work that can start now. Another process can claim a job or a notification first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DueWork {
    /// Queues with a job for a worker.
    pub queues: Vec<Queue>,
    /// Whether a notification waits for a sender.
    pub has_notifications: bool,
    /// How often the active releases of domains have changed; see [`Database::serving_changes`].
    pub serving_changes: i64,
}

impl Database {
    /// Reads which work is due: new work of any process, retries whose time has come, and work whose process
    /// disappeared; and whether sites changed.
    pub async fn due_work(&self) -> Result<DueWork, StorageError> {
        let due = |table: &str, condition: &str| {
            format!(
                "SELECT '{table}' AS due, 0 WHERE EXISTS (SELECT 1 FROM {table} WHERE {condition})"
            )
        };
        let queues = Queue::ALL.map(|queue| due(queue.table(), &self.claimable(queue)));
        let notifications = due("notifications", &notifications::due(self.clock()));
        let sql = format!(
            "SELECT 'serving_changes' AS due, changes FROM serving_changes WHERE id = 1 \
             UNION ALL {} UNION ALL {notifications}",
            queues.join(" UNION ALL ")
        );
        let mut work = DueWork::default();
        for row in sqlx::query(AssertSqlSafe(sql)).fetch_all(&self.pool).await? {
            let table: String = row.try_get("due")?;
            match Queue::ALL.into_iter().find(|queue| queue.table() == table) {
                Some(queue) => work.queues.push(queue),
                None if table == "notifications" => work.has_notifications = true,
                None => work.serving_changes = row.try_get("changes")?,
            }
        }
        Ok(work)
    }
}
