//! Single-use sign-in links.

use docwright_types::{timestamp::Timestamp, token::Token};
use sqlx::{AssertSqlSafe, Row};

use super::{Account, COLUMNS, read};
use crate::{StorageError, database::Database};

impl Database {
    /// Creates a sign-in link for an account that expires at a time. Returns its token, only here.
    pub async fn create_sign_in_link(
        &self,
        account_id: &str,
        now: Timestamp,
        expires_at: Timestamp,
    ) -> Result<Token, StorageError> {
        let token = Token::generate().map_err(|error| StorageError::Random(error.to_string()))?;
        let query = sqlx::query(
            "INSERT INTO sign_in_links (token_hash, account_id, created_at, expires_at) VALUES ($1, $2, $3, $4)",
        );
        let query = query.bind(token.hash()).bind(account_id).bind(now).bind(expires_at);
        let mut transaction = self.begin().await?;
        query.execute(&mut *transaction).await?;
        self.record_change(&mut transaction, account_id).await?;
        transaction.commit().await?;
        Ok(token)
    }

    /// The account that a link would sign in, without using it up.
    pub async fn account_of_link(
        &self,
        token: &Token,
        now: Timestamp,
    ) -> Result<Option<Account>, StorageError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM sign_in_links JOIN accounts ON accounts.id = account_id \
             WHERE token_hash = $1 AND expires_at > $2"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(token.hash()).bind(now);
        query.fetch_optional(&self.pool).await?.as_ref().map(read).transpose()
    }

    /// Uses a link up. Returns the id of its account; `None` if it was used before or has expired.
    pub async fn use_sign_in_link(
        &self,
        token: &Token,
        now: Timestamp,
    ) -> Result<Option<String>, StorageError> {
        let sql = "DELETE FROM sign_in_links WHERE token_hash = $1 AND expires_at > $2 RETURNING account_id";
        let query = sqlx::query(sql).bind(token.hash()).bind(now);
        let row = query.fetch_optional(&self.pool).await?;
        Ok(row.map(|row| row.try_get("account_id")).transpose()?)
    }
}
