//! The active releases of domains, for nodes that keep them in memory.

use docwright_types::export_job::StoredBundle;
use sqlx::{Any, Row, Transaction, any::AnyRow};
use tokio::sync::watch;

use super::Database;
use crate::StorageError;

/// The release that a domain or a preview serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Serving {
    /// Name of the domain, or host of the preview.
    pub domain: String,
    /// Id of the release.
    pub release_id: String,
    /// Its bundle.
    pub bundle: StoredBundle,
}

/// The owners of a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainOwners {
    /// Name of the domain.
    pub domain: String,
    /// ID of its project.
    pub project_id: String,
    /// ID of the organization of that project.
    pub organization_id: String,
}

impl Database {
    /// Every domain and open preview, and its active release, if it has one; by name.
    pub async fn serving(&self) -> Result<Vec<(String, Option<Serving>)>, StorageError> {
        let sql = "SELECT domains.name, releases.id, bundle_key, bundle_size, bundle_sha256, commit_sha FROM domains \
             LEFT JOIN sites ON sites.project_id = domains.project_id AND sites.branch = domains.branch \
             AND sites.domain = domains.name \
             LEFT JOIN releases ON releases.id = sites.active_release_id AND bundle_key IS NOT NULL \
             UNION ALL \
             SELECT previews.host AS name, releases.id, bundle_key, bundle_size, bundle_sha256, commit_sha FROM previews \
             JOIN sites ON sites.id = previews.site_id \
             LEFT JOIN releases ON releases.id = sites.active_release_id AND bundle_key IS NOT NULL \
             WHERE previews.state = 'open' ORDER BY name";
        sqlx::query(sql).fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// Every domain with its owners.
    pub async fn domain_owners(&self) -> Result<Vec<DomainOwners>, StorageError> {
        let sql = "SELECT domains.name, domains.project_id, projects.organization_id FROM domains \
             JOIN projects ON projects.id = domains.project_id ORDER BY domains.name";
        let rows = sqlx::query(sql).fetch_all(&self.pool).await?;
        let owners = |row: &AnyRow| {
            Ok(DomainOwners {
                domain: row.try_get("name")?,
                project_id: row.try_get("project_id")?,
                organization_id: row.try_get("organization_id")?,
            })
        };
        rows.iter().map(owners).collect()
    }

    /// The bundles of the active releases of a project's domains, each once.
    pub async fn active_bundles(
        &self,
        project_id: &str,
    ) -> Result<Vec<StoredBundle>, StorageError> {
        let sql = "SELECT DISTINCT bundle_key, bundle_size, bundle_sha256, commit_sha FROM domains \
             JOIN sites ON sites.project_id = domains.project_id AND sites.branch = domains.branch \
             AND sites.domain = domains.name \
             JOIN releases ON releases.id = sites.active_release_id AND bundle_key IS NOT NULL \
             WHERE domains.project_id = $1 ORDER BY bundle_key";
        let rows = sqlx::query(sql).bind(project_id).fetch_all(&self.pool).await?;
        rows.iter().map(bundle).collect()
    }

    /// How often the active releases of domains have changed. A caller that reads this first and
    /// [`Database::serving`] then misses no change.
    pub async fn serving_changes(&self) -> Result<i64, StorageError> {
        let query = sqlx::query("SELECT changes FROM serving_changes WHERE id = 1");
        Ok(query.fetch_one(&self.pool).await?.try_get("changes")?)
    }

    /// Changes made through this database since the process started. They are visible in the tables by then.
    /// Changes of other processes are found only by [`Database::serving_changes`].
    pub fn own_serving_changes(&self) -> watch::Receiver<u64> {
        self.serving_changed.subscribe()
    }

    /// Commits a transaction. `changes` says whether it changes what a domain serves; that is counted last, since
    /// all such transactions wait for each other at this row.
    pub(super) async fn commit_serving(
        &self,
        mut transaction: Transaction<'_, Any>,
        changes: bool,
    ) -> Result<(), StorageError> {
        if changes {
            let query =
                sqlx::query("UPDATE serving_changes SET changes = changes + 1 WHERE id = 1");
            query.execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        if changes {
            self.serving_changed.send_modify(|changes| *changes += 1);
        }
        Ok(())
    }
}

fn read(row: &AnyRow) -> Result<(String, Option<Serving>), StorageError> {
    let domain: String = row.try_get("name")?;
    let Some(release_id) = row.try_get("id")? else { return Ok((domain, None)) };
    Ok((domain.clone(), Some(Serving { domain, release_id, bundle: bundle(row)? })))
}

fn bundle(row: &AnyRow) -> Result<StoredBundle, StorageError> {
    Ok(StoredBundle {
        key: row.try_get("bundle_key")?,
        size: row.try_get("bundle_size")?,
        sha256: row.try_get("bundle_sha256")?,
        commit: row.try_get("commit_sha")?,
    })
}
