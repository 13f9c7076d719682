//! `docwright admin secret`: the root secret.

use clap::Subcommand;
use docwright_storage::{Keyring, database::InstancePart};
use serde_json::json;

use super::{Instance, Report};

/// What to do with the root secret.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Encrypt all secrets with a new root secret
    ///
    /// The new secret is the first of the secrets in the settings. Without that setting, docwright
    /// generates one.
    Rotate,
}

pub(super) async fn act(instance: &Instance, Action::Rotate: Action) -> anyhow::Result<Report> {
    let (database, store) = (&instance.database, &instance.store);
    let keyring = store.keyring(database).await?;
    if store.secret.is_given() {
        let count = database.reencrypt(&keyring).await?;
        database.replace_fingerprint(InstancePart::RootSecret, keyring.fingerprint()).await?;
        return Ok(Report::of(json!({ "key": keyring.key_id(), "encrypted": count })));
    }
    let keyring = Keyring::rotate_folder(&store.data)?;
    let count = database.reencrypt(&keyring).await?;
    database.replace_fingerprint(InstancePart::RootSecret, keyring.fingerprint()).await?;
    // From now on nothing needs the older ones, except links that have not expired yet.
    Keyring::forget_older(&store.data)?;
    Ok(Report::of(json!({ "key": keyring.key_id(), "encrypted": count }))
        .then("restart the service to use the new secret"))
}
