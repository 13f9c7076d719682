//! Deleting domains, projects, organizations, and accounts: first the rows, in one transaction each, then what
//! only these rows named: bundles, repositories of docwright's own git host, clones. Last of all the text of the
//! rows is erased from the files of the database.
//!
//! Whatever can't be removed just now, as when a store is away, is found by [`crate::upkeep`] later.

use docwright_storage::{
    Database, Objects, StorageError,
    database::{Deleted, DeletedAccount, Project},
};
use docwright_types::domain_address::DomainAddress;
use serde::Serialize;
use tracing::Instrument;

use crate::repositories::{Repositories, location};
use docwright_repository::location::Location;

/// How often a folder is removed that someone still writes to.
const ATTEMPTS: usize = 5;

/// Deletes.
#[derive(Debug)]
pub struct Deletion {
    /// The way to the repositories of projects.
    pub repositories: Repositories,
    /// Where bundles are.
    pub objects: Objects,
}

/// What was deleted, in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Rows.
    #[serde(flatten)]
    pub rows: Deleted,
    /// Bundles.
    pub bundles: u64,
    /// Repositories of docwright's own git host.
    pub repositories: u64,
    /// What could not be removed just now, and is removed later on its own.
    pub left: u64,
}

impl Report {
    /// Adds what else was deleted.
    pub fn add(&mut self, other: Self) {
        self.rows.add(other.rows);
        self.bundles += other.bundles;
        self.repositories += other.repositories;
        self.left += other.left;
    }
}

impl Deletion {
    /// Deletes a domain. `None` if there is no such domain.
    pub async fn domain(&self, name: &DomainAddress) -> Result<Option<Report>, StorageError> {
        let Some(rows) = self.database().delete_domain(name).await? else { return Ok(None) };
        let mut report = Report { rows, ..Report::default() };
        self.remove_bundles(&mut report).await?;
        erase(self.database()).await;
        Ok(Some(report))
    }

    /// Deletes a project. `None` if there is no such project.
    pub async fn project(&self, id: &str) -> Result<Option<Report>, StorageError> {
        let mut report = Report::default();
        let found = self.remove_project(id, &mut report).await?;
        erase(self.database()).await;
        Ok(found.then_some(report))
    }

    /// Deletes an organization with its projects. `None` if there is no such organization.
    pub async fn organization(&self, id: &str) -> Result<Option<Report>, StorageError> {
        let mut report = Report::default();
        let mut all = self.database().projects().await?;
        all.retain(|project| project.organization_id == id);
        for project in all {
            self.remove_project(&project.id, &mut report).await?;
        }
        // Fails if someone has made another project meanwhile.
        let Some(rows) = self.database().delete_organization(id).await? else { return Ok(None) };
        report.rows.add(rows);
        erase(self.database()).await;
        Ok(Some(report))
    }

    const fn database(&self) -> &Database {
        &self.repositories.database
    }

    async fn remove_project(&self, id: &str, report: &mut Report) -> Result<bool, StorageError> {
        let Some(project) = self.database().project(id).await? else { return Ok(false) };
        let Some(rows) = self.database().delete_project(id).await? else { return Ok(false) };
        report.rows.add(rows);
        self.remove_bundles(report).await?;
        self.remove_repository(&project, report).await;
        Ok(true)
    }

    /// Removes the bundles that no other row names.
    async fn remove_bundles(&self, report: &mut Report) -> Result<(), StorageError> {
        let keys = std::mem::take(&mut report.rows.bundle_keys);
        for key in self.database().unneeded(keys).await? {
            match self.objects.remove(&key).await {
                Ok(()) => report.bundles += 1,
                Err(error) => {
                    tracing::warn!(key, %error, "bundle not removed");
                    report.left += 1;
                }
            }
        }
        Ok(())
    }

    /// Removes a repository of docwright's own git host, and what was kept of one elsewhere.
    async fn remove_repository(&self, project: &Project, report: &mut Report) {
        let folder = self.repositories.built_in(&project.id).repository();
        if folder.exists() {
            match remove_folder(&folder).await {
                Ok(()) => report.repositories += 1,
                Err(error) => {
                    tracing::warn!(folder = %folder.display(), %error, "repository not removed");
                    report.left += 1;
                }
            }
        }
        // What a project's address was before is not known; such clones go once they are old.
        if let Ok(Location::Folder(_)) | Err(_) = location(project) {
            return;
        }
        let Ok(repository) = self.repositories.of(project).await else { return };
        let checkouts = self.repositories.checkouts.clone();
        let forgotten =
            tokio::task::spawn_blocking(move || checkouts.forget(&repository.origin())).await;
        if let Ok(Err(error)) = forgotten {
            tracing::warn!(%error, "clone not removed");
            report.left += 1;
        }
    }
}

/// Deletes an account, and removes the name and the address of the person from the audit log and from the files of
/// the database. `None` if there is no such account. A request that is dropped stops none of it.
pub async fn delete_account(
    database: Database,
    id: String,
) -> Result<Option<DeletedAccount>, StorageError> {
    let work = async move {
        let Some(deleted) = database.delete_account(&id).await? else { return Ok(None) };
        if let Err(error) = database.anonymize_deleted_accounts().await {
            tracing::warn!(account = id, %error, "audit log not anonymized; next cleanup retries");
        }
        erase(&database).await;
        Ok(Some(deleted))
    };
    let done = tokio::spawn(work.in_current_span()).await;
    done.unwrap_or_else(|error| Err(std::io::Error::other(error).into()))
}

/// Erases deleted text from the files of a database, as far as readers allow it.
pub(crate) async fn erase(database: &Database) {
    match database.erase_deleted().await {
        Ok(true) => {}
        Ok(false) => tracing::warn!(
            "deleted text left in the write-ahead log because a reader uses it; the next cleanup removes it"
        ),
        Err(error) => {
            tracing::warn!(%error, "deleted text not erased; next cleanup retries");
        }
    }
}

/// Removes a folder that someone, such as a push that is under way, can still write to.
async fn remove_folder(folder: &std::path::Path) -> std::io::Result<()> {
    for _ in 1..ATTEMPTS {
        if tokio::fs::remove_dir_all(folder).await.is_ok() {
            return Ok(());
        }
    }
    tokio::fs::remove_dir_all(folder).await
}
