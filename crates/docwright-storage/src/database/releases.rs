//! Releases: requesting and reading them, and the exports that follow them.

use std::collections::HashMap;

use docwright_types::{
    deployment::Features,
    export_job::StoredBundle,
    notification::EventKind,
    release::{CANCELED, Release, ReleaseCommit, ReleaseStatus, Trigger},
    site::Site,
    timestamp::Timestamp,
};
use sqlx::{Any, AssertSqlSafe, Row, Transaction, any::AnyRow};

use super::{
    Database, deployments,
    leases::{HELD, Lease},
    lost_bundles, new_id,
    notifications::{Subject, record},
    reports,
    retention::placeholders,
    site_origin::address_of_site,
    sites::{lock_project, lock_project_of},
};
use crate::StorageError;

/// A new release.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewRelease<'a> {
    pub site_id: &'a str,
    pub update_id: Option<&'a str>,
    pub trigger: Trigger,
    pub version: Option<&'a str>,
    pub paths: Option<&'a [String]>,
    pub target: Option<ReleaseTarget<'a>>,
    /// Whether it is built anew, even if another release has its pages, without results of earlier builds.
    pub without_cache: bool,
}

/// What a release is made for, if not for the cloud deployment of its project.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReleaseTarget<'a> {
    /// The deployment, if one was named.
    pub deployment_id: Option<&'a str>,
    pub features: &'a Features,
    /// URL of the site there; `None` for that of the domain.
    pub address: Option<&'a str>,
}

impl<'a> NewRelease<'a> {
    /// A release of all pages that the site can serve.
    pub(super) const fn of_site(
        site_id: &'a str,
        update_id: Option<&'a str>,
        trigger: Trigger,
    ) -> Self {
        Self {
            site_id,
            update_id,
            trigger,
            version: None,
            paths: None,
            target: None,
            without_cache: false,
        }
    }

    /// Only a release of the whole site, without a label, for the cloud deployment can be served.
    const fn servable(&self) -> bool {
        self.version.is_none() && self.paths.is_none() && self.target.is_none()
    }
}

pub(super) const COLUMNS: &str = "id, number, site_id, project_id, organization_id, address, update_id, trigger_name, servable, version, paths, deployment_id, \
     features, branch, commit_sha, docs_tree, commit_message, commit_author, files_changed, head_sequence, status, progress, page_count, \
     warnings, warning_count, error, replaced_by, bundle_key, bundle_size, bundle_sha256, failures, created_at, \
     updated_at, ended_at, bundle_lost_at, held_errors, base_release_id, without_cache";

impl Database {
    /// The release of an id.
    pub async fn release(&self, id: &str) -> Result<Option<Release>, StorageError> {
        let sql = format!("SELECT {COLUMNS} FROM releases WHERE id = $1");
        let row = sqlx::query(AssertSqlSafe(sql)).bind(id).fetch_optional(&self.pool).await?;
        row.as_ref().map(read).transpose()
    }

    /// The releases of an update of a project, oldest first.
    pub async fn releases_of_update(&self, update_id: &str) -> Result<Vec<Release>, StorageError> {
        let sql = format!("SELECT {COLUMNS} FROM releases WHERE update_id = $1 ORDER BY id");
        let rows = sqlx::query(AssertSqlSafe(sql)).bind(update_id).fetch_all(&self.pool).await?;
        rows.iter().map(read).collect()
    }

    /// The newest release of each of some sites, by site.
    pub async fn newest_releases(
        &self,
        sites: &[&str],
    ) -> Result<HashMap<String, Release>, StorageError> {
        if sites.is_empty() {
            return Ok(HashMap::new());
        }
        let list = placeholders(1, sites.len());
        let sql = format!(
            "SELECT {COLUMNS} FROM releases WHERE id IN (SELECT MAX(id) FROM releases WHERE site_id IN ({list}) GROUP BY site_id)"
        );
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for site in sites {
            query = query.bind(*site);
        }
        let rows = query.fetch_all(&self.pool).await?;
        rows.iter().map(|row| read(row).map(|each| (each.site_id.clone(), each))).collect()
    }

    /// The previous ready release of a site before another one, of the whole site.
    pub async fn release_before(&self, release: &Release) -> Result<Option<Release>, StorageError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM releases WHERE site_id = $1 AND id < $2 AND status = 'ready' AND servable = 1 \
             AND head_sequence <= $3 ORDER BY head_sequence DESC, id DESC LIMIT 1"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(&release.site_id).bind(&release.id);
        // A release whose commit isn't known yet has none before it.
        let query = query.bind(release.head_sequence.unwrap_or(-1));
        query.fetch_optional(&self.pool).await?.as_ref().map(read).transpose()
    }
}

