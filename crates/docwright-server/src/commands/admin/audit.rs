//! `docwright admin audit`: who changed what.

use clap::Subcommand;
use serde_json::{Value, json};

use super::{Client, Report, client::text};

/// Entries that are listed unless the command says how many.
const LISTED: usize = 50;

/// What to do with the audit log.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// List who changed what, newest first
    List {
        /// Only changes of this organisation; its id or name
        #[arg(long)]
        organization: Option<String>,
        /// Only this action, as key.create, or all on one kind of thing, as key
        #[arg(long)]
        action: Option<String>,
        /// Only what this key or account did, by its id, or this user of the shell
        #[arg(long)]
        actor: Option<String>,
        /// Only what was done to this, by its id
        #[arg(long)]
        subject: Option<String>,
        /// Only from this time on, as 2026-11-22T09:00:00Z
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
        /// Only before this time
        #[arg(long, value_name = "TIME")]
        until: Option<String>,
        /// How many to list
        #[arg(long, default_value_t = LISTED, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=100_000))]
        limit: usize,
    },
}

pub(super) async fn act(client: &Client, action: Action) -> anyhow::Result<Report> {
    let Action::List { organization, action, actor, subject, since, until, limit } = action;
    let organization = client.organization_id(organization.as_deref()).await?;
    let query = [
        ("organizationId", organization.as_deref()),
        ("action", action.as_deref()),
        ("actor", actor.as_deref()),
        ("subject", subject.as_deref()),
        ("since", since.as_deref()),
        ("until", until.as_deref()),
    ];
    let entries = client.first("/v1/audit", &query, "entries", limit).await?;
    let columns = &["createdAt", "action", "subject", "actor", "address", "organization"];
    Ok(Report::list(entries.into_iter().map(shown), columns, "Nobody has changed anything yet."))
}

/// An entry with its actor and its subject in a word each.
fn shown(mut entry: Value) -> Value {
    let [kind, id] = ["kind", "id"].map(|part| text(&entry["actor"], part).to_owned());
    let name = text(&entry["actor"], "name");
    let actor =
        if name.is_empty() { format!("{kind} {id}") } else { format!("{kind} {id} ({name})") };
    let subject = text(&entry["subject"], "id").to_owned();
    entry["actor"] = json!(actor);
    entry["subject"] = json!(subject);
    entry
}
