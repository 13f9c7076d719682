//! `docwright admin storage`: the root secret and the storage of the instance.

use clap::{Subcommand, ValueEnum};
use docwright_storage::{
    database::InstancePart,
    marker::{self, InstanceStorage},
};
use serde_json::json;

use super::{Instance, Report};

/// What to do with the parts of the instance outside its database.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Accept a replaced storage component as part of the instance
    ///
    /// The service refuses to start if a component differs from the one that it used before. Run
    /// this command after you replace a lost component.
    Adopt {
        /// Component to accept
        part: Part,
    },
}

/// A storage component of an instance, outside its database.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Part {
    /// Root secret; set everything again that was encrypted with another one
    RootSecret,
    /// Object storage
    Objects,
    /// Repositories of the built-in git host
    Git,
}

/// Uses only the store: a service would refuse to start with it.
pub(super) async fn act(
    instance: &Instance,
    Action::Adopt { part }: Action,
) -> anyhow::Result<Report> {
    let (database, store) = (&instance.database, &instance.store);
    let (name, place) = match part {
        Part::RootSecret => {
            let keyring = store.given_keyring()?;
            let fingerprint = keyring.fingerprint();
            database.replace_fingerprint(InstancePart::RootSecret, fingerprint).await?;
            ("root-secret", store.secret.place(&store.data))
        }
        Part::Objects => {
            let objects = store.any_objects(store.given_keyring()?).await?;
            marker::adopt(database, InstanceStorage::Objects(&objects)).await?;
            ("objects", store.objects.place(&store.data))
        }
        Part::Git => {
            let folder = store.data.join("git");
            marker::adopt(database, InstanceStorage::Repositories(&folder)).await?;
            ("git", folder.display().to_string())
        }
    };
    Ok(Report::of(json!({ "adopted": name, "place": place })))
}