/// Queues a release, or finds the waiting one: its commit isn't read yet, so it will be the latest too. Returns
/// its id.
pub(super) async fn request(
    transaction: &mut Transaction<'_, Any>,
    new: NewRelease<'_>,
    now: Timestamp,
) -> Result<String, StorageError> {
    if new.servable() {
        // An update keeps its own release, since callers read its status with the update's ID.
        let sql = "SELECT id FROM releases WHERE site_id = $1 AND trigger_name = $2 AND servable = 1 \
             AND status = 'queued' AND lease_number = 0 AND update_id IS NULL AND bundle_lost_at IS NULL ORDER BY id LIMIT 1";
        let query = sqlx::query(sql).bind(new.site_id).bind(new.trigger.name());
        if new.update_id.is_none()
            && let Some(row) = query.fetch_optional(&mut **transaction).await?
        {
            return Ok(row.try_get("id")?);
        }
    }
    let id = new_id("rel");
    let address = match new.target.and_then(|target| target.address) {
        Some(address) => Some(address.to_owned()),
        None => address_of_site(transaction, new.site_id).await?,
    };
    let sql = "UPDATE projects SET last_release_number = last_release_number + 1 \
         WHERE id = (SELECT project_id FROM sites WHERE id = $1)";
    sqlx::query(sql).bind(new.site_id).execute(&mut **transaction).await?;
    sqlx::query(
        "INSERT INTO releases (id, site_id, project_id, organization_id, update_id, trigger_name, servable, version, \
         paths, status, progress, page_count, warnings, warning_count, failures, interruptions, run_after, \
         lease_number, created_at, updated_at, address, deployment_id, features, without_cache, number) \
         SELECT $1, sites.id, sites.project_id, projects.organization_id, $2, $3, $4, $5, $6, 'queued', 0, 0, '[]', 0, \
         0, 0, 0, 0, $7, $7, $9, $10, $11, $12, projects.last_release_number FROM sites JOIN projects ON projects.id = sites.project_id WHERE sites.id = $8",
    )
    .bind(&id)
    .bind(new.update_id)
    .bind(new.trigger.name())
    .bind(i64::from(new.servable()))
    .bind(new.version)
    .bind(new.paths.map(|paths| serde_json::json!(paths).to_string()))
    .bind(now)
    .bind(new.site_id)
    .bind(address)
    .bind(new.target.and_then(|target| target.deployment_id))
    .bind(new.target.map(|target| deployments::text(target.features)))
    .bind(i64::from(new.without_cache))
    .execute(&mut **transaction)
    .await?;
    Ok(id)
}

/// Updates the exports that wait for a release to its state. The state that a caller sees never goes back.
pub(super) async fn mirror(
    transaction: &mut Transaction<'_, Any>,
    id: &str,
    now: Timestamp,
) -> Result<(), StorageError> {
    let exports = sqlx::query(
        "UPDATE export_jobs SET \
         status = CASE release.status WHEN 'ready' THEN 'completed' WHEN 'failed' THEN 'failed' \
             WHEN 'queued' THEN export_jobs.status ELSE 'running' END, \
         progress = CASE WHEN release.progress > export_jobs.progress THEN release.progress ELSE export_jobs.progress END, \
         page_count = CASE WHEN release.status = 'ready' OR release.page_count > export_jobs.page_count \
             THEN release.page_count ELSE export_jobs.page_count END, \
         warnings = release.warnings, warning_count = release.warning_count, error = release.error, \
         bundle_key = release.bundle_key, bundle_size = release.bundle_size, bundle_sha256 = release.bundle_sha256, \
         bundle_commit = release.commit_sha, updated_at = $2 \
         FROM releases AS release WHERE release.id = $1 AND export_jobs.release_id = release.id \
         AND export_jobs.status IN ('queued', 'running') RETURNING export_jobs.id, export_jobs.status",
    )
    .bind(id)
    .bind(now)
    .fetch_all(&mut **transaction)
    .await?;
    for export in exports {
        let (id, status): (String, String) = (export.try_get("id")?, export.try_get("status")?);
        let kind = match status.as_str() {
            "completed" => EventKind::ExportCompleted,
            "failed" => EventKind::ExportFailed,
            _ => continue,
        };
        record(transaction, Subject::Export(&id), kind, now).await?;
    }
    Ok(())
}

/// Lets another release replace one that will not be built, for everything that waits for it.
pub(super) async fn replace(
    transaction: &mut Transaction<'_, Any>,
    (id, status): (&str, ReleaseStatus),
    replacement: &str,
    now: Timestamp,
) -> Result<(), StorageError> {
    sqlx::query(
        "UPDATE releases SET status = $1, replaced_by = $2, lease_expires_at = NULL, updated_at = $3, ended_at = $3 WHERE id = $4",
    )
    .bind(status.name())
    .bind(replacement)
    .bind(now)
    .bind(id)
    .execute(&mut **transaction)
    .await?;
    for follow in [
        "UPDATE export_jobs SET release_id = $1 WHERE release_id = $2 AND status IN ('queued', 'running')",
        "UPDATE releases SET replaced_by = $1 WHERE replaced_by = $2",
    ] {
        sqlx::query(follow).bind(replacement).bind(id).execute(&mut **transaction).await?;
    }
    let line = format!("{status}: {replacement} replaced it");
    reports::changed(transaction, id, &line, now).await?;
    mirror(transaction, replacement, now).await
}

