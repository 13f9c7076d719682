//! The random key of a day, with which nodes hash visitors. Where nodes share a database, one encrypted row has it, and
//! each day overwrites it:
//! then nobody can repeat the hashes of the day before.

use std::fmt;

use docwright_types::timestamp::Timestamp;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use sqlx::Row;

use crate::{
    StorageError,
    database::Database,
    keyring::{Encrypted, Keyring},
};

const CONTEXT: &str = "analytics key";

/// The key of a day.
#[derive(Clone)]
pub struct VisitorKey {
    /// Start of the day.
    pub day: Timestamp,
    pub(super) secret: Vec<u8>,
}

impl fmt::Debug for VisitorKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "VisitorKey({})", self.day)
    }
}

impl VisitorKey {
    /// The hash of a visitor with some properties. It must stay in memory.
    pub fn hash(&self, properties: [&[u8]; 3]) -> u64 {
        // A key can have any length.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.secret) else { return 0 };
        for property in properties {
            mac.update(&(property.len() as u64).to_le_bytes());
            mac.update(property);
        }
        let hash = mac.finalize().into_bytes();
        hash.iter().take(8).fold(0, |number, byte| (number << 8) | u64::from(*byte))
    }
}

impl Database {
    /// The key of a day, which the first node of the day creates. `None` if there is one of a later day already: the
    /// clock of this node is behind.
    pub async fn visitor_key(
        &self,
        day: Timestamp,
        keyring: &Keyring,
    ) -> Result<Option<VisitorKey>, StorageError> {
        let read = "SELECT starts_at, secret, key_id FROM analytics_key WHERE id = 1";
        let row = sqlx::query(read).fetch_optional(&self.pool).await?;
        if let Some(row) = row {
            let found: Timestamp = row.try_get("starts_at")?;
            if found > day {
                return Ok(None);
            }
            let encrypted =
                Encrypted { key_id: row.try_get("key_id")?, text: row.try_get("secret")? };
            // A key of a root secret that is gone is replaced.
            if let Some(secret) =
                keyring.decrypt(CONTEXT, &encrypted).ok().and_then(|text| hex::decode(text).ok())
                && found == day
            {
                return Ok(Some(VisitorKey { day, secret }));
            }
        }
        let mut secret = [0; 32];
        getrandom::fill(&mut secret)
            .map_err(|error| StorageError::Value(format!("no random numbers: {error}")))?;
        let encrypted = keyring.encrypt(CONTEXT, &hex::encode(secret))?;
        // Of nodes that do this at once, one creates the key. A node with another key then reads it.
        let sql = "INSERT INTO analytics_key (id, starts_at, secret, key_id) VALUES (1, $1, $2, $3) \
             ON CONFLICT (id) DO UPDATE SET starts_at = excluded.starts_at, secret = excluded.secret, \
             key_id = excluded.key_id WHERE analytics_key.starts_at < excluded.starts_at OR analytics_key.key_id <> $3";
        let query = sqlx::query(sql).bind(day).bind(encrypted.text).bind(&encrypted.key_id);
        query.execute(&self.pool).await?;
        let row = sqlx::query(read).fetch_one(&self.pool).await?;
        let stored = Encrypted { key_id: row.try_get("key_id")?, text: row.try_get("secret")? };
        if row.try_get::<Timestamp, _>("starts_at")? != day {
            return Ok(None);
        }
        let secret = hex::decode(keyring.decrypt(CONTEXT, &stored)?)
            .map_err(|error| StorageError::Value(format!("the key of the day: {error}")))?;
        Ok(Some(VisitorKey { day, secret }))
    }
}
