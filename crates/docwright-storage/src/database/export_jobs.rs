//! Static export jobs: their rows are the queue.
//!
//! A worker takes a job by writing a lease into its row and keeps it by renewing the lease. Every
//! later write names the lease, so a worker that lost it changes nothing any more.

use docwright_domain::{
    export_job::{ExportJob, ExportStatus, ExportWarning, MAXIMUM_ATTEMPTS, StoredBundle},
    timestamp::Timestamp,
};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{Database, idempotency, new_id};
use crate::StorageError;

/// A job to be started.
#[derive(Debug, Clone)]
pub struct NewExport {
    /// The organisation that asks.
    pub organization_id: String,
    /// The project that the domain belongs to.
    pub project_id: String,
    /// The domain as asked for.
    pub domain: String,
    /// The caller's label.
    pub version: Option<String>,
    /// Pages to export; `None` for all.
    pub paths: Option<Vec<String>>,
    /// The caller's idempotency key, and what tells one request from another.
    pub idempotency: Option<(String, String)>,
}

/// What became of a request to start a job.
#[derive(Debug)]
pub enum Started {
    /// The job, new or that of the same request before.
    Job(Box<ExportJob>),
    /// The idempotency key was used for another request.
    Conflict,
}

const COLUMNS: &str = "id, organization_id, project_id, domain, version, paths, status, progress, page_count, warnings, \
     warning_count, error, bundle_key, bundle_size, bundle_sha256, bundle_commit, attempts, created_at, updated_at";

impl Database {
    /// Queues a job, together with its idempotency key.
    pub async fn start_export(
        &self,
        new: &NewExport,
        now: Timestamp,
    ) -> Result<Started, StorageError> {
        let id = new_id("exp");
        let mut transaction = self.pool.begin().await?;
        if let Some((key, fingerprint)) = &new.idempotency {
            let claimed = idempotency::claim(
                &mut transaction,
                &new.organization_id,
                key,
                fingerprint,
                &id,
                now,
            );
            if !claimed.await? {
                transaction.rollback().await?;
                return self.replay(&new.organization_id, key, fingerprint).await;
            }
        }
        let paths = new.paths.as_ref().map(|paths| serde_json::json!(paths).to_string());
        sqlx::query(
            "INSERT INTO export_jobs (id, organization_id, project_id, domain, version, paths, status, progress, page_count, \
             warnings, warning_count, attempts, run_after, created_at, updated_at) \
             VALUES ($1, $2, $3, $4, $5, $6, 'queued', 0, 0, '[]', 0, 0, $7, $7, $7)",
        )
        .bind(&id)
        .bind(&new.organization_id)
        .bind(&new.project_id)
        .bind(&new.domain)
        .bind(new.version.as_deref())
        .bind(paths)
        .bind(now)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        self.started(&new.organization_id, &id).await
    }

    async fn replay(
        &self,
        organization_id: &str,
        key: &str,
        fingerprint: &str,
    ) -> Result<Started, StorageError> {
        match self.used_idempotency(organization_id, key).await? {
            Some((first, id)) if first == fingerprint => self.started(organization_id, &id).await,
            _ => Ok(Started::Conflict),
        }
    }

    async fn started(&self, organization_id: &str, id: &str) -> Result<Started, StorageError> {
        let job = self.export_job(organization_id, id).await?;
        job.map(|job| Started::Job(Box::new(job)))
            .ok_or_else(|| StorageError::Value(format!("the job {id} is gone")))
    }

    /// A job of an organisation.
    pub async fn export_job(
        &self,
        organization_id: &str,
        id: &str,
    ) -> Result<Option<ExportJob>, StorageError> {
        let sql =
            format!("SELECT {COLUMNS} FROM export_jobs WHERE id = $1 AND organization_id = $2");
        let row = sqlx::query(AssertSqlSafe(sql))
            .bind(id)
            .bind(organization_id)
            .fetch_optional(&self.pool)
            .await?;
        row.as_ref().map(read).transpose()
    }

