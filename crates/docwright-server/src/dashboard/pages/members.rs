//! Who belongs to an organisation.

use axum::{
    extract::{Query, State},
    response::Response,
};
use maud::html;
use serde::Deserialize;

use crate::dashboard::{
    Dashboard,
    parts::{ago, pager},
    place::OrganizationPlace,
    refusal::Refusal,
    words,
};

/// Members on a page.
const PAGE: i64 = 50;

#[derive(Deserialize)]
pub(super) struct Wanted {
    cursor: Option<String>,
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Refusal> {
    let app = &dashboard.app;
    let organization = &place.organization.id;
    let cursor = wanted.cursor.as_deref();
    let mut members =
        app.database.members(organization, cursor.unwrap_or_default(), PAGE + 1).await?;
    let length = usize::try_from(PAGE).unwrap_or_default();
    let more = members.len() > length;
    members.truncate(length);
    let next = members.last().filter(|_| more).map(|last| last.account.id.clone());
    let now = app.now();
    let body = html! {
        h1 { (words::MEMBERS) }
        table {
            thead { tr { th { (words::NAME) } th { (words::EMAIL) } th { (words::ROLE) } th { (words::SINCE) } } }
            tbody {
                @for member in &members {
                    tr {
                        td { (member.account.name) }
                        td { (member.account.email) }
                        td { (words::role(member.role)) }
                        td { (ago(now, member.since)) }
                    }
                }
            }
        }
        (pager(&format!("/organizations/{organization}/members"), &[], (cursor, next.as_deref())))
    };
    Ok(place.page("members", words::MEMBERS, &body))
}
