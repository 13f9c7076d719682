//! The home page: the organizations of the user, or the only one.

use axum::{
    extract::{Query, State},
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
};
use docwright_storage::database::Membership;
use maud::html;

use crate::{
    Dashboard,
    frame::{self, Frame},
    parts::{ListQuery, nothing_found, search},
    refusal::Refusal,
    session::SignedIn,
    words,
};

const HERE: &str = "/";

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    Query(asked): Query<ListQuery>,
    person: Result<SignedIn, Refusal>,
) -> Result<Response, Refusal> {
    let person = match person {
        Ok(person) => person,
        // A new instance shows first steps.
        Err(Refusal::SignedOut(_)) if dashboard.operations.database.has_no_accounts().await? => {
            return Ok(Redirect::to("/setup").into_response());
        }
        Err(other) => return Err(other),
    };
    let path = match &person.memberships[..] {
        [] if person.account.is_operator => "/organizations".to_owned(),
        [] => "/account".to_owned(),
        [only] => format!("/organizations/{}", only.organization.id),
        all => return Ok(list(&person, all, &asked)),
    };
    Ok(Redirect::to(&path).into_response())
}

/// The organizations whose name contains what was searched for. A person has few, so all are on one page.
fn list(person: &SignedIn, all: &[Membership], asked: &ListQuery) -> Response {
    let wanted = asked.search.as_deref().unwrap_or_default().trim().to_lowercase();
    let is_wanted = |each: &&Membership| each.organization.name.to_lowercase().contains(&wanted);
    let found: Vec<_> = all.iter().filter(is_wanted).collect();
    let body = html! {
        h1 { (words::ORGANIZATIONS) }
        @if asked.is_long(all.len(), None) { (search(HERE, words::FIND_ORGANIZATION, asked)) }
        @if found.is_empty() {
            (nothing_found(HERE, asked))
        } @else {
            ul.rows {
                @for each in found {
                    li {
                        span.grow { a href=(format!("/organizations/{}", each.organization.id)) { (each.organization.name) } }
                        span.soft { (words::role(each.role)) }
                    }
                }
            }
        }
    };
    let frame = Frame { person, organization: None, project: None, section: "home" };
    frame::page(StatusCode::OK, &frame, words::ORGANIZATIONS, &body)
}
