//! Fingerprints of the parts of an instance outside its database, so that a node with a different part is
//! detected.

use sqlx::Row;

use super::Database;
use crate::StorageError;

/// A part of an instance outside its database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstancePart {
    /// The root secret.
    RootSecret,
    /// The object storage.
    Objects,
    /// The repositories of the built-in git host.
    Repositories,
}

impl InstancePart {
    const fn name(self) -> &'static str {
        match self {
            Self::RootSecret => "root-secret",
            Self::Objects => "objects",
            Self::Repositories => "repositories",
        }
    }
}

impl Database {
    /// The fingerprint of a part; `None` until it is recorded.
    pub async fn fingerprint(&self, part: InstancePart) -> Result<Option<String>, StorageError> {
        let sql = "SELECT value FROM instance_fingerprints WHERE part = $1";
        let row = sqlx::query(sql).bind(part.name()).fetch_optional(&self.pool).await?;
        Ok(row.map(|row| row.try_get("value")).transpose()?)
    }

    /// Records the fingerprint of a part that has none. Returns the recorded one, which can come from another
    /// node.
    pub async fn record_fingerprint(
        &self,
        part: InstancePart,
        value: &str,
    ) -> Result<String, StorageError> {
        let sql = "INSERT INTO instance_fingerprints (part, value) VALUES ($1, $2) ON CONFLICT (part) DO NOTHING";
        sqlx::query(sql).bind(part.name()).bind(value).execute(&self.pool).await?;
        let recorded = self.fingerprint(part).await?;
        recorded.ok_or_else(|| StorageError::Value("a fingerprint was removed".to_owned()))
    }

    /// Replaces the fingerprint of a part.
    pub async fn replace_fingerprint(
        &self,
        part: InstancePart,
        value: &str,
    ) -> Result<(), StorageError> {
        let sql = "INSERT INTO instance_fingerprints (part, value) VALUES ($1, $2) ON CONFLICT (part) DO UPDATE SET value = excluded.value";
        sqlx::query(sql).bind(part.name()).bind(value).execute(&self.pool).await?;
        Ok(())
    }
}
