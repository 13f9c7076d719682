//! How much organisations keep: measured now and then, so that nobody who looks walks through all of it.

use docwright_domain::timestamp::Timestamp;
use sqlx::Row;

use super::Database;
use crate::StorageError;

/// What an organisation keeps, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptBytes {
    /// Bundles of releases and exports, each counted once.
    pub bundles: i64,
    /// Repositories on docwright's own git host.
    pub repositories: i64,
    /// When it was measured; `None` before the first time.
    pub measured_at: Option<Timestamp>,
}

impl Database {
    /// Organisations that were not measured from a time until now. One that a wrong clock measured later than
    /// now is among them.
    pub async fn organizations_to_measure(
        &self,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<Vec<String>, StorageError> {
        let sql = "SELECT id FROM organizations WHERE COALESCE(storage_measured_at, 0) NOT BETWEEN $1 AND $2";
        let rows = sqlx::query(sql).bind(since).bind(now).fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok(row.try_get("id")?)).collect()
    }

    /// Measures what the bundles of an organisation take, and records it beside its repositories.
    pub async fn measure(
        &self,
        organization_id: &str,
        repositories: i64,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        // An export has the bundle of its release, and keeps it when the release goes.
        let sql = "SELECT CAST(COALESCE(SUM(bundle_size), 0) AS BIGINT) AS bytes FROM ( \
             SELECT bundle_key, bundle_size FROM releases WHERE organization_id = $1 AND bundle_key IS NOT NULL \
             UNION SELECT bundle_key, bundle_size FROM export_jobs WHERE organization_id = $1 AND bundle_key IS NOT NULL \
             ) AS bundles";
        let row = sqlx::query(sql).bind(organization_id).fetch_one(&self.pool).await?;
        let bundles: i64 = row.try_get("bytes")?;
        let sql = "UPDATE organizations SET bundle_bytes = $1, repository_bytes = $2, storage_measured_at = $3 \
             WHERE id = $4";
        let query = sqlx::query(sql).bind(bundles).bind(repositories).bind(now);
        query.bind(organization_id).execute(&self.pool).await?;
        Ok(())
    }

    /// What an organisation keeps, as it was measured last.
    pub async fn kept_bytes(&self, organization_id: &str) -> Result<KeptBytes, StorageError> {
        let sql = "SELECT bundle_bytes, repository_bytes, storage_measured_at FROM organizations WHERE id = $1";
        let row = sqlx::query(sql).bind(organization_id).fetch_one(&self.pool).await?;
        Ok(KeptBytes {
            bundles: row.try_get("bundle_bytes")?,
            repositories: row.try_get("repository_bytes")?,
            measured_at: row.try_get("storage_measured_at")?,
        })
    }
}
