//! The install that commands work on, and how they find what it has.

use docwright_domain::timestamp::Timestamp;
use docwright_flows::{clock::Clock, deletion::Deletion};
use docwright_storage::{
    Database,
    database::{Organization, Project},
};

use crate::{
    config::{GitHostSettings, StoreSettings},
    repositories::repositories,
};

/// An install, opened for one command.
#[derive(Debug)]
pub(super) struct Install {
    pub(super) database: Database,
    pub(super) store: StoreSettings,
    /// When the command began.
    pub(super) now: Timestamp,
}

impl Install {
    /// Opens the store. Who named a wrong folder should learn that there was nothing in it.
    pub(super) async fn open(store: StoreSettings) -> anyhow::Result<Self> {
        let is_new = store.is_new();
        let database = store.database().await?;
        if is_new {
            eprintln!("note: there was no install in {}; this is a new one", store.data.display());
        }
        Ok(Self { database, store, now: Clock::default().now() })
    }

    /// The organisation of an id or a name.
    pub(super) async fn organization(&self, given: &str) -> anyhow::Result<Organization> {
        if let Some(found) = self.database.organization(given).await? {
            return Ok(found);
        }
        let mut named = self.database.organizations().await?;
        named.retain(|organization| organization.name == given);
        let ids: Vec<_> = named.iter().map(|organization| organization.id.clone()).collect();
        one(named, "organisation", given, &ids)
    }

    /// The project of an id or a name.
    pub(super) async fn project(&self, given: &str) -> anyhow::Result<Project> {
        if let Some(found) = self.database.project(given).await? {
            return Ok(found);
        }
        let mut named = self.database.projects().await?;
        named.retain(|project| project.name == given);
        let ids: Vec<_> = named
            .iter()
            .map(|project| format!("{} of {}", project.id, project.organization_id))
            .collect();
        one(named, "project", given, &ids)
    }

    /// What deletes rows together with their bundles and repositories.
    pub(super) async fn deletion(&self) -> anyhow::Result<Deletion> {
        let keyring = self.store.keyring()?;
        // Deleting asks no git host.
        let places = (&self.store, &GitHostSettings::default());
        let repositories = repositories(places, (&self.database, &keyring), String::new())?;
        Ok(Deletion { repositories, objects: self.store.open_objects(keyring).await? })
    }
}

/// The only one of a name.
fn one<T>(mut named: Vec<T>, kind: &str, given: &str, ids: &[String]) -> anyhow::Result<T> {
    let list = match kind {
        "organisation" => "docwright admin organization list",
        _ => "docwright admin project list",
    };
    match (named.pop(), ids.len()) {
        (Some(found), 1) => Ok(found),
        (Some(_), count) => Err(anyhow::anyhow!(
            "{count} are named `{given}`: {}; say which by its id",
            ids.join(", ")
        )),
        (None, _) => Err(anyhow::anyhow!("there is no {kind} {given}; see `{list}`")),
    }
}
