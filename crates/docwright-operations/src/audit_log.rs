//! The audit log: who changed what, when, and from where.

use docwright_storage::database::{self, AuditFilter, Position};
use docwright_types::timestamp::{Timestamp, iso, parse_iso};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::{Allowed, OperationError, Operations, can, lists::Page};

/// Which entries to list.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ListAuditEntries {
    /// ID of an organization. Keys of the instance see every organization without it; other keys see their own.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub organization_id: Option<String>,
    /// Only this action, or all actions on one kind of target, by the first part of an action, such as `key`.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "key.create")]
    pub action: Option<String>,
    /// Only changes by this actor: the public ID of a key, the ID of an account, or the user of the CLI.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "0123456789abcdef")]
    pub actor: Option<String>,
    /// Only changes of this target: its ID.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub subject: Option<String>,
    /// Only from this time on.
    #[param(value_type = String, required = false, format = DateTime, example = "2026-11-01T00:00:00Z")]
    pub since: Option<Time>,
    /// Only before this time.
    #[param(value_type = String, required = false, format = DateTime, example = "2026-12-01T00:00:00Z")]
    pub until: Option<Time>,
}

/// A point in time of a query.
#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Time(pub Timestamp);

impl TryFrom<String> for Time {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let wrong = "must be a time with its zone, such as 2026-11-22T09:00:00Z";
        parse_iso(&text).map(Self).ok_or(wrong)
    }
}

impl From<Time> for String {
    fn from(Time(time): Time) -> Self {
        iso(time)
    }
}

/// A page of the audit log, newest first.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditLog {
    /// The entries. With several filters, a page before the last one can have fewer entries than its limit, or
    /// none.
    pub entries: Vec<AuditEntry>,
    /// What to ask for the next page with; null on the last one.
    pub next_cursor: Option<String>,
}

/// A record of a change.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    /// ID of the entry.
    #[schema(example = "aud_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub id: String,
    /// When the change was made.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// The organization that was changed; null for the instance.
    #[schema(example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub organization_id: Option<String>,
    /// Who made the change.
    pub actor: AuditActor,
    /// The action.
    #[schema(example = "project.update")]
    pub action: String,
    /// The target of the action.
    pub subject: AuditSubject,
    /// Address of the client; null if the change was made on the server, or the address isn't known.
    #[schema(example = "192.0.2.7")]
    pub address: Option<String>,
    /// ID of the request, which the server's log has too.
    #[schema(example = "7b0b6a1c2f534b8e")]
    pub request_id: String,
    /// The state before the change, without secrets; null if there was none.
    #[schema(value_type = Option<Object>, example = json!({ "name": "Docs" }))]
    pub before: Option<Value>,
    /// The state after the change, without secrets; null if there is none.
    #[schema(value_type = Option<Object>, example = json!({ "name": "Manual" }))]
    pub after: Option<Value>,
}

/// Who made a change.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct AuditActor {
    /// `account` for someone who was signed in, `key` for an API key, `shell` for a user of the CLI on the server,
    /// `service` for docwright itself.
    #[schema(example = "key")]
    pub kind: String,
    /// The ID of the account, the public ID of the key, or the user of the CLI.
    #[schema(example = "0123456789abcdef")]
    pub id: String,
    /// The name of the key at that time, or the email address of the account; `deleted account` once that is deleted.
    #[schema(example = "ci")]
    pub name: String,
}

/// The target of a change.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct AuditSubject {
    /// Its kind.
    #[schema(example = "project")]
    pub kind: String,
    /// Its ID.
    #[schema(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub id: String,
}

/// Lists the changes of an organization, or of all for operators, the newest first.
pub async fn list(
    operations: &Operations,
    caller: &Allowed<can::ListAuditEntries>,
    filter: &ListAuditEntries,
    page: &Page,
) -> Result<AuditLog, OperationError> {
    let page = page.of(("audit", filter))?;
    let organization = filter.organization_id.as_deref();
    let organization = caller.whole_organization(operations, organization).await?;
    let stored = AuditFilter {
        organization_id: organization.as_ref().map(|organization| organization.id.as_str()),
        action: filter.action.as_deref(),
        actor_id: filter.actor.as_deref(),
        subject_id: filter.subject.as_deref(),
        since: filter.since.map(|time| time.0),
        until: filter.until.map(|time| time.0),
    };
    let read = operations.database.audit_entries(stored, page.after(), page.length()).await?;
    let next_cursor = read.next.map(|id| page.cursor(&Position::of_id(&id)));
    Ok(AuditLog { entries: read.entries.into_iter().map(AuditEntry::from).collect(), next_cursor })
}

impl From<database::AuditEntry> for AuditEntry {
    fn from(row: database::AuditEntry) -> Self {
        Self {
            id: row.id,
            created_at: iso(row.created_at),
            organization_id: row.organization_id,
            actor: AuditActor { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
            action: row.action,
            subject: AuditSubject { kind: row.subject_kind, id: row.subject_id },
            address: row.address,
            request_id: row.request_id,
            before: row.before,
            after: row.after,
        }
    }
}
