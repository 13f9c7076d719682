//! The audit log of an organization: who changed what, and from where, with search and pages.

mod csv;
mod entry;
mod names;

use axum::{
    extract::{Query, State},
    response::Response,
};
use docwright_operations::{
    audit_log::{self, ListAuditEntries, Time},
    lists::Page,
};
use docwright_types::timestamp::{DAY, Timestamp, parse_iso};
use maud::{Markup, html};
use serde::{Deserialize, Serialize};

use crate::{
    Dashboard,
    parts::{empty, pager},
    paths::with_query,
    project_context::OrganizationPlace,
    refusal::Refusal,
    words,
};

pub(super) use csv::download;

/// The search. The fields are those of the form and of the page's URL.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct AuditQuery {
    action: Option<String>,
    actor: Option<String>,
    subject: Option<String>,
    /// First day.
    since: Option<String>,
    /// The last day.
    until: Option<String>,
    cursor: Option<String>,
}

impl AuditQuery {
    /// The search without the page, by field names of the form.
    fn fields(&self) -> [(&'static str, Option<&str>); 5] {
        [
            ("action", self.action.as_deref()),
            ("actor", self.actor.as_deref()),
            ("subject", self.subject.as_deref()),
            ("since", self.since.as_deref()),
            ("until", self.until.as_deref()),
        ]
    }

    /// Whether the search is limited at all.
    fn limits(&self) -> bool {
        self.fields().iter().any(|(_, value)| value.is_some_and(|value| !value.is_empty()))
    }

    /// The entries of an organization to list. Days are in UTC, and the last one is included.
    fn filter(&self, organization_id: &str) -> Result<ListAuditEntries, Refusal> {
        let given = |text: &Option<String>| {
            let text = text.as_deref().map(str::trim).filter(|text| !text.is_empty());
            text.map(str::to_owned)
        };
        Ok(ListAuditEntries {
            organization_id: Some(organization_id.to_owned()),
            action: given(&self.action),
            actor: given(&self.actor),
            subject: given(&self.subject),
            since: day(self.since.as_deref(), 0)?,
            until: day(self.until.as_deref(), DAY)?,
        })
    }
}

/// The start of a day plus an offset; `None` without a day.
fn day(given: Option<&str>, after: Timestamp) -> Result<Option<Time>, Refusal> {
    let Some(given) = given.map(str::trim).filter(|given| !given.is_empty()) else {
        return Ok(None);
    };
    let time = parse_iso(&format!("{given}T00:00:00Z"));
    let time = time.ok_or_else(|| Refusal::Invalid(words::WRONG_DATE.to_owned()))?;
    Ok(Some(Time(time + after)))
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Query(query): Query<AuditQuery>,
) -> Result<Response, Refusal> {
    let caller = place.caller.allowed()?;
    let organization = place.organization.id.as_str();
    let cursor = query.cursor.as_deref();
    let (filter, page) = (
        query.with_ids(&dashboard, &place).await?.filter(organization)?,
        Page::new(Some(50), cursor)?,
    );
    let log = audit_log::list(&dashboard.operations, &caller, &filter, &page).await?;
    let path = format!("/organizations/{organization}/audit");
    let now = dashboard.operations.now();
    let all = html! {
        @if query.limits() { p.actions { a.button href=(path) { (words::SHOW_ALL) } } }
    };
    let body = html! {
        h1 { (words::AUDIT) }
        p { (words::AUDIT_WHY) }
        (form(&path, &query))
        @if !log.entries.is_empty() {
            ul.rows.log { @for entry in &log.entries { (entry::show(entry, &path, now)) } }
        } @else if log.next_cursor.is_some() {
            // A search with several conditions reads the log in pieces.
            p { (words::AUDIT_NOT_YET) }
        } @else {
            (empty(words::NO_AUDIT, words::NO_AUDIT_WHY, &all))
        }
        (pager(&path, &query.fields(), (cursor, log.next_cursor.as_deref())))
    };
    Ok(place.page("audit", words::AUDIT, &body))
}

fn form(path: &str, query: &AuditQuery) -> Markup {
    let texts = [
        ("action", words::AUDIT_ACTION, words::AUDIT_ACTION_HINT, &query.action),
        ("actor", words::AUDIT_ACTOR, words::AUDIT_ACTOR_HINT, &query.actor),
        ("subject", words::AUDIT_SUBJECT, words::AUDIT_SUBJECT_HINT, &query.subject),
    ];
    let days =
        [("since", words::AUDIT_SINCE, &query.since), ("until", words::AUDIT_UNTIL, &query.until)];
    html! {
        form.search method="get" action=(path) role="search" {
            @for (name, label, hint, value) in texts {
                div.field {
                    label for=(name) { (label) }
                    input id=(name) name=(name) type="text" autocomplete="off" list=[(name == "action").then_some("actions")] placeholder=(hint) value=(value.as_deref().unwrap_or_default());
                }
            }
            @for (name, label, value) in days {
                div.field {
                    label for=(name) { (label) }
                    input id=(name) name=(name) type="date" value=(value.as_deref().unwrap_or_default());
                }
            }
            datalist id="actions" { @for (_, label) in words::AUDIT_ACTIONS { option value=(label) {} } }
            p.actions {
                button type="submit" { (words::SEARCH) }
                a href=(with_query(&format!("{path}/csv"), &query.fields())) { (words::DOWNLOAD_CSV) }
                @if query.limits() { a href=(path) { (words::SHOW_ALL) } }
            }
        }
    }
}
