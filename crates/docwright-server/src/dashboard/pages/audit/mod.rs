//! The audit log of an organisation: who changed what, from where, searched and a page at a time.

mod csv;
mod entry;

use axum::{
    extract::{Query, State},
    response::Response,
};
use docwright_domain::{
    account::Role,
    timestamp::{DAY, Timestamp, iso, parse_iso},
};
use maud::{Markup, html};
use serde::{Deserialize, Serialize};

use crate::dashboard::{
    Dashboard,
    operations::with_query,
    parts::{empty, pager},
    place::OrganizationPlace,
    refusal::Refusal,
    words,
};

use self::entry::Entry;

pub(super) use csv::download;

/// What is looked for. The fields are those of the form, and of the address of the page.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Wanted {
    action: Option<String>,
    actor: Option<String>,
    subject: Option<String>,
    /// A day.
    since: Option<String>,
    /// The last day.
    until: Option<String>,
    cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Log {
    entries: Vec<Entry>,
    next_cursor: Option<String>,
}

impl Wanted {
    /// What is looked for, but for the page, by the names of the form.
    fn fields(&self) -> [(&'static str, Option<&str>); 5] {
        [
            ("action", self.action.as_deref()),
            ("actor", self.actor.as_deref()),
            ("subject", self.subject.as_deref()),
            ("since", self.since.as_deref()),
            ("until", self.until.as_deref()),
        ]
    }

    /// Whether less than everything is looked for.
    fn limits(&self) -> bool {
        self.fields().iter().any(|(_, value)| value.is_some_and(|value| !value.is_empty()))
    }

    /// What to ask the API for. Days are those of UTC, and the last one counts as a whole.
    fn path(
        &self,
        organization: &str,
        limit: &str,
        cursor: Option<&str>,
    ) -> Result<String, Refusal> {
        let (since, until) = (day(self.since.as_deref(), 0)?, day(self.until.as_deref(), DAY)?);
        let trimmed = |text: &'_ Option<String>| text.as_deref().map(|text| text.trim().to_owned());
        let (action, actor, subject) =
            (trimmed(&self.action), trimmed(&self.actor), trimmed(&self.subject));
        let query = [
            ("organizationId", Some(organization)),
            ("action", action.as_deref()),
            ("actor", actor.as_deref()),
            ("subject", subject.as_deref()),
            ("since", since.as_deref()),
            ("until", until.as_deref()),
            ("limit", Some(limit)),
            ("cursor", cursor),
        ];
        Ok(with_query("/v1/audit", &query))
    }
}

/// The time of a day, and some time after it; `None` if no day is given.
fn day(given: Option<&str>, after: Timestamp) -> Result<Option<String>, Refusal> {
    let Some(given) = given.map(str::trim).filter(|given| !given.is_empty()) else {
        return Ok(None);
    };
    let time = parse_iso(&format!("{given}T00:00:00Z"));
    let time = time.ok_or_else(|| Refusal::Invalid(words::WRONG_DATE.to_owned()))?;
    Ok(Some(iso(time + after)))
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Refusal> {
    place.require(Role::Admin)?;
    let organization = place.organization.id.as_str();
    let cursor = wanted.cursor.as_deref();
    let log: Log = place.operations.get(&wanted.path(organization, "50", cursor)?).await?;
    let path = format!("/organizations/{organization}/audit");
    let now = dashboard.app.now();
    let all = html! {
        @if wanted.limits() { p.actions { a.button href=(path) { (words::SHOW_ALL) } } }
    };
    let body = html! {
        h1 { (words::AUDIT) }
        p { (words::AUDIT_WHY) }
        (form(&path, &wanted))
        @if !log.entries.is_empty() {
            ul.rows.log { @for entry in &log.entries { (entry.show(&path, now)) } }
        } @else if log.next_cursor.is_some() {
            // A search for several things at once goes through the log piece by piece.
            p { (words::AUDIT_NOT_YET) }
        } @else {
            (empty(words::NO_AUDIT, words::NO_AUDIT_WHY, &all))
        }
        (pager(&path, &wanted.fields(), (cursor, log.next_cursor.as_deref())))
    };
    Ok(place.page("audit", words::AUDIT, &body))
}

fn form(path: &str, wanted: &Wanted) -> Markup {
    let texts = [
        ("action", words::AUDIT_ACTION, words::AUDIT_ACTION_HINT, &wanted.action),
        ("actor", words::AUDIT_ACTOR, words::AUDIT_ACTOR_HINT, &wanted.actor),
        ("subject", words::AUDIT_SUBJECT, words::AUDIT_SUBJECT_HINT, &wanted.subject),
    ];
    let days = [
        ("since", words::AUDIT_SINCE, &wanted.since),
        ("until", words::AUDIT_UNTIL, &wanted.until),
    ];
    html! {
        form.search method="get" action=(path) role="search" {
            @for (name, label, hint, value) in texts {
                div.field {
                    label for=(name) { (label) }
                    input id=(name) name=(name) type="text" autocomplete="off" placeholder=(hint) value=(value.as_deref().unwrap_or_default());
                }
            }
            @for (name, label, value) in days {
                div.field {
                    label for=(name) { (label) }
                    input id=(name) name=(name) type="date" value=(value.as_deref().unwrap_or_default());
                }
            }
            p.actions {
                button type="submit" { (words::SEARCH) }
                a href=(with_query(&format!("{path}/csv"), &wanted.fields())) { (words::DOWNLOAD_CSV) }
                @if wanted.limits() { a href=(path) { (words::SHOW_ALL) } }
            }
        }
    }
}
