//! Codes that let a member into a preview at its own host.

use docwright_types::{timestamp::Timestamp, token::Token};

use crate::{StorageError, database::Database};

impl Database {
    /// Makes a code that lets someone into the preview at a host until a time, and returns it, this one
    /// time. Who can have one is not decided here.
    pub async fn create_preview_code(
        &self,
        account_id: &str,
        host: &str,
        expires_at: Timestamp,
    ) -> Result<Token, StorageError> {
        let token = Token::generate().map_err(|error| StorageError::Random(error.to_string()))?;
        let query = sqlx::query(
            "INSERT INTO preview_codes (token_hash, account_id, preview_host, expires_at) VALUES ($1, $2, $3, $4)",
        );
        let query = query.bind(token.hash()).bind(account_id).bind(host).bind(expires_at);
        query.execute(&self.pool).await?;
        Ok(token)
    }

    /// Uses a code up. Returns whether it was good for a host; one of another host stays as it is.
    pub async fn use_preview_code(
        &self,
        token: &Token,
        host: &str,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let query = sqlx::query(
            "DELETE FROM preview_codes WHERE token_hash = $1 AND preview_host = $2 AND expires_at > $3",
        );
        let query = query.bind(token.hash()).bind(host).bind(now);
        Ok(query.execute(&self.pool).await?.rows_affected() == 1)
    }
}
