//! `docwright admin credential`: credentials for git hosts.

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
    /// Store a token or password for a git host, read from standard input
    ///
    /// It replaces an existing credential.
    Set {
        /// Hostname of the git host, with its port if the repository's URL has one
        ///
        /// For example: git.example.com:8443.
        host: String,
        /// Project to use the credential for, by ID or name
        #[arg(long, required_unless_present = "organization", conflicts_with = "organization")]
        project: Option<String>,
        /// Organization whose projects use the credential, by ID or name
        #[arg(long)]
        organization: Option<String>,
        /// Username for the git host; hosts that use tokens ignore it
        #[arg(long, default_value = "x-access-token")]
        username: String,
    },
    /// List credentials, without their secrets
    List {
        /// Show only credentials of this organization and its projects, by ID or name
        #[arg(long)]
        organization: Option<String>,
    },
    /// Delete a credential
    Delete {
        /// ID of the credential
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
                "No credentials yet. Store one with `docwright admin credential set HOST --project PROJECT`.",
            )?)
        }
        Action::Delete { id } => Ok(Report::of(to_value(client.delete_credential(&id).await?)?)),
    }
}

/// Secrets don't belong on the command line, where other users of the machine could see them.
pub(super) fn read_secret() -> anyhow::Result<String> {
    let mut secret = String::new();
    std::io::stdin()
        .take(MAXIMUM_SECRET)
        .read_to_string(&mut secret)
        .context("cannot read the secret from standard input")?;
    let secret = secret.trim();
    ensure!(!secret.is_empty(), "standard input has no secret; pipe it in");
    Ok(secret.to_owned())
}
