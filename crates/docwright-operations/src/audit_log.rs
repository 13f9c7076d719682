//! The audit log: who changed what, when, and from where.

use docwright_storage::database::{self, AuditFilter, Position};
use docwright_types::timestamp::{Timestamp, iso, parse_iso};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::{Allowed, OperationError, Operations, can, lists::Page};

/// Actions that one search can name.
const MAXIMUM_ACTIONS: usize = 50;

/// Which entries to list.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ListAuditEntries {
    /// ID of an organization. Without it, operator keys see every organization; other keys see
    /// their own.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub organization_id: Option<String>,
    /// Return only this action, all actions on one type of target, such as `key`, or several
    /// comma-separated actions.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "key.create")]
    pub action: Option<String>,
    /// Return only changes by this actor: the public ID of a key, the ID of an account, or a CLI
    /// user.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "0123456789abcdef")]
    pub actor: Option<String>,
    /// Return only changes to the target with this ID.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub subject: Option<String>,
    /// Return only entries from this time on.
    #[param(value_type = String, required = false, format = DateTime, example = "2026-11-01T00:00:00Z")]
    pub since: Option<Time>,
    /// Return only entries before this time.
    #[param(value_type = String, required = false, format = DateTime, example = "2026-12-01T00:00:00Z")]
    pub until: Option<Time>,
}

/// A timestamp in a query.
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
    /// The entries. With several filters, any page can have fewer entries than its limit, or none.
    pub entries: Vec<AuditEntry>,
    /// Cursor of the next page; null on the last page.
    pub next_cursor: Option<String>,
}

/// An entry of the audit log.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    /// ID of the entry.
    #[schema(example = "aud_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub id: String,
    /// Time of the change.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// ID of the changed organization; null for the instance.
    #[schema(example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub organization_id: Option<String>,
    /// Author of the change.
    pub actor: AuditActor,
    /// Name of the action.
    #[schema(example = "project.update")]
    pub action: String,
    /// Target of the action.
    pub subject: AuditSubject,
    /// IP address of the client; null if unknown, or if the change was made on the server.
    #[schema(example = "192.0.2.7")]
    pub address: Option<String>,
    /// ID of the request, as in the server's log.
    #[schema(example = "7b0b6a1c2f534b8e")]
    pub request_id: String,
    /// State before the change, without secrets; null for a new object.
    #[schema(value_type = Option<Object>, example = json!({ "name": "Docs" }))]
    pub before: Option<Value>,
    /// State after the change, without secrets; null for a deleted object.
    #[schema(value_type = Option<Object>, example = json!({ "name": "Manual" }))]
    pub after: Option<Value>,
}

/// The author of a change.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct AuditActor {
    /// `account` for a signed-in person, `key` for an API key, `shell` for a CLI user on the
    /// server, `service` for docwright itself.
    #[schema(example = "key")]
    pub kind: String,
    /// ID of the account, public ID of the key, or name of the CLI user.
    #[schema(example = "0123456789abcdef")]
    pub id: String,
    /// Name of the key at that time, or email address of the account; `deleted account` if the
    /// account was deleted.
    #[schema(example = "ci")]
    pub name: String,
}

/// The target of a change.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct AuditSubject {
    /// Type of the target.
    #[schema(example = "project")]
    pub kind: String,
    /// ID of the target.
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
    let mut actions = comma_separated(filter.action.as_deref());
    let action = if let [action] = actions[..] { Some(action) } else { None };
    if action.is_some() {
        actions.clear();
    }
    if actions.len() > MAXIMUM_ACTIONS {
        return Err(OperationError::Invalid(format!(
            "`action` can name at most {MAXIMUM_ACTIONS} actions."
        )));
    }
    let stored = AuditFilter {
        organization_id: organization.as_ref().map(|organization| organization.id.as_str()),
        action,
        actions: &actions,
        actor_id: filter.actor.as_deref(),
        subject_id: filter.subject.as_deref(),
        since: filter.since.map(|time| time.0),
        until: filter.until.map(|time| time.0),
    };
    let read = operations.database.audit_entries(stored, page.after(), page.length()).await?;
    let next_cursor = read.next.map(|id| page.cursor(&Position::of_id(&id)));
    Ok(AuditLog { entries: read.entries.into_iter().map(AuditEntry::from).collect(), next_cursor })
}

fn comma_separated(text: Option<&str>) -> Vec<&str> {
    let parts = text.unwrap_or_default().split(',').map(str::trim);
    parts.filter(|part| !part.is_empty()).collect()
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
