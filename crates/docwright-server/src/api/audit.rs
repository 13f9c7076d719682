//! `GET /v1/audit`.

use axum::{Json, extract::State};
use docwright_domain::timestamp::{Timestamp, iso, parse_iso};
use docwright_storage::database::{self, AuditFilter, Position};
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::paging::Page;
use crate::{
    authorize::Admin,
    error::{ApiError, Error},
    parameters::Query,
    state::AppState,
};

/// Which entries to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// Identifier of an organisation. Keys of the install see every organisation without it; other keys
    /// see their own.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    organization_id: Option<String>,
    /// Only this action; or all on one kind of thing, by the first part of an action, such as `key`.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "key.create")]
    action: Option<String>,
    /// Only what this actor did: the public id of a key, the id of an account, or the user of a shell.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "0123456789abcdef")]
    actor: Option<String>,
    /// Only what was done to this: its identifier.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    subject: Option<String>,
    /// Only from this time on.
    #[param(value_type = String, required = false, format = DateTime, example = "2026-11-01T00:00:00Z")]
    since: Option<Time>,
    /// Only before this time.
    #[param(value_type = String, required = false, format = DateTime, example = "2026-12-01T00:00:00Z")]
    until: Option<Time>,
}

/// A point in time of a query.
#[derive(Debug, Clone, Copy)]
struct Time(Timestamp);

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong =
            || D::Error::custom("must be a time with its zone, such as 2026-11-22T09:00:00Z");
        parse_iso(&text).map(Self).ok_or_else(wrong)
    }
}

/// A page of the audit log, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AuditLog {
    /// The entries. A search for several things at once may give a page with fewer entries than it has room
    /// for, or none, before the last one.
    entries: Vec<AuditEntry>,
    /// What to ask for the next page with; null on the last one.
    next_cursor: Option<String>,
}

/// A change that somebody made.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AuditEntry {
    /// Identifier of the entry.
    #[schema(example = "aud_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    id: String,
    /// When the change was made.
    #[schema(format = DateTime)]
    created_at: String,
    /// The organisation whose change it is; null for the install.
    #[schema(example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    organization_id: Option<String>,
    /// Who made it.
    actor: AuditActor,
    /// What was done.
    #[schema(example = "project.update")]
    action: String,
    /// What it was done to.
    subject: AuditSubject,
    /// Address of the client; null if it was done on the machine itself, or is not known.
    #[schema(example = "192.0.2.7")]
    address: Option<String>,
    /// Id of the request, which the server's log has too.
    #[schema(example = "7b0b6a1c2f534b8e")]
    request_id: String,
    /// What was there before, without secrets; null if nothing was.
    #[schema(value_type = Option<Object>, example = json!({ "name": "Docs" }))]
    before: Option<Value>,
    /// What is there since, without secrets; null if nothing is.
    #[schema(value_type = Option<Object>, example = json!({ "name": "Manual" }))]
    after: Option<Value>,
}

/// Who made a change.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AuditActor {
    /// `account` for somebody who was signed in, `key` for a key of the API, `shell` for somebody on the machine, `service` for docwright
    /// of its own accord.
    #[schema(example = "key")]
    kind: String,
    /// The id of the account, the public id of the key, or the user of the shell.
    #[schema(example = "0123456789abcdef")]
    id: String,
    /// What the key was called then, or the email address of the account; `deleted account` once that is deleted.
    #[schema(example = "ci")]
    name: String,
}

/// What a change was made to.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AuditSubject {
    /// What kind of thing it is.
    #[schema(example = "project")]
    kind: String,
    /// Its identifier.
    #[schema(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    id: String,
}

impl From<database::AuditEntry> for AuditEntry {
    fn from(entry: database::AuditEntry) -> Self {
        Self {
            id: entry.id,
            created_at: iso(entry.created_at),
            organization_id: entry.organization_id,
            actor: AuditActor {
                kind: entry.actor_kind,
                id: entry.actor_id,
                name: entry.actor_name,
            },
            action: entry.action,
            subject: AuditSubject { kind: entry.subject_kind, id: entry.subject_id },
            address: entry.address,
            request_id: entry.request_id,
            before: entry.before,
            after: entry.after,
        }
    }
}

/// Read the audit log
///
/// Who changed what, newest first, a page at a time. Keys that are limited to projects can't read it.
#[utoipa::path(
    get,
    path = "/v1/audit",
    tag = "Audit log",
    operation_id = "listAuditEntries",
    params(Filter, Page),
    responses(
        (status = 200, description = "A page of entries", body = AuditLog),
        (status = 404, description = "There is no such organisation", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Admin,
    filter: Result<Query<Filter>, ApiError>,
    page: Result<Page, ApiError>,
) -> Result<Json<AuditLog>, ApiError> {
    let (Query(asked), page) = (filter?, page?);
    let organization = caller.whole_organization(&app, asked.organization_id.as_deref()).await?;
    let filter = AuditFilter {
        organization_id: organization.as_ref().map(|organization| organization.id.as_str()),
        action: asked.action.as_deref(),
        actor_id: asked.actor.as_deref(),
        subject_id: asked.subject.as_deref(),
        since: asked.since.map(|time| time.0),
        until: asked.until.map(|time| time.0),
    };
    let read = app.database.audit_entries(filter, page.after(), page.length()).await?;
    let next_cursor = read.next.map(|id| page.cursor(&Position::of_id(&id)));
    let entries = read.entries.into_iter().map(AuditEntry::from).collect();
    Ok(Json(AuditLog { entries, next_cursor }))
}
