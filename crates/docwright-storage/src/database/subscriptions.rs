//! Subscriptions: where organizations send notifications.

use docwright_types::{
    notification::{EventKind, Target},
    timestamp::Timestamp,
};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{Database, new_id};
use crate::{StorageError, keyring::Keyring};

/// Subscriptions that an organization can have: each costs something at every event.
pub const MAXIMUM_SUBSCRIPTIONS: i64 = 20;
/// Random bytes of a secret.
const SECRET_BYTES: usize = 32;

/// A subscription, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// Its id.
    pub id: String,
    /// The organization that is notified.
    pub organization_id: String,
    /// Its only project; `None` for all.
    pub project_id: Option<String>,
    /// A URL, or `mailto:` and an address; see [`Target`].
    pub target: String,
    /// Its events.
    pub events: Vec<EventKind>,
    /// Creation time.
    pub created_at: Timestamp,
}

/// A new subscription.
#[derive(Debug, Clone, Copy)]
pub struct NewSubscription<'a> {
    /// The organization that is notified.
    pub organization_id: &'a str,
    /// Its only project; `None` for all.
    pub project_id: Option<&'a str>,
    /// A URL, or `mailto:` and an address.
    pub target: &'a str,
    /// Its events.
    pub events: &'a [EventKind],
}

const COLUMNS: &str = "id, organization_id, project_id, target, events, created_at";

impl Database {
    /// Creates a subscription. Returns it with its secret, which signs requests and is not shown again; email
    /// addresses have none. `None` if the organization is at its limit.
    pub async fn create_subscription(
        &self,
        new: NewSubscription<'_>,
        keyring: &Keyring,
        now: Timestamp,
    ) -> Result<Option<(Subscription, Option<String>)>, StorageError> {
        let id = new_id("sub");
        let secret = match Target::of(new.target) {
            Target::Webhook(_) => Some(generate()?),
            Target::Email(_) => None,
        };
        let encrypted = secret.as_deref().map(|secret| keyring.encrypt(&context(&id), secret));
        let encrypted = encrypted.transpose()?;
        let events: Vec<_> = new.events.iter().map(|kind| kind.name()).collect();
        let mut transaction = self.begin().await?;
        // A write to the organization comes first, so of simultaneous requests one continues.
        sqlx::query("UPDATE organizations SET name = name WHERE id = $1")
            .bind(new.organization_id)
            .execute(&mut *transaction)
            .await?;
        let inserted = sqlx::query(
            "INSERT INTO subscriptions (id, organization_id, project_id, target, events, secret, key_id, attempted_at, created_at) \
             SELECT $1, $2, $3, $4, $5, $6, $7, 0, $8 \
             WHERE (SELECT COUNT(*) FROM subscriptions WHERE organization_id = $2) < $9",
        )
        .bind(&id)
        .bind(new.organization_id)
        .bind(new.project_id)
        .bind(new.target)
        .bind(serde_json::json!(events).to_string())
        .bind(encrypted.as_ref().map(|encrypted| encrypted.text.as_str()))
        .bind(encrypted.as_ref().map(|encrypted| encrypted.key_id.as_str()))
        .bind(now)
        .bind(MAXIMUM_SUBSCRIPTIONS)
        .execute(&mut *transaction)
        .await?;
        if inserted.rows_affected() == 0 {
            return Ok(None);
        }
        self.record_change(&mut transaction, &id).await?;
        transaction.commit().await?;
        let subscription = Subscription {
            id,
            organization_id: new.organization_id.to_owned(),
            project_id: new.project_id.map(str::to_owned),
            target: new.target.to_owned(),
            events: new.events.to_vec(),
            created_at: now,
        };
        Ok(Some((subscription, secret)))
    }

    /// A subscription.
    pub async fn subscription(&self, id: &str) -> Result<Option<Subscription>, StorageError> {
        let sql = format!("SELECT {COLUMNS} FROM subscriptions WHERE id = $1");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(id);
        query.fetch_optional(&self.pool).await?.as_ref().map(read).transpose()
    }

    /// The subscriptions of an organization, oldest first.
    pub async fn subscriptions(
        &self,
        organization_id: &str,
    ) -> Result<Vec<Subscription>, StorageError> {
        let sql =
            format!("SELECT {COLUMNS} FROM subscriptions WHERE organization_id = $1 ORDER BY id");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(organization_id);
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// Removes a subscription with its notifications. Returns whether there was one.
    pub async fn remove_subscription(&self, id: &str) -> Result<bool, StorageError> {
        let of_it = "subscription_id = $1";
        self.remove_in_batches("notifications", "id", of_it, id.to_owned()).await?;
        let mut transaction = self.begin().await?;
        // Nothing new is recorded once this row is locked.
        sqlx::query("UPDATE subscriptions SET events = '[]' WHERE id = $1")
            .bind(id)
            .execute(&mut *transaction)
            .await?;
        let notifications = sqlx::query("DELETE FROM notifications WHERE subscription_id = $1");
        notifications.bind(id).execute(&mut *transaction).await?;
        let query = sqlx::query("DELETE FROM subscriptions WHERE id = $1").bind(id);
        let removed = query.execute(&mut *transaction).await?.rows_affected() == 1;
        if removed {
            self.record_change(&mut transaction, id).await?;
        }
        transaction.commit().await?;
        Ok(removed)
    }

    /// Encrypts every secret of subscriptions that doesn't use the newest key. Returns how many there were.
    pub async fn reencrypt_subscriptions(&self, keyring: &Keyring) -> Result<u64, StorageError> {
        let select = "SELECT id, secret, key_id FROM subscriptions WHERE secret IS NOT NULL AND key_id <> $1";
        let update =
            "UPDATE subscriptions SET secret = $1, key_id = $2 WHERE id = $3 AND secret = $4";
        let context = |row: &AnyRow| Ok(context(row.try_get("id")?));
        self.reencrypt_rows(keyring, (select, update), context).await
    }
}

/// A secret in the form of the Standard Webhooks specification.
fn generate() -> Result<String, StorageError> {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let mut secret = [0; SECRET_BYTES];
    getrandom::fill(&mut secret).map_err(|error| StorageError::Random(error.to_string()))?;
    Ok(format!("whsec_{}", STANDARD.encode(secret)))
}

/// Context that an encrypted secret is bound to.
pub(super) fn context(id: &str) -> String {
    format!("subscription\n{id}")
}

fn read(row: &AnyRow) -> Result<Subscription, StorageError> {
    let events: String = row.try_get("events")?;
    let events: Vec<String> = serde_json::from_str(&events)
        .map_err(|error| StorageError::Value(format!("events of a subscription: {error}")))?;
    Ok(Subscription {
        id: row.try_get("id")?,
        organization_id: row.try_get("organization_id")?,
        project_id: row.try_get("project_id")?,
        target: row.try_get("target")?,
        events: events
            .iter()
            .map(|name| name.parse())
            .collect::<Result<_, _>>()
            .map_err(StorageError::Value)?,
        created_at: row.try_get("created_at")?,
    })
}
