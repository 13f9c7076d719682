//! `docwright admin credential`: what git hosts are shown.

use std::io::Read;

use anyhow::{Context, ensure};
use clap::Subcommand;
use docwright_storage::database::CredentialOwner;
use serde_json::json;

use super::{Install, Report};

/// Longest secret, in bytes.
const MAXIMUM_SECRET: u64 = 64 * 1024;

/// What to do with credentials.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Keep a token or password for a git host, read from standard input; replaces an earlier one
    Set {
        /// The git host, with its port if the repository's address names one, as git.example.com:8443
        host: String,
        /// Id or name of the project that they are for
        #[arg(long, required_unless_present = "organization", conflicts_with = "organization")]
        project: Option<String>,
        /// Id or name of the organisation whose projects they are for
        #[arg(long)]
        organization: Option<String>,
        /// The name that goes with them; hosts that take tokens ignore it
        #[arg(long, default_value = "x-access-token")]
        username: String,
    },
    /// List credentials, without their secrets
    List {
        /// Only those of this organisation and its projects; its id or name
        #[arg(long)]
        organization: Option<String>,
    },
    /// Delete credentials
    Delete {
        /// Their id
        id: String,
    },
}

pub(super) async fn act(install: &Install, action: Action) -> anyhow::Result<Report> {
    let database = &install.database;
    match action {
        Action::Set { host, project, organization, username } => {
            let (project, organization) = match (&project, &organization) {
                (Some(project), _) => (Some(install.project(project).await?.id), None),
                (None, given) => {
                    let given = given.as_deref().unwrap_or_default();
                    (None, Some(install.organization(given).await?.id))
                }
            };
            let owner = match (&project, &organization) {
                (Some(id), _) => CredentialOwner::Project(id),
                (None, id) => CredentialOwner::Organization(id.as_deref().unwrap_or_default()),
            };
            let host = host.to_ascii_lowercase();
            let plain = !host.is_empty() && !host.contains(['/', '@', ' ']);
            ensure!(plain, "`{host}` is not a host; leave the scheme and the path out");
            let keyring = install.store.keyring()?;
            let secret = read_secret()?;
            database
                .set_credential(owner, (&host, &username, &secret), &keyring, install.now)
                .await?;
            let kept = json!({ "host": host, "project": project, "organization": organization });
            Ok(Report::of(kept))
        }
        Action::List { organization } => {
            let mut rows = Vec::new();
            for organization in install.organizations(organization.as_deref()).await? {
                for each in database.credentials(&organization.id).await? {
                    rows.push(json!({
                        "id": each.id,
                        "host": each.host,
                        "organization": organization.id,
                        "organizationName": organization.name,
                        "project": each.project_id,
                        "username": each.username,
                    }));
                }
            }
            Ok(Report::list(
                rows,
                &["id", "host", "organizationName", "project", "username"],
                "There are no credentials; `docwright admin credential set HOST --project PROJECT` keeps some.",
            ))
        }
        Action::Delete { id } => {
            ensure!(
                database.remove_credential(&id).await?,
                "there are no credentials {id}; see `docwright admin credential list`"
            );
            Ok(Report::of(json!({ "id": id, "deleted": true })))
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
