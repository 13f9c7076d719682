//! Everything that is encrypted in the database.

use super::Database;
use crate::{StorageError, keyring::Keyring};

impl Database {
    /// Encrypts every secret with the newest key that is not: until then the older root secret is needed.
    /// Returns how many there were.
    pub async fn reencrypt(&self, keyring: &Keyring) -> Result<u64, StorageError> {
        Ok(self.reencrypt_credentials(keyring).await?
            + self.reencrypt_subscriptions(keyring).await?
            + self.reencrypt_certificates(keyring).await?
            + self.reencrypt_webhook_secrets(keyring).await?)
    }
}
