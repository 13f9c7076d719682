//! Checks that the parts of a node belong to its instance: a node with another root secret, object storage, or
//! folder of repositories would answer wrongly. An error names the part, its location, and the remedy.

use std::{path::Path, time::Duration};

use anyhow::{bail, ensure};
use docwright_storage::{
    Database, Keyring, Objects, StorageError,
    database::InstancePart,
    marker::{self, InstanceStorage, MarkerError},
};
use tokio::time::timeout;

use super::StoreSettings;

/// Time limit for the marker of an object storage. An outage doesn't prevent the start.
const PATIENCE: Duration = Duration::from_secs(10);

impl StoreSettings {
    /// Refuses a folder that lost its database: a new database would not know its contents.
    pub(super) fn refuse_without_database(&self) -> anyhow::Result<()> {
        if !self.is_new() {
            return Ok(());
        }
        let (git, objects) = (self.data.join("git"), self.data.join("objects"));
        let mut found = Vec::new();
        if !marker::repositories(&git)?.is_empty() {
            found.push(format!("repositories in {}", git.display()));
        }
        if has_bundles(&objects) {
            found.push(format!("bundles in {}", objects.display()));
        }
        ensure!(
            found.is_empty(),
            "no database in {}, but there are {}; restore {} from a backup, or set --database-url; to start a new instance, choose an empty folder with --data",
            self.data.display(),
            found.join(" and "),
            Database::FILE
        );
        Ok(())
    }

    /// The root secret's keys, if they belong to the instance.
    pub(crate) async fn keyring(&self, database: &Database) -> anyhow::Result<Keyring> {
        let recorded = database.fingerprint(InstancePart::RootSecret).await?;
        let is_missing = !self.secret.is_given() && !Keyring::is_in_folder(&self.data);
        ensure!(
            !(is_missing && recorded.is_some()),
            "the data folder {0} has a database, but no root secret at {0}/{1}; restore the file from a backup; if it is lost, run `docwright admin storage adopt root-secret` to create a new one, then set all credentials again",
            self.data.display(),
            docwright_storage::keyring::FILE
        );
        let keyring = self.given_keyring()?;
        let recorded = if let Some(recorded) = recorded {
            recorded
        } else {
            let own = keyring.fingerprint();
            database.record_fingerprint(InstancePart::RootSecret, own).await?
        };
        ensure!(
            keyring.has_fingerprint(&recorded),
            "the root secret of {} isn't that of this instance; set the same one on every node, and keep the one before on the next line until `docwright admin secret rotate` has run; if that is lost, run `docwright admin storage adopt root-secret`, then set all credentials again",
            self.secret.place(&self.data)
        );
        Ok(keyring)
    }

    /// The store of bundles, if it belongs to the instance. Wrong settings are an error; an outage is not.
    pub(crate) async fn open_objects(
        &self,
        keyring: Keyring,
        database: &Database,
    ) -> anyhow::Result<Objects> {
        let objects = self.any_objects(keyring).await?;
        let confirmed = marker::confirm(database, InstanceStorage::Objects(&objects));
        let place = || self.objects.place(&self.data);
        let remedy = "correct --objects, mount its disk, or restore it from a backup; to use it anyway, run `docwright admin storage adopt objects`";
        match timeout(PATIENCE, confirmed).await {
            Ok(Ok(())) => {}
            Ok(Err(MarkerError::Foreign(marker))) => bail!(
                "the object storage {} isn't that of this instance: it has no {marker}; {remedy}",
                place()
            ),
            Ok(Err(MarkerError::Unknown)) => bail!(
                "the object storage {} contains bundles, but {} has never used it; correct the database, or choose an empty object storage; if they belong together, run `docwright admin storage adopt objects`",
                place(),
                self.database_place()
            ),
            Ok(Err(MarkerError::Storage(StorageError::Objects(error)))) if error.is_transient() => {
                tracing::warn!(%error, "owner of the object storage not checked");
            }
            Err(_) => tracing::warn!("owner of the object storage not checked: no response"),
            Ok(Err(error)) => return Err(error.into()),
        }
        Ok(objects)
    }

    /// Refuses a folder of repositories that doesn't belong to the instance. Nodes share none if nobody uses the
    /// built-in git host.
    pub(crate) async fn check_repositories(&self, database: &Database) -> anyhow::Result<()> {
        let folder = self.data.join("git");
        let storage = InstanceStorage::Repositories(&folder);
        let place = folder.display();
        match marker::confirm_if_used(database, storage).await {
            Ok(()) => Ok(()),
            Err(MarkerError::Foreign(marker)) => bail!(
                "the folder {place} doesn't belong to this instance: it has no {marker}; correct --data, mount the shared disk, or restore the folder from a backup; to use it anyway, run `docwright admin storage adopt git`"
            ),
            Err(MarkerError::Unknown) => bail!(
                "the folder {place} contains repositories, but {} has never used it; correct the database, or choose another --data; if they belong together, run `docwright admin storage adopt git`",
                self.database_place()
            ),
            Err(error) => Err(error.into()),
        }
    }

    /// The database, without its address, which can contain a password.
    fn database_place(&self) -> String {
        match &self.database_url {
            Some(_) => "the database of --database-url".to_owned(),
            None => format!("the database in {}", self.data.display()),
        }
    }
}

/// Whether it has folders of releases or exports.
fn has_bundles(objects: &Path) -> bool {
    let entries = std::fs::read_dir(objects).into_iter().flatten().flatten();
    let mut names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.any(|name| name.starts_with("rel_") || name.starts_with("exp_"))
}
