//! Deletes domains, projects, organizations, and accounts: first their rows, in one transaction each, then
//! everything that only these rows named: bundles, repositories of docwright's own git host, clones. Finally the
//! text of the rows is erased from the files of the database.
//!
//! Objects that can't be removed now, such as during an outage of the store, are removed by [`crate::upkeep`]
//! later.

use docwright_storage::{
    Database, ObjectError, Objects, StorageError,
    database::{Deleted, DeletedAccount, Project},
    event_key::{events_of_domain, events_of_project},
};
use docwright_types::domain_address::DomainAddress;
use serde::Serialize;
use tracing::Instrument;

use crate::repositories::{Repositories, location};
use docwright_repository::location::Location;

/// How often a folder is removed while a program still writes to it.
const ATTEMPTS: usize = 5;

/// Deletes records with everything that belongs to them.
#[derive(Debug)]
pub struct Deletion {
    /// Access to the repositories of projects.
    pub repositories: Repositories,
    /// Storage of bundles.
    pub objects: Objects,
}

/// Numbers of deleted records.
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
    /// Objects that could not be removed now, and are removed later.
    pub left: u64,
}

impl Report {
    /// Adds the numbers of another deletion.
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
        let project = self.database().project_of_domain(name).await?;
        let former = self.database().former_domains(&[name.as_str()]).await?;
        let Some(rows) = self.database().delete_domain(name).await? else { return Ok(None) };
        let mut report = Report { rows, ..Report::default() };
        self.remove_bundles(&mut report).await?;
        if let Some(project) = project {
            let former = former.iter().map(|former| former.name.as_str());
            for name in former.chain([name.as_str()]) {
                self.remove_events(&events_of_domain(&project.id, name), &mut report).await;
            }
        }
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
        // Fails if someone created another project in the meantime.
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
        self.remove_events(&events_of_project(id), report).await;
        self.remove_repository(&project, report).await;
        self.remove_results(id, report).await;
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

    /// Removes the objects with readers' events below a prefix. Those that a node stores at the moment are removed
    /// later.
    async fn remove_events(&self, prefix: &str, report: &mut Report) {
        let removed = async {
            for key in self.objects.list(prefix).await? {
                self.objects.remove(&key).await?;
            }
            Ok::<_, ObjectError>(())
        };
        if let Err(error) = removed.await {
            tracing::warn!(prefix, %error, "events of readers not removed");
            report.left += 1;
        }
    }

    /// Removes the results of earlier builds of a project on this node. Other nodes remove theirs when they clean up.
    async fn remove_results(&self, id: &str, report: &mut Report) {
        let (caches, project) = (self.repositories.result_caches.clone(), id.to_owned());
        let removed = tokio::task::spawn_blocking(move || caches.forget(&project)).await;
        if let Ok(Err(error)) = removed {
            tracing::warn!(project = id, %error, "results of builds not removed");
            report.left += 1;
        }
    }

    /// Removes a repository of docwright's own git host, or the clone of another one.
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
        // A project's earlier address is not known; such clones are removed by age.
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
/// the database. `None` if there is no such account. Dropping the request does not stop it.
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

/// Erases deleted text from the files of a database, as far as current readers allow it.
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

/// Removes a folder to which a program, such as a current push, can still write.
async fn remove_folder(folder: &std::path::Path) -> std::io::Result<()> {
    for _ in 1..ATTEMPTS {
        if tokio::fs::remove_dir_all(folder).await.is_ok() {
            return Ok(());
        }
    }
    tokio::fs::remove_dir_all(folder).await
}
