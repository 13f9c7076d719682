//! All encrypted values in the database.

use sqlx::{Row, any::AnyRow};

use super::Database;
use crate::{
    StorageError,
    keyring::{Encrypted, Keyring},
};

impl Database {
    /// Encrypts every secret that doesn't use the newest key: until then the older root secret is needed. Returns
    /// how many there were.
    pub async fn reencrypt(&self, keyring: &Keyring) -> Result<u64, StorageError> {
        Ok(self.reencrypt_credentials(keyring).await?
            + self.reencrypt_subscriptions(keyring).await?
            + self.reencrypt_certificates(keyring).await?
            + self.reencrypt_factors(keyring).await?
            + self.reencrypt_webhook_secrets(keyring).await?
            + self.reencrypt_assistant_keys(keyring).await?)
    }

    /// The same for the rows of one table. `select` returns `id`, `secret`, and `key_id` of rows whose key is not
    /// `$1`; `update` binds the new secret, its key, the id, and the previous secret, so a secret that was
    /// replaced in the meantime stays. `context` is what the secret of a row is bound to.
    pub(super) async fn reencrypt_rows(
        &self,
        keyring: &Keyring,
        (select, update): (&'static str, &'static str),
        context: impl Fn(&AnyRow) -> Result<String, sqlx::Error>,
    ) -> Result<u64, StorageError> {
        let mut count = 0;
        for row in sqlx::query(select).bind(keyring.key_id()).fetch_all(&self.pool).await? {
            let id: String = row.try_get("id")?;
            let context = context(&row)?;
            let before = Encrypted { key_id: row.try_get("key_id")?, text: row.try_get("secret")? };
            let after = keyring.encrypt(&context, &keyring.decrypt(&context, &before)?)?;
            let query = sqlx::query(update).bind(&after.text).bind(&after.key_id);
            let query = query.bind(&id).bind(&before.text);
            count += query.execute(&self.pool).await?.rows_affected();
        }
        Ok(count)
    }
}
