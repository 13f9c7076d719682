//! Keys that ask the assistant of one domain. The secret is encrypted, and bound to its row; its hash checks requests.

use docwright_types::{assistant_key::AssistantSecret, timestamp::Timestamp};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{
    Database,
    lists::{Order, PageRequest, Rows},
    sites::lock_project,
};
use crate::{
    StorageError,
    keyring::{Encrypted, Keyring},
};

/// Most keys of a project.
pub const ASSISTANT_KEYS: i64 = 50;

/// A key of the assistant, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssistantKey {
    /// Its public id.
    pub id: String,
    /// Its project.
    pub project_id: String,
    /// The only domain that it can ask.
    pub domain: String,
    /// Its name.
    pub name: String,
    /// The hash of its secret.
    pub secret_hash: String,
    /// The origins whose pages can use it.
    pub origins: Vec<String>,
    /// Creation time.
    pub created_at: Timestamp,
}

/// A new key of the assistant.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "as in AssistantKey")]
pub struct NewAssistantKey<'a> {
    pub project_id: &'a str,
    pub domain: &'a str,
    pub name: &'a str,
    pub origins: &'a [String],
}

const COLUMNS: &str = "id, project_id, domain, name, secret_hash, origins, created_at";

impl Database {
    /// Creates a key of the assistant. Fails if the project has [`ASSISTANT_KEYS`].
    pub async fn create_assistant_key(
        &self,
        new: NewAssistantKey<'_>,
        keyring: &Keyring,
        now: Timestamp,
    ) -> Result<(AssistantKey, AssistantSecret), StorageError> {
        let secret =
            AssistantSecret::generate().map_err(|error| StorageError::Random(error.to_string()))?;
        let encrypted = keyring.encrypt(&context(secret.id()), &secret.reveal())?;
        let mut transaction = self.begin().await?;
        lock_project(&mut transaction, new.project_id).await?;
        let sql = "SELECT COUNT(*) AS count FROM assistant_keys WHERE project_id = $1";
        let query = sqlx::query(sql).bind(new.project_id);
        let count: i64 = query.fetch_one(&mut *transaction).await?.try_get("count")?;
        if count >= ASSISTANT_KEYS {
            return Err(StorageError::Exists(format!(
                "the project has {ASSISTANT_KEYS} assistant keys, the limit; delete one first"
            )));
        }
        let key = AssistantKey {
            id: secret.id().to_owned(),
            project_id: new.project_id.to_owned(),
            domain: new.domain.to_owned(),
            name: new.name.to_owned(),
            secret_hash: secret.secret_hash(),
            origins: new.origins.to_vec(),
            created_at: now,
        };
        sqlx::query(
            "INSERT INTO assistant_keys (id, project_id, domain, name, secret_hash, secret, key_id, origins, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        )
        .bind(&key.id)
        .bind(&key.project_id)
        .bind(&key.domain)
        .bind(&key.name)
        .bind(&key.secret_hash)
        .bind(&encrypted.text)
        .bind(&encrypted.key_id)
        .bind(serde_json::json!(key.origins).to_string())
        .bind(now)
        .execute(&mut *transaction)
        .await?;
        self.record_change(&mut transaction, &key.id).await?;
        // Nodes keep the keys in memory.
        self.commit_serving(transaction, true).await?;
        Ok((key, secret))
    }

    /// The assistant keys of a project, oldest first. The position of a key is its time and id.
    pub async fn assistant_keys(
        &self,
        project_id: &str,
        page: PageRequest<'_>,
    ) -> Result<Vec<AssistantKey>, StorageError> {
        let select = format!("SELECT {COLUMNS} FROM assistant_keys");
        let rows = Rows::all().with("project_id", Some(project_id));
        // Ids are random.
        let order = Order::by_time("created_at", "id", false);
        rows.read(&self.pool, &select, order, page, read).await
    }

    /// The assistant keys of all projects, for nodes that keep them in memory.
    pub async fn all_assistant_keys(&self) -> Result<Vec<AssistantKey>, StorageError> {
        let sql = format!("SELECT {COLUMNS} FROM assistant_keys ORDER BY id");
        let query = sqlx::query(AssertSqlSafe(sql));
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// The assistant keys of a domain.
    pub async fn assistant_keys_of_domain(
        &self,
        domain: &str,
    ) -> Result<Vec<AssistantKey>, StorageError> {
        let sql = format!("SELECT {COLUMNS} FROM assistant_keys WHERE domain = $1");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(domain);
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// The assistant key with an id.
    pub async fn assistant_key(&self, id: &str) -> Result<Option<AssistantKey>, StorageError> {
        let sql = format!("SELECT {COLUMNS} FROM assistant_keys WHERE id = $1");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(id);
        query.fetch_optional(&self.pool).await?.as_ref().map(read).transpose()
    }

    /// The whole assistant key with an id, to show it.
    pub async fn reveal_assistant_key(
        &self,
        id: &str,
        keyring: &Keyring,
    ) -> Result<Option<String>, StorageError> {
        let sql = "SELECT secret, key_id FROM assistant_keys WHERE id = $1";
        let row = sqlx::query(sql).bind(id).fetch_optional(&self.pool).await?;
        let Some(row) = row else { return Ok(None) };
        let encrypted = Encrypted { key_id: row.try_get("key_id")?, text: row.try_get("secret")? };
        Ok(Some(keyring.decrypt(&context(id), &encrypted)?))
    }

    /// Deletes an assistant key of a project. Returns whether the project had it.
    pub async fn delete_assistant_key(
        &self,
        (project_id, id): (&str, &str),
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let sql = "DELETE FROM assistant_keys WHERE id = $1 AND project_id = $2";
        let query = sqlx::query(sql).bind(id).bind(project_id);
        let deleted = query.execute(&mut *transaction).await?.rows_affected() == 1;
        if deleted {
            self.record_change(&mut transaction, id).await?;
        }
        self.commit_serving(transaction, deleted).await?;
        Ok(deleted)
    }

    /// Encrypts every assistant key that doesn't use the newest key. Returns how many there were.
    pub async fn reencrypt_assistant_keys(&self, keyring: &Keyring) -> Result<u64, StorageError> {
        let select = "SELECT id, secret, key_id FROM assistant_keys WHERE key_id <> $1";
        let update =
            "UPDATE assistant_keys SET secret = $1, key_id = $2 WHERE id = $3 AND secret = $4";
        let context = |row: &AnyRow| Ok(context(row.try_get("id")?));
        self.reencrypt_rows(keyring, (select, update), context).await
    }
}

fn read(row: &AnyRow) -> Result<AssistantKey, StorageError> {
    let origins: String = row.try_get("origins")?;
    Ok(AssistantKey {
        id: row.try_get("id")?,
        project_id: row.try_get("project_id")?,
        domain: row.try_get("domain")?,
        name: row.try_get("name")?,
        secret_hash: row.try_get("secret_hash")?,
        origins: serde_json::from_str(&origins)
            .map_err(|error| StorageError::Value(error.to_string()))?,
        created_at: row.try_get("created_at")?,
    })
}

/// What the secret of a key is bound to.
fn context(id: &str) -> String {
    format!("assistant key\n{id}")
}
