//! Webhooks of git hosts: the secret of a project, and its deliveries.

use docwright_types::timestamp::Timestamp;
use sqlx::{Row, any::AnyRow};

use super::{Database, new_id};
use crate::{
    StorageError,
    keyring::{Encrypted, Keyring},
};

/// Deliveries that are kept for a project.
pub const DELIVERIES: i64 = 200;

/// A delivery of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Its id.
    pub id: String,
    /// The host's id for it.
    pub delivery: String,
    /// The host's name of the event.
    pub event: String,
    /// When it arrived.
    pub received_at: Timestamp,
    /// `accepted` until the repository was polled, then `polled` or `failed`.
    pub outcome: String,
    /// The result, in a sentence.
    pub summary: String,
}

/// Result of a new delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    /// The repository will be polled; the id of the delivery.
    New(String),
    /// It was received before.
    Known,
    /// There is no such project.
    NoProject,
}

const COLUMNS: &str = "id, delivery, event, received_at, outcome, summary";
/// Summary of a delivery until the repository was polled.
const ACCEPTED: &str = "Poll scheduled.";

impl Database {
    /// Stores the secret of a project's webhooks and replaces an earlier one. Returns whether there is such a
    /// project.
    pub async fn set_webhook_secret(
        &self,
        project_id: &str,
        secret: &str,
        keyring: &Keyring,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let encrypted = keyring.encrypt(&context(project_id), secret)?;
        let query = sqlx::query(
            "INSERT INTO webhook_secrets (project_id, secret, key_id, created_at) \
             SELECT id, $2, $3, $4 FROM projects WHERE id = $1 \
             ON CONFLICT (project_id) DO UPDATE SET secret = $2, key_id = $3, created_at = $4",
        );
        let query = query.bind(project_id).bind(encrypted.text).bind(encrypted.key_id).bind(now);
        self.change_one(query, project_id).await
    }

    /// The secret of a project's webhooks, if it has one.
    pub async fn webhook_secret(
        &self,
        project_id: &str,
        keyring: &Keyring,
    ) -> Result<Option<String>, StorageError> {
        let sql = "SELECT secret, key_id FROM webhook_secrets WHERE project_id = $1";
        let row = sqlx::query(sql).bind(project_id).fetch_optional(&self.pool).await?;
        let Some(row) = row else { return Ok(None) };
        let encrypted = Encrypted { key_id: row.try_get("key_id")?, text: row.try_get("secret")? };
        keyring.decrypt(&context(project_id), &encrypted).map(Some)
    }

    /// Whether a project has a secret of webhooks.
    pub async fn has_webhook_secret(&self, project_id: &str) -> Result<bool, StorageError> {
        let sql = "SELECT 1 FROM webhook_secrets WHERE project_id = $1";
        let row = sqlx::query(sql).bind(project_id).fetch_optional(&self.pool).await?;
        Ok(row.is_some())
    }

    /// Encrypts every secret of webhooks that doesn't use the newest key. Returns how many there were.
    pub(super) async fn reencrypt_webhook_secrets(
        &self,
        keyring: &Keyring,
    ) -> Result<u64, StorageError> {
        let select =
            "SELECT project_id AS id, secret, key_id FROM webhook_secrets WHERE key_id <> $1";
        let update = "UPDATE webhook_secrets SET secret = $1, key_id = $2 WHERE project_id = $3 AND secret = $4";
        let context = |row: &AnyRow| Ok(context(row.try_get("id")?));
        self.reencrypt_rows(keyring, (select, update), context).await
    }

    /// Records a delivery of a project and schedules a poll of its repository, in one transaction. A repeated
    /// delivery changes nothing. The oldest deliveries are removed.
    pub async fn receive_delivery(
        &self,
        project_id: &str,
        (delivery, event): (&str, &str),
        now: Timestamp,
    ) -> Result<Received, StorageError> {
        let mut transaction = self.begin().await?;
        let request = self.request_poll_in(&mut transaction, project_id, 0).await?;
        let Some(request) = request else { return Ok(Received::NoProject) };
        let id = new_id("dlv");
        let query = sqlx::query(
            "INSERT INTO deliveries (id, project_id, delivery, event, received_at, request, outcome, summary) \
             VALUES ($1, $2, $3, $4, $5, $6, 'accepted', $7) ON CONFLICT DO NOTHING",
        );
        let query = query.bind(&id).bind(project_id).bind(delivery).bind(event).bind(now);
        let added = query.bind(request).bind(ACCEPTED).execute(&mut *transaction).await?;
        if added.rows_affected() == 0 {
            transaction.rollback().await?;
            return Ok(Received::Known);
        }
        let old = "DELETE FROM deliveries WHERE project_id = $1 AND id < (SELECT MIN(id) FROM \
             (SELECT id FROM deliveries WHERE project_id = $1 ORDER BY id DESC LIMIT $2) AS kept)";
        sqlx::query(old).bind(project_id).bind(DELIVERIES).execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(Received::New(id))
    }

    /// Polls the repository again, as for a new delivery. `None` if the project has no such delivery.
    pub async fn redeliver(
        &self,
        project_id: &str,
        id: &str,
    ) -> Result<Option<Delivery>, StorageError> {
        let mut transaction = self.begin().await?;
        let request = self.request_poll_in(&mut transaction, project_id, 0).await?;
        let sql = "UPDATE deliveries SET outcome = 'accepted', summary = $1, request = $2 \
             WHERE project_id = $3 AND id = $4 RETURNING id, delivery, event, received_at, outcome, summary";
        let query = sqlx::query(sql).bind(ACCEPTED).bind(request.unwrap_or_default());
        let row = query.bind(project_id).bind(id).fetch_optional(&mut *transaction).await?;
        let Some(row) = row else {
            transaction.rollback().await?;
            return Ok(None);
        };
        let delivery = read(&row)?;
        self.record_change(&mut transaction, id).await?;
        transaction.commit().await?;
        Ok(Some(delivery))
    }

    /// Deliveries of a project, newest first: those before `cursor`, which is the id of one.
    pub async fn deliveries(
        &self,
        project_id: &str,
        cursor: Option<&str>,
        limit: i64,
    ) -> Result<Vec<Delivery>, StorageError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM deliveries WHERE project_id = $1 AND ($2 = '' OR id < $2) ORDER BY id DESC LIMIT $3"
        );
        let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(project_id);
        let query = query.bind(cursor.unwrap_or_default()).bind(limit);
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }
}

fn read(row: &AnyRow) -> Result<Delivery, StorageError> {
    Ok(Delivery {
        id: row.try_get("id")?,
        delivery: row.try_get("delivery")?,
        event: row.try_get("event")?,
        received_at: row.try_get("received_at")?,
        outcome: row.try_get("outcome")?,
        summary: row.try_get("summary")?,
    })
}

fn context(project_id: &str) -> String {
    format!("webhook\n{project_id}")
}
