//! `docwright admin key`: keys of the API.

use anyhow::ensure;
use clap::Subcommand;
use docwright_domain::{
    key::{Scope, parse_allowlist},
    timestamp::{Timestamp, iso},
};
use docwright_storage::{Database, database::NewKey};
use serde_json::{Value, json};

use super::organization;

/// What to do with keys.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Make a key, which is shown this one time
    Create {
        /// What it is for
        name: String,
        /// Id of its organisation
        #[arg(long)]
        organization: String,
        /// It may only read
        #[arg(long)]
        read_only: bool,
        /// Days until it ends
        #[arg(long)]
        days: Option<i64>,
        /// Addresses and networks it may be used from, divided by commas
        #[arg(long, default_value = "")]
        allow: String,
    },
    /// List the keys of an organisation
    List {
        /// Id of the organisation
        organization: String,
    },
    /// Revoke a key
    Revoke {
        /// Public id of the key
        id: String,
    },
}

pub(super) async fn act(
    database: &Database,
    action: Action,
    now: Timestamp,
) -> anyhow::Result<Value> {
    match action {
        Action::Create { name, organization, read_only, days, allow } => {
            let allowlist = parse_allowlist(&allow).map_err(anyhow::Error::msg)?;
            let scope = if read_only { Scope::Read } else { Scope::Write };
            organization::find(database, &organization).await?;
            let new = NewKey { organization_id: organization, name, scope, allowlist, days };
            let key = database.create_key(&new, now).await?;
            Ok(json!({ "id": key.id(), "key": key.reveal() }))
        }
        Action::List { organization } => {
            organization::find(database, &organization).await?;
            let keys = database.keys(&organization).await?;
            let time = |time: Option<i64>| time.map(iso);
            Ok(keys
                .iter()
                .map(|key| json!({ "id": key.id, "name": key.name, "scope": key.scope.name(), "expiresAt": time(key.expires_at), "lastUsedAt": time(key.last_used_at), "revokedAt": time(key.revoked_at) }))
                .collect())
        }
        Action::Revoke { id } => {
            ensure!(
                database.revoke_key(&id, now).await?,
                "there is no key {id} that is still good; see `docwright admin key list`"
            );
            Ok(json!({ "id": id, "revoked": true }))
        }
    }
}
