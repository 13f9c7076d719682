//! `docwright admin key`: API keys.

use clap::{Subcommand, builder::RangedI64ValueParser};
use docwright_operations::{
    fields::{Name, field},
    keys::{CreateKey, Key, ListKeys, Network, OnlyProjects, UpdateKey},
};
use docwright_types::key::{DEFAULT_DAYS, Scope, parse_allowlist};
use serde_json::{Value, json, to_value};

use super::{Client, Report, client::command_error, optional};

/// What to do with keys.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Create an API key and print it once
    Create {
        /// Name of the key
        name: Name,
        /// Organization of the key, by ID or name; none for the scope operator
        #[arg(long)]
        organization: Option<String>,
        /// Scope: read, write, admin, or operator; each includes the ones before it
        #[arg(long, default_value = "write")]
        scope: Scope,
        /// Project to limit the key to, by ID or name; repeatable
        #[arg(long)]
        project: Vec<String>,
        /// Days until the key expires
        #[arg(long, default_value_t = DEFAULT_DAYS, value_parser = days())]
        days: i64,
        /// IP addresses and networks that can use the key; all if omitted
        ///
        /// For example: 192.0.2.7,10.0.0.0/8.
        #[arg(long, value_name = "NETWORKS", value_parser = allowlist)]
        allow: Option<Allowlist>,
    },
    /// List keys, without their secrets
    List {
        /// Show only keys of this organization, by ID or name
        #[arg(long)]
        organization: Option<String>,
    },
    /// Show a key, without its secret
    Show {
        /// Public ID of the key: the part between the underscores of dw_…_…
        id: String,
    },
    /// Update the name, expiry, or allowlist of a key
    ///
    /// For a different scope, create another key.
    #[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
    Update {
        /// Public ID of the key
        id: String,
        /// New name of the key
        #[arg(long, group = "change")]
        name: Option<Name>,
        /// Days from now until the key expires
        #[arg(long, value_parser = days(), group = "change")]
        days: Option<i64>,
        /// IP addresses and networks that can use the key; empty for all
        #[arg(long, value_name = "NETWORKS", value_parser = allowlist, group = "change")]
        allow: Option<Allowlist>,
    },
    /// Revoke a key permanently and immediately
    Revoke {
        /// Public ID of the key
        id: String,
    },
}

/// IP addresses and networks.
#[derive(Debug, Clone)]
pub(super) struct Allowlist(Vec<Network>);

pub(super) async fn act(client: &Client, action: Action) -> anyhow::Result<Report> {
    match action {
        Action::Create { name, organization, scope, project, days, allow } => {
            let mut projects = Vec::new();
            for id_or_name in &project {
                let id = client.project(id_or_name).await?.id;
                projects.push(field("projects", id).map_err(command_error)?);
            }
            let projects = Some(projects).filter(|projects| !projects.is_empty());
            let organization = client.organization_id(organization.as_deref()).await?;
            let input = CreateKey {
                name,
                scope,
                organization_id: optional("organizationId", organization)?,
                projects: projects.map(OnlyProjects::parse).transpose().map_err(command_error)?,
                days: Some(days),
                allow: allow.map(|Allowlist(allow)| allow),
            };
            let created = client.create_key(input).await?;
            Ok(Report::of(to_value(created)?).then(
                "store the key safely, since it isn't shown again; send it as `Authorization: Bearer KEY`",
            ))
        }
        Action::List { organization } => {
            let organization_id = client.organization_id(organization.as_deref()).await?;
            let filter = ListKeys { organization_id, ..ListKeys::default() };
            let keys = client.list_keys(&filter).await?;
            let rows: Vec<_> = keys.iter().map(shown).collect::<Result<_, _>>()?;
            Ok(Report::list(
                rows,
                &[
                    "id",
                    "name",
                    "organizationName",
                    "ownerEmail",
                    "scope",
                    "allow",
                    "expiresAt",
                    "lastUsedAt",
                    "revokedAt",
                ],
                "No API keys yet. Create one with `docwright admin key create NAME --organization ORGANIZATION`.",
            ))
        }
        Action::Show { id } => Ok(Report::of(shown(&client.get_key(&id).await?)?)),
        Action::Update { id, name, days, allow } => {
            let input = UpdateKey {
                name,
                days,
                allow: allow.map(|Allowlist(allow)| allow),
                revision: None,
            };
            Ok(Report::of(shown(&client.update_key(&id, input).await?)?))
        }
        Action::Revoke { id } => {
            client.revoke_key(&id).await?;
            Ok(Report::of(json!({ "id": id, "revoked": true })))
        }
    }
}

/// From 0, for an expired key, to a hundred years.
fn days() -> RangedI64ValueParser<i64> {
    clap::value_parser!(i64).range(0..=36_500)
}

fn allowlist(text: &str) -> Result<Allowlist, String> {
    Ok(Allowlist(parse_allowlist(text)?.into_iter().map(Network::from).collect()))
}

/// A key with its lists as text: a table would print lists below the row.
fn shown(key: &Key) -> serde_json::Result<Value> {
    let mut shown = to_value(key)?;
    shown["allow"] = key.allow.join(",").into();
    shown["projects"] = key.projects.join(",").into();
    Ok(shown)
}
