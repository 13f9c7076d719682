//! `docwright admin credential`: what git hosts are shown.

use std::io::Read;

use anyhow::{Context, ensure};
use clap::Subcommand;
use docwright_operations::{
    credentials::{ListCredentials, SetCredential},
    fields::field,
};
use serde_json::{json, to_value};

use super::{Client, Report, client::command_error, optional};

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
        /// Id or name of the organization whose projects they are for
        #[arg(long)]
        organization: Option<String>,
        /// The name that goes with them; hosts that take tokens ignore it
        #[arg(long, default_value = "x-access-token")]
        username: String,
    },
    /// List credentials, without their secrets
    List {
        /// Only those of this organization and its projects; its id or name
        #[arg(long)]
        organization: Option<String>,
    },
    /// Delete credentials
    Delete {
        /// Their id
        id: String,
    },
}

pub(super) async fn act(client: &Client, action: Action) -> anyhow::Result<Report> {
    match action {
        Action::Set { host, project, organization, username } => {
            let project = client.project_id(project.as_deref()).await?;
            let organization = client.organization_id(organization.as_deref()).await?;
            let input = SetCredential {
                host: field("host", host).map_err(command_error)?,
                project_id: optional("projectId", project.clone())?,
                organization_id: optional("organizationId", organization.clone())?,
                username: optional("username", Some(username))?,
                secret: field("secret", read_secret()?).map_err(command_error)?,
            };
            let set = client.set_credential(input).await?;
            Ok(Report::of(json!({
                "host": set.host,
                "project": project,
                "organization": organization,
            })))
        }
        Action::List { organization } => {
            let organization_id = client.organization_id(organization.as_deref()).await?;
            let filter = ListCredentials { organization_id, ..ListCredentials::default() };
            Ok(Report::rows(
                &client.list_credentials(&filter).await?,
                &["id", "host", "organizationName", "project", "username"],
                "There are no credentials; `docwright admin credential set HOST --project PROJECT` keeps some.",
            )?)
        }
        Action::Delete { id } => Ok(Report::of(to_value(client.delete_credential(&id).await?)?)),
    }
}

/// Secrets don't belong on the command line, where other users of the machine see them.
pub(super) fn read_secret() -> anyhow::Result<String> {
    let mut secret = String::new();
    std::io::stdin()
        .take(MAXIMUM_SECRET)
        .read_to_string(&mut secret)
        .context("cannot read the secret from standard input")?;
    let secret = secret.trim();
    ensure!(!secret.is_empty(), "there is no secret on standard input; pipe it in");
    Ok(secret.to_owned())
}
