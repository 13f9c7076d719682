//! Storage usage of organizations, and whether their plans have room for more. Each project has the sizes of its
//! parts in its row, so one statement sums them without reading releases.

use docwright_types::{
    counted::bytes,
    timestamp::{HOUR, Timestamp},
};
use sqlx::{Any, AssertSqlSafe, Executor, Row, Transaction, any::AnyRow};

use super::Database;
use crate::StorageError;

/// Bytes that the bundles of the previews of a project can use together.
pub const PREVIEW_BYTES: i64 = 4 * 1024 * 1024 * 1024;
/// A clone counts for this long after its last use: then the files of its commits are removable.
const CLONES_COUNT: Timestamp = HOUR;

/// The storage that an organization uses, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StorageUsage {
    /// Bundles of releases. An export has the bundle of its release, which stays as long as the export needs it.
    pub bundles: i64,
    /// Repositories on the built-in git host.
    pub repositories: i64,
    /// Clones, with the files of commits, that were used in the last hour.
    pub clones: i64,
}

impl StorageUsage {
    /// All of it.
    pub const fn total(self) -> i64 {
        self.bundles.saturating_add(self.repositories).saturating_add(self.clones)
    }

    fn read(row: &AnyRow) -> Result<Self, StorageError> {
        Ok(Self {
            bundles: row.try_get("bundles")?,
            repositories: row.try_get("repositories")?,
            clones: row.try_get("clones")?,
        })
    }
}

impl Database {
    /// The columns of [`StorageUsage`], for a row of `organizations`.
    fn storage_columns(&self) -> String {
        let of_projects = |column: &str| {
            format!(
                "CAST((SELECT COALESCE(SUM({column}), 0) FROM projects \
                 WHERE projects.organization_id = organizations.id) AS BIGINT)"
            )
        };
        format!(
            "{} AS bundles, {} AS repositories, \
             CAST((SELECT COALESCE(SUM(clones.bytes), 0) FROM projects JOIN clones ON clones.project_id = projects.id \
                 WHERE projects.organization_id = organizations.id AND used_at > {} - {CLONES_COUNT}) AS BIGINT) AS clones",
            of_projects("bundle_bytes"),
            of_projects("repository_bytes"),
            self.clock()
        )
    }

    /// The storage that an organization uses.
    pub async fn storage_usage(&self, organization_id: &str) -> Result<StorageUsage, StorageError> {
        let sql = format!("SELECT {} FROM organizations WHERE id = $1", self.storage_columns());
        let query = sqlx::query(AssertSqlSafe(sql)).bind(organization_id);
        StorageUsage::read(&query.fetch_one(&self.pool).await?)
    }

    /// Fails if the organization of a project uses as much storage as its plan includes, or more.
    pub async fn require_storage(&self, project_id: &str) -> Result<(), StorageError> {
        self.require_storage_in(&self.pool, project_id).await
    }

