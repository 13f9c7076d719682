//! Tokens that the answers of an organization used in a day, of all nodes.

use docwright_types::timestamp::Timestamp;
use sqlx::Row;

use super::Database;
use crate::StorageError;

impl Database {
    /// Adds tokens of organizations in a day. Those of organizations that are gone are left out.
    pub async fn add_assistant_tokens(
        &self,
        day: Timestamp,
        tokens: &[(String, u64)],
    ) -> Result<(), StorageError> {
        if tokens.is_empty() {
            return Ok(());
        }
        // In one order: transactions of several nodes never wait in a circle.
        let mut tokens: Vec<_> = tokens.iter().collect();
        tokens.sort();
        let mut transaction = self.begin().await?;
        for (organization, tokens) in tokens {
            sqlx::query(
                "INSERT INTO assistant_tokens (organization_id, day, tokens) \
                 SELECT id, $2, $3 FROM organizations WHERE id = $1 \
                 ON CONFLICT (day, organization_id) DO UPDATE SET tokens = assistant_tokens.tokens + excluded.tokens",
            )
            .bind(organization)
            .bind(day)
            .bind(i64::try_from(*tokens).unwrap_or(i64::MAX))
            .execute(&mut *transaction)
            .await?;
        }
        Ok(transaction.commit().await?)
    }

    /// The tokens of each organization in a day.
    pub async fn assistant_tokens(
        &self,
        day: Timestamp,
    ) -> Result<Vec<(String, u64)>, StorageError> {
        let sql = "SELECT organization_id, tokens FROM assistant_tokens WHERE day = $1 ORDER BY organization_id";
        let rows = sqlx::query(sql).bind(day).fetch_all(&self.pool).await?;
        let read = |row: &sqlx::any::AnyRow| {
            let tokens: i64 = row.try_get("tokens")?;
            Ok((row.try_get("organization_id")?, tokens.unsigned_abs()))
        };
        rows.iter().map(read).collect()
    }

    /// Removes tokens of days before a time.
    pub async fn remove_old_assistant_tokens(
        &self,
        before: Timestamp,
    ) -> Result<u64, StorageError> {
        let key = "day, organization_id";
        self.remove_in_batches("assistant_tokens", key, "day < $1", before).await
    }
}
