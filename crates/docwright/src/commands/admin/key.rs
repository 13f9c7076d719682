//! `docwright admin key`: keys of the API.

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
        /// What it is for
        name: Name,
        /// Id or name of its organization; keys with the scope operator have none
        #[arg(long)]
        organization: Option<String>,
        /// Permissions: read, write, admin, or operator, each of which includes those before it
        #[arg(long, default_value = "write")]
        scope: Scope,
        /// Id or name of a project that it is limited to; can be there several times
        #[arg(long)]
        project: Vec<String>,
        /// Days until it ends
        #[arg(long, default_value_t = DEFAULT_DAYS, value_parser = days())]
        days: i64,
        /// Addresses and networks it can be used from, as 192.0.2.7,10.0.0.0/8; without it, from all
        #[arg(long, value_name = "NETWORKS", value_parser = allowlist)]
        allow: Option<Allowlist>,
    },
    /// List keys, without their secrets
    List {
        /// Only those of this organization; its id or name
        #[arg(long)]
        organization: Option<String>,
    },
    /// Show a key, without its secret
    Show {
        /// Public id of the key: what stands between the underscores of dw_…_…
        id: String,
    },
    /// Change what a key is called, how long it is good, or where from. For another scope, make another key
    #[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
    Update {
        /// Public id of the key
        id: String,
        /// Its new name
        #[arg(long, group = "change")]
        name: Option<Name>,
        /// Days from now until it ends
        #[arg(long, value_parser = days(), group = "change")]
        days: Option<i64>,
        /// Addresses and networks it can be used from; empty for all
        #[arg(long, value_name = "NETWORKS", value_parser = allowlist, group = "change")]
        allow: Option<Allowlist>,
    },
    /// Revoke a key, permanently and at once
    Revoke {
        /// Public id of the key
        id: String,
    },
}

/// Addresses and networks.
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
                "keep the key where your secrets are, since it is not shown again; requests carry it as `Authorization: Bearer KEY`",
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
                    "scope",
                    "allow",
                    "expiresAt",
                    "lastUsedAt",
                    "revokedAt",
                ],
                "There is no key; make one with `docwright admin key create NAME --organization ORGANIZATION`.",
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

/// From none, for a key that has ended, to a hundred years.
fn days() -> RangedI64ValueParser<i64> {
    clap::value_parser!(i64).range(0..=36_500)
}

fn allowlist(text: &str) -> Result<Allowlist, String> {
    Ok(Allowlist(parse_allowlist(text)?.into_iter().map(Network::from).collect()))
}

/// A key with its lists as text: those of a table would stand below it.
fn shown(key: &Key) -> serde_json::Result<Value> {
    let mut shown = to_value(key)?;
    shown["allow"] = key.allow.join(",").into();
    shown["projects"] = key.projects.join(",").into();
    Ok(shown)
}
