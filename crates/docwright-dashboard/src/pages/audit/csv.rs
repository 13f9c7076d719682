//! The audit log as a CSV file. It is sent while it is read, one page of the API at a time, so it can have any
//! length.

use axum::{
    body::Body,
    extract::{Query, State},
    http::header,
    response::{IntoResponse, Response},
};
use docwright_operations::{
    audit_log::{self, AuditEntry},
    can,
    lists::Page,
};
use docwright_types::account::Role;
use futures::stream;
use serde_json::Value;

use super::AuditQuery;
use crate::{Dashboard, csv::field, project_context::OrganizationPlace, refusal::Refusal};

const HEAD: &str = "time,actor_kind,actor_id,actor_name,action,subject_kind,subject_id,address,request_id,before,after\r\n";

/// A download in progress.
struct Download {
    dashboard: Dashboard,
    place: OrganizationPlace,
    query: AuditQuery,
    /// Cursor of the next page; `None` after the last one.
    next: Option<String>,
}

pub(crate) async fn download(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Query(query): Query<AuditQuery>,
) -> Result<Response, Refusal> {
    place.caller.allowed::<can::ListAuditEntries>()?;
    let name = format!("attachment; filename=\"audit-{}.csv\"", place.organization.id);
    let mut download = Download { dashboard, place, query, next: None };
    // Errors in the request are reported before anything is sent.
    let first = format!("{HEAD}{}", download.page().await?);
    let rest = stream::unfold((download, Some(first)), |(mut download, first)| async {
        if let Some(first) = first {
            return Some((Ok(first), (download, None)));
        }
        download.next.as_ref()?;
        let page = download.page().await.map_err(|refusal| {
            // The file ends early, which the client can detect.
            download.next = None;
            std::io::Error::other(format!("{refusal:?}"))
        });
        Some((page, (download, None)))
    });
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8"),
        (header::CONTENT_DISPOSITION, name.as_str()),
        (header::CACHE_CONTROL, "no-store"),
    ];
    Ok((headers, Body::from_stream(rest)).into_response())
}

impl Download {
    /// The lines of the next page.
    async fn page(&mut self) -> Result<String, Refusal> {
        self.confirm().await?;
        let query = self.query.with_ids(&self.dashboard, &self.place).await?;
        let filter = query.filter(&self.place.organization.id)?;
        let page = Page::new(Some(100), self.next.as_deref())?;
        let caller = self.place.caller.allowed()?;
        let log = audit_log::list(&self.dashboard.operations, &caller, &filter, &page).await?;
        self.next = log.next_cursor;
        Ok(log.entries.iter().map(line).collect())
    }

    /// Fails when the user signs out or is no longer an admin, even during a long download.
    async fn confirm(&self) -> Result<(), Refusal> {
        let (app, person) = (&self.dashboard.operations, &self.place.person);
        let account = &person.account;
        let role = app.database.role(&self.place.organization.id, &account.id).await?;
        let can = account.is_operator || role == Some(Role::Admin);
        if can && person.browser.session(app).await?.is_some() {
            return Ok(());
        }
        Err(Refusal::Missing)
    }
}

fn line(entry: &AuditEntry) -> String {
    let state = |state: &Option<Value>| state.as_ref().map(Value::to_string).unwrap_or_default();
    let fields = [
        &entry.created_at,
        &entry.actor.kind,
        &entry.actor.id,
        &entry.actor.name,
        &entry.action,
        &entry.subject.kind,
        &entry.subject.id,
        entry.address.as_deref().unwrap_or_default(),
        &entry.request_id,
        &state(&entry.before),
        &state(&entry.after),
    ]
    .map(field);
    fields.join(",") + "\r\n"
}