    /// Like [`Self::require_storage`], in a transaction.
    pub(super) async fn require_storage_in<'e>(
        &self,
        executor: impl Executor<'e, Database = Any>,
        project_id: &str,
    ) -> Result<(), StorageError> {
        // Nothing is counted if there is no limit.
        let sql = format!(
            "SELECT plan, storage_bytes, {} FROM organizations JOIN plans ON plans.name = plan \
             WHERE organizations.id = (SELECT organization_id FROM projects WHERE id = $1) \
             AND storage_bytes IS NOT NULL",
            self.storage_columns()
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(project_id);
        let Some(row) = query.fetch_optional(executor).await? else { return Ok(()) };
        let (plan, limit): (String, i64) = (row.try_get("plan")?, row.try_get("storage_bytes")?);
        let usage = StorageUsage::read(&row)?;
        if usage.total() < limit {
            return Ok(());
        }
        Err(StorageError::PlanLimit(format!(
            "this organization uses {} of the {} of storage that its plan, {plan}, includes: {} of bundles, {} of \
             repositories, and {} of clones used in the last hour; close previews, delete domains or projects, or ask \
             the operator for more storage",
            bytes(usage.total()),
            bytes(limit),
            bytes(usage.bundles),
            bytes(usage.repositories),
            bytes(usage.clones),
        )))
    }

    /// Fails if the previews of a project take [`PREVIEW_BYTES`] or more.
    pub async fn require_preview_storage(&self, project_id: &str) -> Result<(), StorageError> {
        self.require_preview_storage_in(&self.pool, project_id).await
    }

    /// Like [`Self::require_preview_storage`], in a transaction.
    pub(super) async fn require_preview_storage_in<'e>(
        &self,
        executor: impl Executor<'e, Database = Any>,
        project_id: &str,
    ) -> Result<(), StorageError> {
        let sql = "SELECT CAST(COALESCE(SUM(bundle_size), 0) AS BIGINT) AS used FROM releases \
             WHERE project_id = $1 AND trigger_name = 'preview' AND bundle_key IS NOT NULL";
        let row = sqlx::query(sql).bind(project_id).fetch_one(executor).await?;
        let used: i64 = row.try_get("used")?;
        if used < PREVIEW_BYTES {
            return Ok(());
        }
        Err(StorageError::PlanLimit(format!(
            "the previews of this project take {} of at most {}; close previews, then try again in an hour",
            bytes(used),
            bytes(PREVIEW_BYTES)
        )))
    }

    /// Records the size of a project's repository on the built-in git host.
    pub async fn record_repository_size(
        &self,
        project_id: &str,
        bytes: i64,
    ) -> Result<(), StorageError> {
        let sql = "UPDATE projects SET repository_bytes = $1 WHERE id = $2";
        sqlx::query(sql).bind(bytes).bind(project_id).execute(&self.pool).await?;
        Ok(())
    }

    /// Records that a clone was used for a project now, and its size.
    pub async fn record_clone_size(
        &self,
        project_id: &str,
        (name, bytes): (&str, i64),
    ) -> Result<(), StorageError> {
        let sql = format!(
            "INSERT INTO clones (name, project_id, bytes, used_at) VALUES ($1, $2, $3, {}) \
             ON CONFLICT (name) DO UPDATE SET project_id = excluded.project_id, bytes = excluded.bytes, \
             used_at = excluded.used_at",
            self.clock()
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(name).bind(project_id).bind(bytes);
        query.execute(&self.pool).await?;
        Ok(())
    }

    /// Forgets the sizes of clones that don't count at a time any more. Returns how many.
    pub async fn remove_old_clone_sizes(&self, now: Timestamp) -> Result<u64, StorageError> {
        self.remove_in_batches("clones", "name", "used_at < $1", now - CLONES_COUNT).await
    }
}

/// Adds the size of a release's next bundle to its project, in place of its last one. The caller holds the project's
/// lock, and records the bundle after this.
pub(super) async fn count_bundle(
    transaction: &mut Transaction<'_, Any>,
    release_id: &str,
    size: i64,
) -> Result<(), StorageError> {
    let sql = "UPDATE projects SET bundle_bytes = bundle_bytes + $1 - COALESCE( \
             (SELECT bundle_size FROM releases WHERE id = $2 AND bundle_key IS NOT NULL), 0) \
         WHERE id = (SELECT project_id FROM releases WHERE id = $2)";
    sqlx::query(sql).bind(size).bind(release_id).execute(&mut **transaction).await?;
    Ok(())
}

/// Subtracts the bundles of removed releases, which have the columns `bundle_key` and `bundle_size`, from their
/// project. The caller holds the project's lock.
pub(super) async fn uncount_bundles(
    transaction: &mut Transaction<'_, Any>,
    project_id: &str,
    removed: &[AnyRow],
) -> Result<(), StorageError> {
    let mut bytes = 0;
    for row in removed {
        if row.try_get::<Option<String>, _>("bundle_key")?.is_some() {
            bytes += row.try_get::<Option<i64>, _>("bundle_size")?.unwrap_or(0);
        }
    }
    let sql = "UPDATE projects SET bundle_bytes = bundle_bytes - $1 WHERE id = $2";
    sqlx::query(sql).bind(bytes).bind(project_id).execute(&mut **transaction).await?;
    Ok(())
}
