//! Codes that let a member open a preview at its own host.

use docwright_types::{timestamp::Timestamp, token::Token};

use crate::{StorageError, database::Database};

impl Database {
    /// Creates a code that opens the preview at a host until a time, and returns it, only here. Callers decide who
    /// can have one.
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

    /// Uses up a code. Returns whether it was valid for the host; codes of other hosts stay valid.
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
