//! `docwright admin storage`: which root secret and which storage belong to the instance.

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
    /// Accept a part that this machine uses as that of the instance
    ///
    /// A service refuses to start with another part than before. Run this after you replaced one that was lost.
    Adopt {
        /// The part
        part: Part,
    },
}

/// A part of an instance outside its database.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Part {
    /// The root secret; everything encrypted with another one has to be set again
    RootSecret,
    /// The object storage
    Objects,
    /// The repositories of the built-in git host
    Git,
}

/// Runs on the store alone: a service would refuse to start with it.
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
