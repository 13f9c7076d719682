//! `docwright admin credential`: what git hosts are shown.

use std::io::Read;

use anyhow::{Context, ensure};
use clap::Subcommand;
use docwright_domain::timestamp::Timestamp;
use docwright_storage::{Database, Keyring, database::CredentialOwner};
use serde_json::{Value, json};

use super::{organization, project};

/// Longest secret, in bytes.
const MAXIMUM_SECRET: u64 = 64 * 1024;

/// What to do with credentials.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Keep a token or password for a git host, read from standard input; replaces an earlier one
    Set {
        /// The git host, with its port if the repository's address names one
        host: String,
        /// Id of the project that they are for
        #[arg(long, required_unless_present = "organization", conflicts_with = "organization")]
        project: Option<String>,
        /// Id of the organisation whose projects they are for
        #[arg(long)]
        organization: Option<String>,
        /// The name that goes with them; hosts that take tokens ignore it
        #[arg(long, default_value = "x-access-token")]
        username: String,
    },
    /// List the credentials of an organisation, without their secrets
    List {
        /// Id of the organisation
        #[arg(long)]
        organization: String,
    },
    /// Remove credentials
    Remove {
        /// Their id
        id: String,
    },
}

pub(super) async fn act(
    database: &Database,
    keyring: &Keyring,
    action: Action,
    now: Timestamp,
) -> anyhow::Result<Value> {
    match action {
        Action::Set { host, project, organization, username } => {
            let owner = match (&project, &organization) {
                (Some(id), _) => {
                    project::find(database, id).await?;
                    CredentialOwner::Project(id)
                }
                (None, organization) => {
                    let id = organization.as_deref().unwrap_or_default();
                    organization::find(database, id).await?;
                    CredentialOwner::Organization(id)
                }
            };
            let host = host.to_ascii_lowercase();
            let plain = !host.is_empty() && !host.contains(['/', '@', ' ']);
            ensure!(plain, "`{host}` is not a host; leave the scheme and the path out");
            let secret = read_secret()?;
            database.set_credential(owner, (&host, &username, &secret), keyring, now).await?;
            Ok(json!({ "host": host, "project": project, "organization": organization }))
        }
        Action::List { organization } => {
            organization::find(database, &organization).await?;
            let all = database.credentials(&organization).await?;
            Ok(all
                .iter()
                .map(|each| json!({ "id": each.id, "host": each.host, "project": each.project_id, "username": each.username }))
                .collect())
        }
        Action::Remove { id } => {
            ensure!(
                database.remove_credential(&id).await?,
                "there are no credentials {id}; see `docwright admin credential list`"
            );
            Ok(json!({ "id": id, "removed": true }))
        }
    }
}

/// Secrets don't belong on the command line, where other users of the machine see them.
fn read_secret() -> anyhow::Result<String> {
    let mut secret = String::new();
    std::io::stdin()
        .take(MAXIMUM_SECRET)
        .read_to_string(&mut secret)
        .context("cannot read the secret from standard input")?;
    let secret = secret.trim();
    ensure!(!secret.is_empty(), "there is no secret on standard input; pipe it in");
    Ok(secret.to_owned())
}
