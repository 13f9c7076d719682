//! `docwright admin secret`: the root secret.

use clap::Subcommand;
use docwright_storage::{Database, Keyring};
use serde_json::{Value, json};

use crate::config::Settings;

/// What to do with the root secret.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Encrypt everything with a new root secret: one that is made now, or the first of those given
    Rotate,
}

pub(super) async fn act(
    database: &Database,
    settings: &Settings,
    Action::Rotate: Action,
) -> anyhow::Result<Value> {
    if settings.secret.is_given() {
        let keyring = settings.keyring()?;
        let count = database.reencrypt_credentials(&keyring).await?;
        return Ok(json!({ "key": keyring.key_id(), "encrypted": count }));
    }
    settings.keyring()?;
    let keyring = Keyring::rotate_folder(&settings.data)?;
    let count = database.reencrypt_credentials(&keyring).await?;
    // Only now nothing needs the older ones any more, but links that have not expired yet.
    Keyring::forget_older(&settings.data)?;
    Ok(json!({ "key": keyring.key_id(), "encrypted": count }))
}