    /// The newest completed export of a domain.
    pub async fn latest_export(&self, domain: &str) -> Result<Option<ExportJob>, StorageError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM export_jobs WHERE domain = $1 AND status = 'completed' ORDER BY updated_at DESC, id DESC LIMIT 1"
        );
        let row = sqlx::query(AssertSqlSafe(sql)).bind(domain).fetch_optional(&self.pool).await?;
        row.as_ref().map(read).transpose()
    }

    /// Takes the next job that waits, or whose worker has let its lease run out.
    pub async fn claim_export(
        &self,
        owner: &str,
        now: Timestamp,
        lease: Timestamp,
    ) -> Result<Option<ExportJob>, StorageError> {
        self.fail_exhausted(now).await?;
        let lock = if self.skips_locked_rows { " FOR UPDATE SKIP LOCKED" } else { "" };
        let sql = format!(
            "UPDATE export_jobs SET status = 'running', lease_owner = $1, lease_expires_at = $2, attempts = attempts + 1, updated_at = $3 \
             WHERE id = (SELECT id FROM export_jobs WHERE (status = 'queued' AND run_after <= $3) \
             OR (status = 'running' AND lease_expires_at < $3) ORDER BY created_at, id LIMIT 1{lock}) RETURNING {COLUMNS}"
        );
        let row = sqlx::query(AssertSqlSafe(sql))
            .bind(owner)
            .bind(now + lease)
            .bind(now)
            .fetch_optional(&self.pool)
            .await?;
        row.as_ref().map(read).transpose()
    }

    async fn fail_exhausted(&self, now: Timestamp) -> Result<(), StorageError> {
        sqlx::query(
            "UPDATE export_jobs SET status = 'failed', error = $1, lease_owner = NULL, updated_at = $2 \
             WHERE status = 'running' AND lease_expires_at < $2 AND attempts >= $3",
        )
        .bind("the export was begun several times and never came to an end; see the server's log")
        .bind(now)
        .bind(MAXIMUM_ATTEMPTS)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Renews a lease and notes how far the job is. Returns whether the lease still holds.
    pub async fn renew_export(
        &self,
        id: &str,
        owner: &str,
        (progress, page_count): (i64, i64),
        expires_at: Timestamp,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        // An attempt after the first begins again, but what a caller has seen never goes back.
        let query = sqlx::query(
            "UPDATE export_jobs SET lease_expires_at = $1, updated_at = $2, \
             progress = CASE WHEN progress > $3 THEN progress ELSE $3 END, \
             page_count = CASE WHEN page_count > $4 THEN page_count ELSE $4 END \
             WHERE id = $5 AND lease_owner = $6 AND status = 'running'",
        );
        let renewed = query
            .bind(expires_at)
            .bind(now)
            .bind(progress)
            .bind(page_count)
            .bind(id)
            .bind(owner)
            .execute(&self.pool);
        Ok(renewed.await?.rows_affected() == 1)
    }

    /// Ends a job well. Returns whether the lease still held.
    pub async fn complete_export(
        &self,
        id: &str,
        owner: &str,
        (page_count, warnings, warning_count): (i64, &[ExportWarning], i64),
        bundle: &StoredBundle,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let query = sqlx::query(
            "UPDATE export_jobs SET status = 'completed', progress = 100, page_count = $1, warnings = $2, warning_count = $3, \
             bundle_key = $4, bundle_size = $5, bundle_sha256 = $6, bundle_commit = $7, lease_owner = NULL, updated_at = $8 \
             WHERE id = $9 AND lease_owner = $10 AND status = 'running'",
        );
        let ended = query
            .bind(page_count)
            .bind(serde_json::json!(warnings).to_string())
            .bind(warning_count)
            .bind(&bundle.key)
            .bind(bundle.size)
            .bind(&bundle.sha256)
            .bind(bundle.commit.as_deref())
            .bind(now)
            .bind(id)
            .bind(owner)
            .execute(&self.pool);
        Ok(ended.await?.rows_affected() == 1)
    }

    /// Ends a job that can't be done.
    pub async fn fail_export(
        &self,
        id: &str,
        owner: &str,
        error: &str,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let query = sqlx::query(
            "UPDATE export_jobs SET status = 'failed', error = $1, lease_owner = NULL, updated_at = $2 \
             WHERE id = $3 AND lease_owner = $4 AND status = 'running'",
        );
        Ok(query
            .bind(error)
            .bind(now)
            .bind(id)
            .bind(owner)
            .execute(&self.pool)
            .await?
            .rows_affected()
            == 1)
    }

    /// Puts a job back in the queue: after a fault that may pass, or when its worker stops.
    pub async fn release_export(
        &self,
        id: &str,
        owner: &str,
        run_after: Timestamp,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let query = sqlx::query(
            "UPDATE export_jobs SET status = 'queued', run_after = $1, lease_owner = NULL, updated_at = $2 \
             WHERE id = $3 AND lease_owner = $4 AND status = 'running'",
        );
        Ok(query
            .bind(run_after)
            .bind(now)
            .bind(id)
            .bind(owner)
            .execute(&self.pool)
            .await?
            .rows_affected()
            == 1)
    }

    /// Jobs by status, for the metrics.
    pub async fn count_exports(&self) -> Result<Vec<(String, i64)>, StorageError> {
        let rows = sqlx::query(
            "SELECT status, COUNT(*) AS jobs FROM export_jobs GROUP BY status ORDER BY status",
        )
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(|row| Ok((row.try_get("status")?, row.try_get("jobs")?))).collect()
    }
}

fn read(row: &AnyRow) -> Result<ExportJob, StorageError> {
    let status: String = row.try_get("status")?;
    let paths: Option<String> = row.try_get("paths")?;
    let warnings: String = row.try_get("warnings")?;
    let json = |error: serde_json::Error| StorageError::Value(error.to_string());
    let key: Option<String> = row.try_get("bundle_key")?;
    let bundle = match key {
        Some(key) => Some(StoredBundle {
            key,
            size: row.try_get("bundle_size")?,
            sha256: row.try_get("bundle_sha256")?,
            commit: row.try_get("bundle_commit")?,
        }),
        None => None,
    };
    let status: ExportStatus = status.parse().map_err(StorageError::Value)?;
    Ok(ExportJob {
        id: row.try_get("id")?,
        organization_id: row.try_get("organization_id")?,
        project_id: row.try_get("project_id")?,
        domain: row.try_get("domain")?,
        version: row.try_get("version")?,
        paths: paths.map(|paths| serde_json::from_str(&paths)).transpose().map_err(json)?,
        status,
        progress: row.try_get("progress")?,
        page_count: row.try_get("page_count")?,
        warnings: serde_json::from_str(&warnings).map_err(json)?,
        warning_count: row.try_get("warning_count")?,
        error: row.try_get("error")?,
        bundle,
        attempts: row.try_get("attempts")?,
        created_at: row.try_get("created_at")?,
        updated_at: row.try_get("updated_at")?,
    })
}
