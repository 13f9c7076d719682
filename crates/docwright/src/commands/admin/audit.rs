//! `docwright admin audit`: the audit log.

use clap::Subcommand;
use docwright_operations::audit_log::{AuditEntry, ListAuditEntries, Time};
use serde_json::{Value, to_value};

use super::{Client, Report};

/// Default number of listed entries.
const LISTED: usize = 50;

/// What to do with the audit log.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// List changes, newest first
    List {
        /// Show only changes of this organization, by ID or name
        #[arg(long)]
        organization: Option<String>,
        /// Show only this action, such as key.create, or this type of target, such as key
        #[arg(long)]
        action: Option<String>,
        /// Show only changes by this actor: the ID of a key or account, or a CLI user
        #[arg(long)]
        actor: Option<String>,
        /// Show only changes to the target with this ID
        #[arg(long)]
        subject: Option<String>,
        /// Show only entries from this time on, such as 2026-11-22T09:00:00Z
        #[arg(long, value_name = "TIME", value_parser = time)]
        since: Option<Time>,
        /// Show only entries before this time
        #[arg(long, value_name = "TIME", value_parser = time)]
        until: Option<Time>,
        /// Number of entries to list
        #[arg(long, default_value_t = LISTED, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=100_000))]
        limit: usize,
    },
}

pub(super) async fn act(client: &Client, action: Action) -> anyhow::Result<Report> {
    let Action::List { organization, action, actor, subject, since, until, limit } = action;
    let organization_id = client.organization_id(organization.as_deref()).await?;
    let filter = ListAuditEntries { organization_id, action, actor, subject, since, until };
    let entries = client.list_audit_entries(&filter, limit).await?;
    let rows: Vec<_> = entries.iter().map(shown).collect::<Result<_, _>>()?;
    let columns = &["createdAt", "action", "subject", "actor", "address", "organization"];
    Ok(Report::list(rows, columns, "No changes yet."))
}

fn time(text: &str) -> Result<Time, &'static str> {
    Time::try_from(text.to_owned())
}

/// Returns an entry with its actor and its target in a word each.
fn shown(entry: &AuditEntry) -> serde_json::Result<Value> {
    let (kind, id, name) = (&entry.actor.kind, &entry.actor.id, &entry.actor.name);
    let actor =
        if name.is_empty() { format!("{kind} {id}") } else { format!("{kind} {id} ({name})") };
    let mut shown = to_value(entry)?;
    shown["actor"] = actor.into();
    shown["subject"] = entry.subject.id.as_str().into();
    Ok(shown)
}
