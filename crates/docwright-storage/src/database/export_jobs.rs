//! Static export jobs. A job requests a release and follows it: workers know only releases.

use docwright_types::{
    deployment::Features,
    export_job::{ExportJob, ExportStatus, StoredBundle},
    release::Trigger,
    timestamp::Timestamp,
};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{
    Database, idempotency,
    lists::{Order, PageRequest, Rows, text},
    new_id,
    releases::{NewRelease, ReleaseTarget, request},
    sites::lock_project,
};
use crate::StorageError;

/// A new job.
#[derive(Debug, Clone)]
pub struct NewExport {
    /// The requesting organization.
    pub organization_id: String,
    /// The project that the domain belongs to.
    pub project_id: String,
    /// The site of the domain.
    pub site_id: String,
    /// The requested domain.
    pub domain: String,
    /// The caller's label.
    pub version: Option<String>,
    /// Pages to export; `None` for all.
    pub paths: Option<Vec<String>>,
    /// What the bundle is made for.
    pub target: ExportTarget,
    /// The caller's idempotency key, and a fingerprint of the request.
    pub idempotency: Option<(String, String)>,
}

/// What a bundle is made for.
#[derive(Debug, Clone)]
pub enum ExportTarget {
    /// The cloud deployment of the project: the bundle is that of the domain's release.
    Cloud(String),
    /// Another place, with these features.
    Elsewhere {
        /// The deployment, if one was named.
        deployment_id: Option<String>,
        /// Its features.
        features: Features,
        /// URL of the site there; `None` for that of the domain.
        address: Option<String>,
    },
}

impl ExportTarget {
    /// The deployment, if one was named.
    pub fn deployment_id(&self) -> Option<&str> {
        match self {
            Self::Cloud(id) => Some(id),
            Self::Elsewhere { deployment_id, .. } => deployment_id.as_deref(),
        }
    }

    fn of_release(&self) -> Option<ReleaseTarget<'_>> {
        match self {
            Self::Cloud(_) => None,
            Self::Elsewhere { deployment_id, features, address } => Some(ReleaseTarget {
                deployment_id: deployment_id.as_deref(),
                features,
                address: address.as_deref(),
            }),
        }
    }
}

/// Result of a request to start a job.
#[derive(Debug)]
pub enum Started {
    /// The job, new or that of the same earlier request.
    Job(Box<ExportJob>),
    /// The idempotency key was used for another request.
    Conflict,
}

const COLUMNS: &str = "id, organization_id, project_id, domain, version, paths, deployment_id, status, progress, page_count, warnings, \
     warning_count, error, bundle_key, bundle_size, bundle_sha256, bundle_commit, release_id, created_at, updated_at";

impl Database {
    /// Creates a job, its idempotency key, and the release that it waits for.
    pub async fn start_export(
        &self,
        new: &NewExport,
        now: Timestamp,
    ) -> Result<Started, StorageError> {
        let id = new_id("exp");
        let mut transaction = self.begin().await?;
        lock_project(&mut transaction, &new.project_id).await?;
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
        self.require_storage_in(&mut *transaction, &new.project_id).await?;
        let release = NewRelease {
            site_id: &new.site_id,
            update_id: None,
            trigger: Trigger::Export,
            version: new.version.as_deref(),
            paths: new.paths.as_deref(),
            target: new.target.of_release(),
            without_cache: false,
        };
        let release_id = request(&mut transaction, release, now).await?;
        let paths = new.paths.as_ref().map(|paths| serde_json::json!(paths).to_string());
        sqlx::query(
            "INSERT INTO export_jobs (id, organization_id, project_id, domain, version, paths, status, progress, page_count, \
             warnings, warning_count, created_at, updated_at, release_id, deployment_id) \
             VALUES ($1, $2, $3, $4, $5, $6, 'queued', 0, 0, '[]', 0, $7, $7, $8, $9)",
        )
        .bind(&id)
        .bind(&new.organization_id)
        .bind(&new.project_id)
        .bind(&new.domain)
        .bind(new.version.as_deref())
        .bind(paths)
        .bind(now)
        .bind(&release_id)
        .bind(new.target.deployment_id())
        .execute(&mut *transaction)
        .await?;
        self.record_change(&mut transaction, &id).await?;
        transaction.commit().await?;
        self.started(&id).await
    }

    async fn replay(
        &self,
        organization_id: &str,
        key: &str,
        fingerprint: &str,
    ) -> Result<Started, StorageError> {
        match self.used_idempotency(organization_id, key).await? {
            Some((first, id)) if first == fingerprint => self.started(&id).await,
            _ => Ok(Started::Conflict),
        }
    }

    async fn started(&self, id: &str) -> Result<Started, StorageError> {
        let job = self.export_job(id).await?;
        job.map(|job| Started::Job(Box::new(job)))
            .ok_or_else(|| StorageError::Value(format!("the job {id} is gone")))
    }

    /// The job of an id.
    pub async fn export_job(&self, id: &str) -> Result<Option<ExportJob>, StorageError> {
        let sql = format!("SELECT {COLUMNS} FROM export_jobs WHERE id = $1");
        let row = sqlx::query(AssertSqlSafe(sql)).bind(id).fetch_optional(&self.pool).await?;
        row.as_ref().map(read).transpose()
    }

    /// Jobs of a project, newest first, searched by domain. `status` filters them.
    pub async fn export_jobs(
        &self,
        project_id: &str,
        status: Option<ExportStatus>,
        page: PageRequest<'_>,
    ) -> Result<Vec<ExportJob>, StorageError> {
        const DOMAIN: &str = text!("domain");
        let select = format!("SELECT {COLUMNS} FROM export_jobs");
        let rows = Rows::all()
            .with("project_id", Some(project_id))
            .with("status", status.map(|status| status.to_string()))
            .searched(DOMAIN, page);
        rows.read(&self.pool, &select, Order::grouped(DOMAIN, "id", page), page, read).await
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
        deployment_id: row.try_get("deployment_id")?,
        status,
        progress: row.try_get("progress")?,
        page_count: row.try_get("page_count")?,
        warnings: serde_json::from_str(&warnings).map_err(json)?,
        warning_count: row.try_get("warning_count")?,
        error: row.try_get("error")?,
        bundle,
        release_id: row.try_get("release_id")?,
        created_at: row.try_get("created_at")?,
        updated_at: row.try_get("updated_at")?,
    })
}
