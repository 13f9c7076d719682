//! Idempotency keys, with which callers can repeat a request safely. They are valid for a day.

use docwright_types::timestamp::{DAY, Timestamp};
use sqlx::{Any, Row, Transaction};

use super::Database;
use crate::StorageError;

/// Records that a key belongs to a job, together with the job. Returns `false` if it already belongs to one.
/// Starts with a write, so of parallel requests one continues and the others wait.
pub(super) async fn claim(
    transaction: &mut Transaction<'_, Any>,
    organization_id: &str,
    key: &str,
    fingerprint: &str,
    job_id: &str,
    now: Timestamp,
) -> Result<bool, StorageError> {
    sqlx::query("DELETE FROM idempotency_keys WHERE organization_id = $1 AND idempotency_key = $2 AND created_at < $3")
        .bind(organization_id)
        .bind(key)
        .bind(now - DAY)
        .execute(&mut **transaction)
        .await?;
    let inserted = sqlx::query(
        "INSERT INTO idempotency_keys (organization_id, idempotency_key, fingerprint, job_id, created_at) \
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
    )
    .bind(organization_id)
    .bind(key)
    .bind(fingerprint)
    .bind(job_id)
    .bind(now)
    .execute(&mut **transaction)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

impl Database {
    /// Whether a key was used within the last day, so that its request gets the same answer.
    pub async fn is_idempotency_key_used(
        &self,
        organization_id: &str,
        key: &str,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let sql = "SELECT job_id FROM idempotency_keys WHERE organization_id = $1 AND idempotency_key = $2 AND created_at >= $3";
        let query = sqlx::query(sql).bind(organization_id).bind(key).bind(now - DAY);
        Ok(query.fetch_optional(&self.pool).await?.is_some())
    }

    /// The fingerprint of the request that used a key, and the job that it created.
    pub(super) async fn used_idempotency(
        &self,
        organization_id: &str,
        key: &str,
    ) -> Result<Option<(String, String)>, StorageError> {
        let sql = "SELECT fingerprint, job_id FROM idempotency_keys WHERE organization_id = $1 AND idempotency_key = $2";
        let row =
            sqlx::query(sql).bind(organization_id).bind(key).fetch_optional(&self.pool).await?;
        row.map(|row| Ok((row.try_get("fingerprint")?, row.try_get("job_id")?))).transpose()
    }
}
