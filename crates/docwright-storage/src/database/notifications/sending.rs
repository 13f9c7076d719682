//! Sends notifications: one at a time for each subscription, under a lease by the database's clock, as for jobs.

use docwright_types::{notification::EventKind, timestamp::Timestamp};
use sqlx::{AssertSqlSafe, Row};

use super::super::{Database, subscriptions::context};
use crate::{
    StorageError,
    keyring::{Encrypted, Keyring},
};

/// A notification to send now.
#[derive(Clone)]
pub struct ClaimedNotification {
    /// Its id.
    pub id: String,
    /// Its subscription.
    pub subscription_id: String,
    /// A URL, or `mailto:` and an address.
    pub target: String,
    /// Signs requests to a URL.
    pub secret: Option<String>,
    /// The event.
    pub event: EventKind,
    /// The payload, as JSON.
    pub payload: String,
    /// The number of earlier attempts.
    pub attempts: i64,
    /// Distinguishes this claim from later ones.
    lease_number: i64,
}

impl std::fmt::Debug for ClaimedNotification {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ClaimedNotification")
            .field("id", &self.id)
            .field("subscription_id", &self.subscription_id)
            .field("event", &self.event)
            .field("attempts", &self.attempts)
            .finish_non_exhaustive()
    }
}

const HELD: &str = "id = $1 AND lease_number = $2 AND lease_expires_at IS NOT NULL";

/// Notifications that can be sent, or whose sender let its lease run out, by the database's clock.
pub(in super::super) fn due(clock: &str) -> String {
    format!(
        "status = 'pending' AND run_after <= {clock} AND (lease_expires_at IS NULL OR lease_expires_at < {clock})"
    )
}

impl Database {
    /// Claims a notification for `duration` milliseconds: that of the subscription that has waited longest, among
    /// subscriptions without a running delivery. So a slow target doesn't delay others.
    pub async fn claim_notification(
        &self,
        duration: Timestamp,
        keyring: &Keyring,
        now: Timestamp,
    ) -> Result<Option<ClaimedNotification>, StorageError> {
        let clock = self.clock();
        let due = due(clock);
        // Reading costs no write, so idle workers write nothing.
        let look = format!("SELECT 1 FROM notifications WHERE {due} LIMIT 1");
        if sqlx::query(AssertSqlSafe(look)).fetch_optional(&self.pool).await?.is_none() {
            return Ok(None);
        }
        let mut transaction = self.begin().await?;
        // A write to the queue's own row comes first: claims wait for each other, so each sees the others.
        let turn = "UPDATE queue_turns SET turn = turn + 1 WHERE queue = 'notifications'";
        sqlx::query(turn).execute(&mut *transaction).await?;
        let sql = format!(
            "UPDATE notifications SET lease_number = lease_number + 1, lease_expires_at = {clock} + $1, updated_at = $2 \
             WHERE {due} AND id = (SELECT waiting.id FROM notifications AS waiting \
             JOIN subscriptions ON subscriptions.id = waiting.subscription_id \
             WHERE waiting.id IN (SELECT id FROM notifications WHERE {due}) \
             AND NOT EXISTS (SELECT 1 FROM notifications AS under_way WHERE under_way.subscription_id = waiting.subscription_id \
             AND under_way.status = 'pending' AND under_way.lease_expires_at >= {clock}) \
             ORDER BY subscriptions.attempted_at, waiting.id LIMIT 1) \
             RETURNING id, subscription_id, event, payload, attempts, lease_number"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(duration).bind(now);
        let Some(row) = query.fetch_optional(&mut *transaction).await? else {
            transaction.rollback().await?;
            return Ok(None);
        };
        let subscription_id: String = row.try_get("subscription_id")?;
        let sql = "UPDATE subscriptions SET attempted_at = $1 WHERE id = $2 RETURNING target, secret, key_id";
        let query = sqlx::query(sql).bind(now).bind(&subscription_id);
        let subscription = query.fetch_one(&mut *transaction).await?;
        transaction.commit().await?;
        let secret = match subscription.try_get::<Option<String>, _>("secret")? {
            Some(text) => {
                let encrypted = Encrypted { text, key_id: subscription.try_get("key_id")? };
                Some(keyring.decrypt(&context(&subscription_id), &encrypted)?)
            }
            None => None,
        };
        Ok(Some(ClaimedNotification {
            id: row.try_get("id")?,
            subscription_id,
            target: subscription.try_get("target")?,
            secret,
            event: row.try_get::<String, _>("event")?.parse().map_err(StorageError::Value)?,
            payload: row.try_get("payload")?,
            attempts: row.try_get("attempts")?,
            lease_number: row.try_get("lease_number")?,
        }))
    }

    /// Records that a target accepted a notification, with its HTTP status.
    pub async fn notification_delivered(
        &self,
        claimed: &ClaimedNotification,
        response_status: Option<u16>,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let sql = format!(
            "UPDATE notifications SET status = 'delivered', attempts = attempts + 1, lease_expires_at = NULL, error = NULL, \
             response_status = $3, updated_at = $4, ended_at = $4 WHERE {HELD}"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(&claimed.id).bind(claimed.lease_number);
        query.bind(response_status.map(i64::from)).bind(now).execute(&self.pool).await?;
        Ok(())
    }

    /// Records that a target did not accept a notification, and why. It is sent again after `wait` milliseconds,
    /// or never.
    pub async fn notification_refused(
        &self,
        claimed: &ClaimedNotification,
        (response_status, error): (Option<u16>, &str),
        wait: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let (status, ended) = match wait {
            Some(_) => ("pending", None),
            None => ("failed", Some(now)),
        };
        let sql = format!(
            "UPDATE notifications SET status = $3, attempts = attempts + 1, lease_expires_at = NULL, error = $4, \
             response_status = $5, run_after = {} + $6, updated_at = $7, ended_at = $8 WHERE {HELD}",
            self.clock()
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(&claimed.id).bind(claimed.lease_number);
        let query = query.bind(status).bind(error).bind(response_status.map(i64::from));
        query.bind(wait.unwrap_or(0)).bind(now).bind(ended).execute(&self.pool).await?;
        Ok(())
    }

    /// Releases a notification unchanged, to be sent after `wait` milliseconds.
    pub async fn postpone_notification(
        &self,
        claimed: &ClaimedNotification,
        wait: Timestamp,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let sql = format!(
            "UPDATE notifications SET lease_expires_at = NULL, run_after = {} + $3, updated_at = $4 WHERE {HELD}",
            self.clock()
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(&claimed.id).bind(claimed.lease_number);
        query.bind(wait).bind(now).execute(&self.pool).await?;
        Ok(())
    }

    /// How many notifications a target accepted since a time.
    pub async fn delivered_since(
        &self,
        subscription_id: &str,
        since: Timestamp,
    ) -> Result<i64, StorageError> {
        let sql = "SELECT COUNT(*) AS taken FROM notifications WHERE subscription_id = $1 AND ended_at > $2 \
             AND status = 'delivered'";
        let query = sqlx::query(sql).bind(subscription_id).bind(since);
        Ok(query.fetch_one(&self.pool).await?.try_get("taken")?)
    }
}
