//! Which kinds of work wait: the one statement that an idle service repeats.

use sqlx::{AssertSqlSafe, Row};

use super::{Database, leases::Queue, notifications};
use crate::StorageError;

/// Work that can start now. Another process can claim it first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DueWork {
    /// Queues with a job for a worker.
    pub queues: Vec<Queue>,
    /// Whether a notification waits for a sender.
    pub has_notifications: bool,
}

impl Database {
    /// Reads which work is due: new work of any process, retries whose time has come, and work whose process
    /// disappeared.
    pub async fn due_work(&self) -> Result<DueWork, StorageError> {
        let due = |table: &str, condition: &str| {
            format!(
                "SELECT '{table}' AS due WHERE EXISTS (SELECT 1 FROM {table} WHERE {condition})"
            )
        };
        let queues = Queue::ALL.map(|queue| due(queue.table(), &self.claimable(queue)));
        let notifications = due("notifications", &notifications::due(self.clock()));
        let sql = format!("{} UNION ALL {notifications}", queues.join(" UNION ALL "));
        let mut work = DueWork::default();
        for row in sqlx::query(AssertSqlSafe(sql)).fetch_all(&self.pool).await? {
            let table: String = row.try_get("due")?;
            match Queue::ALL.into_iter().find(|queue| queue.table() == table) {
                Some(queue) => work.queues.push(queue),
                None => work.has_notifications = true,
            }
        }
        Ok(work)
    }
}