impl Database {
    /// Ends a queued or building release: its worker loses the lease. Returns whether it did; a release whose lost
    /// bundle is rebuilt stays.
    pub async fn cancel_release(&self, id: &str, now: Timestamp) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        lock_project_of(&mut transaction, id).await?;
        let sql = "UPDATE releases SET status = 'failed', error = $1, lease_expires_at = NULL, updated_at = $2, ended_at = $2 \
             WHERE id = $3 AND status IN ('queued', 'building') AND bundle_lost_at IS NULL";
        let query = sqlx::query(sql).bind(CANCELED).bind(now).bind(id);
        if query.execute(&mut *transaction).await?.rows_affected() == 0 {
            return Ok(false);
        }
        mirror(&mut transaction, id, now).await?;
        reports::changed(&mut transaction, id, CANCELED, now).await?;
        record(&mut transaction, Subject::Release(id), EventKind::ReleaseFailed, now).await?;
        self.record_change(&mut transaction, id).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Requests a release of a site that is built anew, without results of earlier builds. Returns the id of its update.
    pub async fn request_rebuild(
        &self,
        site: &Site,
        trigger: Trigger,
        now: Timestamp,
    ) -> Result<String, StorageError> {
        let update = new_id("upd");
        let mut transaction = self.begin().await?;
        lock_project(&mut transaction, &site.project_id).await?;
        self.require_storage_in(&mut *transaction, &site.project_id).await?;
        let new = NewRelease {
            without_cache: true,
            ..NewRelease::of_site(&site.id, Some(&update), trigger)
        };
        request(&mut transaction, new, now).await?;
        self.record_change(&mut transaction, &update).await?;
        transaction.commit().await?;
        Ok(update)
    }
}

/// Ends a release whose build failed. Returns whether the lease still held.
pub(super) async fn fail(
    transaction: &mut Transaction<'_, Any>,
    lease: &Lease,
    error: &str,
    now: Timestamp,
) -> Result<bool, StorageError> {
    let sql = format!(
        "UPDATE releases SET status = 'failed', error = $1, lease_expires_at = NULL, updated_at = $4, ended_at = $4 WHERE {HELD}"
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(error).bind(&lease.id).bind(lease.number);
    let held = query.bind(now).execute(&mut **transaction).await?.rows_affected() == 1;
    mirror(transaction, &lease.id, now).await?;
    if held {
        lost_bundles::end_wait(transaction, &lease.id).await?;
        reports::changed(transaction, &lease.id, &format!("failed: {error}"), now).await?;
        record(transaction, Subject::Release(&lease.id), EventKind::ReleaseFailed, now).await?;
    }
    Ok(held)
}

pub(super) fn read(row: &AnyRow) -> Result<Release, StorageError> {
    let json = |error: serde_json::Error| StorageError::Value(error.to_string());
    let text = |name: &str| row.try_get::<String, _>(name);
    let paths: Option<String> = row.try_get("paths")?;
    let features: Option<String> = row.try_get("features")?;
    let commit = ReleaseCommit {
        branch: row.try_get("branch")?,
        sha: row.try_get("commit_sha")?,
        docs_tree: row.try_get("docs_tree")?,
        message: row.try_get("commit_message")?,
        author: row.try_get("commit_author")?,
        files_changed: row.try_get("files_changed")?,
    };
    let bundle = match row.try_get::<Option<String>, _>("bundle_key")? {
        Some(key) => Some(StoredBundle {
            key,
            size: row.try_get("bundle_size")?,
            sha256: row.try_get("bundle_sha256")?,
            commit: commit.sha.clone(),
        }),
        None => None,
    };
    Ok(Release {
        id: row.try_get("id")?,
        number: row.try_get("number")?,
        site_id: row.try_get("site_id")?,
        project_id: row.try_get("project_id")?,
        organization_id: row.try_get("organization_id")?,
        address: row.try_get("address")?,
        update_id: row.try_get("update_id")?,
        trigger: text("trigger_name")?.parse().map_err(StorageError::Value)?,
        servable: row.try_get::<i64, _>("servable")? != 0,
        version: row.try_get("version")?,
        paths: paths.map(|paths| serde_json::from_str(&paths)).transpose().map_err(json)?,
        deployment_id: row.try_get("deployment_id")?,
        features: features.map(|text| serde_json::from_str(&text)).transpose().map_err(json)?,
        commit,
        head_sequence: row.try_get("head_sequence")?,
        status: text("status")?.parse().map_err(StorageError::Value)?,
        progress: row.try_get("progress")?,
        page_count: row.try_get("page_count")?,
        warnings: serde_json::from_str(&text("warnings")?).map_err(json)?,
        warning_count: row.try_get("warning_count")?,
        error: row.try_get("error")?,
        replaced_by: row.try_get("replaced_by")?,
        bundle,
        failures: row.try_get("failures")?,
        created_at: row.try_get("created_at")?,
        updated_at: row.try_get("updated_at")?,
        ended_at: row.try_get("ended_at")?,
        bundle_lost_at: row.try_get("bundle_lost_at")?,
        without_cache: row.try_get::<i64, _>("without_cache")? != 0,
        held_errors: row.try_get("held_errors")?,
        base_id: row.try_get("base_release_id")?,
    })
}
