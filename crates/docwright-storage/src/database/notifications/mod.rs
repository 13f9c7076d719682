//! Notifications: events on their way to subscriptions. They are recorded in the transaction of the change itself
//! ([`record`]), so none is lost and none reports a change that was rolled back.

mod record;
mod sending;

use docwright_types::{
    notification::{EventKind, NotificationStatus},
    timestamp::Timestamp,
};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::Database;
use crate::StorageError;

pub(super) use record::{Subject, insert, record};
pub use sending::ClaimedNotification;
pub(super) use sending::due;

/// A notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// Its id, which its receiver gets as `webhook-id`.
    pub id: String,
    /// Its subscription.
    pub subscription_id: String,
    /// The event.
    pub event: EventKind,
    /// The payload, as JSON.
    pub payload: String,
    /// Its state.
    pub status: NotificationStatus,
    /// The number of attempts.
    pub attempts: i64,
    /// When it is sent next, while it is pending.
    pub run_after: Timestamp,
    /// HTTP status of the last response, if there was one.
    pub response_status: Option<i64>,
    /// Why the last attempt failed.
    pub error: Option<String>,
    /// When it happened.
    pub created_at: Timestamp,
    /// When it was delivered or failed permanently.
    pub ended_at: Option<Timestamp>,
}

const COLUMNS: &str = "id, subscription_id, event, payload, status, attempts, run_after, response_status, error, \
     created_at, ended_at";

impl Database {
    /// The notifications of a subscription, newest first: those after the one of `cursor`.
    pub async fn notifications(
        &self,
        subscription_id: &str,
        cursor: Option<&str>,
        limit: i64,
    ) -> Result<Vec<Notification>, StorageError> {
        // Ids sort by time. An `OR` would keep the index from starting at the cursor.
        let before = if cursor.is_some() { "id < $2" } else { "$2 = ''" };
        let sql = format!(
            "SELECT {COLUMNS} FROM notifications WHERE subscription_id = $1 AND {before} ORDER BY id DESC LIMIT $3"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(subscription_id);
        let query = query.bind(cursor.unwrap_or_default()).bind(limit);
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// Sends a notification again, in any state. Returns it, if it exists and isn't being sent.
    pub async fn resend_notification(
        &self,
        (subscription_id, id): (&str, &str),
        now: Timestamp,
    ) -> Result<Option<Notification>, StorageError> {
        let sql = format!(
            "UPDATE notifications SET status = 'pending', attempts = 0, run_after = 0, ended_at = NULL, updated_at = $1 \
             WHERE id = $2 AND subscription_id = $3 RETURNING {COLUMNS}"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(now).bind(id).bind(subscription_id);
        let mut transaction = self.begin().await?;
        let found = query.fetch_optional(&mut *transaction).await?;
        if found.is_some() {
            self.record_change(&mut transaction, id).await?;
        }
        transaction.commit().await?;
        found.as_ref().map(read).transpose()
    }

    /// Removes notifications that ended before a time.
    pub async fn remove_old_notifications(&self, before: Timestamp) -> Result<u64, StorageError> {
        self.remove_in_batches("notifications", "id", "ended_at < $1", before).await
    }
}

fn read(row: &AnyRow) -> Result<Notification, StorageError> {
    let text = |name: &str| row.try_get::<String, _>(name);
    Ok(Notification {
        id: text("id")?,
        subscription_id: text("subscription_id")?,
        event: text("event")?.parse().map_err(StorageError::Value)?,
        payload: text("payload")?,
        status: text("status")?.parse().map_err(StorageError::Value)?,
        attempts: row.try_get("attempts")?,
        run_after: row.try_get("run_after")?,
        response_status: row.try_get("response_status")?,
        error: row.try_get("error")?,
        created_at: row.try_get("created_at")?,
        ended_at: row.try_get("ended_at")?,
    })
}
