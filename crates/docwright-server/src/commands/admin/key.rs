//! `docwright admin key`: keys of the API.

use anyhow::{Context, ensure};
use clap::{Subcommand, builder::RangedI64ValueParser};
use docwright_domain::{
    key::{ApiKey, DEFAULT_DAYS, Scope, parse_allowlist},
    timestamp::{DAY, iso},
};
use docwright_storage::database::{KeyChange, NewKey, Organization};
use ipnet::IpNet;
use serde_json::{Value, json};

use super::{Install, Report, name};

/// What to do with keys.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Make a key, which is shown this one time
    Create {
        /// What it is for
        #[arg(value_parser = name::parse)]
        name: String,
        /// Id or name of its organisation
        #[arg(long)]
        organization: String,
        /// What it may do: read, write or admin, each of which includes those before it
        #[arg(long, default_value = "write")]
        scope: Scope,
        /// Days until it ends
        #[arg(long, default_value_t = DEFAULT_DAYS, value_parser = days())]
        days: i64,
        /// Addresses and networks it may be used from, as 192.0.2.7,10.0.0.0/8; without it, from all
        #[arg(long, value_name = "NETWORKS", value_parser = allowlist)]
        allow: Option<Allowlist>,
    },
    /// List keys, without their secrets
    List {
        /// Only those of this organisation; its id or name
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
        #[arg(long, value_parser = name::parse, group = "change")]
        name: Option<String>,
        /// Days from now until it ends
        #[arg(long, value_parser = days(), group = "change")]
        days: Option<i64>,
        /// Addresses and networks it may be used from; empty for all
        #[arg(long, value_name = "NETWORKS", value_parser = allowlist, group = "change")]
        allow: Option<Allowlist>,
    },
    /// Revoke a key, for good and at once
    Revoke {
        /// Public id of the key
        id: String,
    },
}

/// Addresses and networks.
#[derive(Debug, Clone)]
pub(super) struct Allowlist(Vec<IpNet>);

pub(super) async fn act(install: &Install, action: Action) -> anyhow::Result<Report> {
    let (database, now) = (&install.database, install.now);
    match action {
        Action::Create { name, organization, scope, days, allow } => {
            let organization_id = Some(install.organization(&organization).await?.id);
            let allowlist = allow.map(|Allowlist(allowlist)| allowlist).unwrap_or_default();
            let (days, projects) = (Some(days), Vec::new());
            let new = NewKey { organization_id, name, scope, projects, allowlist, days };
            let key = database.create_key(&new, now).await?;
            Ok(Report::of(json!({ "id": key.id(), "key": key.reveal() })).then(
                "keep the key where your secrets are, since it is not shown again; requests carry it as `Authorization: Bearer KEY`",
            ))
        }
        Action::List { organization } => {
            let mut rows = Vec::new();
            for organization in install.organizations(organization.as_deref()).await? {
                let keys = database.keys(&organization.id).await?;
                rows.extend(keys.iter().map(|key| show(key, Some(&organization))));
            }
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
        Action::Show { id } => shown(install, &id).await,
        Action::Update { id, name, days, allow } => {
            let change = KeyChange {
                name,
                allowlist: allow.map(|Allowlist(allowlist)| allowlist),
                expires_at: days.map(|days| now + days * DAY),
            };
            ensure!(database.update_key(&id, &change).await?, "{}", missing(&id));
            shown(install, &id).await
        }
        Action::Revoke { id } => {
            ensure!(database.revoke_key(&id, now).await?, "{}", missing(&id));
            Ok(Report::of(json!({ "id": id, "revoked": true })))
        }
    }
}

/// From none, for a key that has ended, to a hundred years.
fn days() -> RangedI64ValueParser<i64> {
    clap::value_parser!(i64).range(0..=36_500)
}

fn allowlist(text: &str) -> Result<Allowlist, String> {
    parse_allowlist(text).map(Allowlist)
}

fn missing(id: &str) -> String {
    format!("there is no key {id} that is not revoked; see `docwright admin key list`")
}

async fn shown(install: &Install, id: &str) -> anyhow::Result<Report> {
    let found = install.database.key(id).await?;
    let (key, organization) =
        found.with_context(|| format!("there is no key {id}; see `docwright admin key list`"))?;
    Ok(Report::of(show(&key, organization.as_ref())))
}

fn show(key: &ApiKey, organization: Option<&Organization>) -> Value {
    let time = |time: Option<i64>| time.map(iso);
    let allow: Vec<_> = key.allowlist.iter().map(ToString::to_string).collect();
    json!({
        "id": key.id,
        "name": key.name,
        "organization": organization.map(|owner| &owner.id),
        "organizationName": organization.map(|owner| &owner.name),
        "scope": key.scope.name(),
        "allow": allow.join(","),
        "createdAt": iso(key.created_at),
        "expiresAt": time(key.expires_at),
        "lastUsedAt": time(key.last_used_at),
        "revokedAt": time(key.revoked_at),
    })
}
