//! Who belongs to an organisation, and as what.

use axum::{
    extract::{Path, Query, State},
    http::{Method, StatusCode},
    response::{IntoResponse, Redirect, Response},
};
use docwright_domain::{account::Role, timestamp::parse_iso};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use crate::dashboard::{
    Dashboard,
    forms::Form,
    parts::{Asked, ago, empty, nothing_found, problem, search},
    place::OrganizationPlace,
    refusal::Refusal,
    words,
};

/// Members on a page.
const PAGE: &str = "50";

#[derive(Deserialize)]
pub(super) struct MemberPath {
    organization_id: String,
    account_id: String,
}

#[derive(Deserialize)]
pub(super) struct NewRole {
    role: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct List {
    members: Vec<Member>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Member {
    account_id: String,
    name: String,
    email: String,
    role: String,
    joined_at: String,
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Query(asked): Query<Asked>,
) -> Result<Response, Refusal> {
    show(&dashboard, &place, &asked, None).await
}

/// Changes what a member may do.
pub(super) async fn set_role(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Path(path): Path<MemberPath>,
    Form(new): Form<NewRole>,
) -> Result<Response, Refusal> {
    let body = json!({ "role": new.role });
    let changed = place.operations.send(Method::PATCH, &operation(&path), Some(body)).await;
    done(&dashboard, &place, changed.map(drop)).await
}

/// Asks whether a member is to be removed.
pub(super) async fn ask_to_remove(
    place: OrganizationPlace,
    Path(path): Path<MemberPath>,
) -> Result<Response, Refusal> {
    place.require(Role::Admin)?;
    let member: Member = place.operations.get(&operation(&path)).await?;
    let list = address(&place);
    let body = html! {
        h1 { (words::remove_member(&member.name)) }
        p { strong { (member.name) } " · " (member.email) }
        p { (words::REMOVE_MEMBER_WHY) }
        form.actions method="post" action=(format!("{list}/{}/remove", member.account_id)) {
            button.danger type="submit" { (words::REMOVE) }
            a.button href=(list) { (words::KEEP) }
        }
    };
    Ok(place.page("members", words::MEMBERS, &body))
}

pub(super) async fn remove(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Path(path): Path<MemberPath>,
) -> Result<Response, Refusal> {
    let removed = place.operations.send(Method::DELETE, &operation(&path), None).await;
    done(&dashboard, &place, removed.map(drop)).await
}

/// Where a change leads: back to the list, which says why where it could not be made.
async fn done(
    dashboard: &Dashboard,
    place: &OrganizationPlace,
    changed: Result<(), Refusal>,
) -> Result<Response, Refusal> {
    let Err(refusal) = changed else {
        // Who removed or demoted themselves sees what is left to them.
        return Ok(Redirect::to(&address(place)).into_response());
    };
    let sentence = refusal.into_problem()?;
    show(dashboard, place, &Asked::default(), Some(&sentence)).await
}

async fn show(
    dashboard: &Dashboard,
    place: &OrganizationPlace,
    asked: &Asked,
    sentence: Option<&str>,
) -> Result<Response, Refusal> {
    let operation = format!("/v1/organizations/{}/members", place.organization.id);
    let operation = asked.operation(&operation, &[("limit", Some(PAGE))]);
    let list: List = place.operations.get(&operation).await?;
    let next = list.next_cursor.as_deref();
    let path = address(place);
    let is_admin = place.may(Role::Admin);
    let body = html! {
        h1 { (words::MEMBERS) }
        (problem(sentence))
        @if is_admin {
            p.actions {
                a.button.primary href=(format!("/organizations/{}/invitations", place.organization.id)) {
                    (words::INVITE)
                }
            }
        }
        @if asked.is_long(list.members.len(), next) { (search(&path, words::FIND_BY_EMAIL, asked)) }
        @if list.members.is_empty() && asked.is_all() {
            (empty(words::NO_MEMBERS, words::NO_MEMBERS_WHY, &Markup::default()))
        } @else if list.members.is_empty() {
            (nothing_found(&path, asked))
        } @else {
            (table(dashboard, &list, (&path, is_admin)))
        }
        (asked.pager(&path, next))
    };
    let status = if sentence.is_some() { StatusCode::CONFLICT } else { StatusCode::OK };
    Ok(place.page_with(status, "members", words::MEMBERS, &body))
}

fn table(dashboard: &Dashboard, list: &List, (path, is_admin): (&str, bool)) -> Markup {
    let now = dashboard.app.now();
    html! {
        div.scroll tabindex="0" { table {
            thead { tr {
                th { (words::NAME) } th { (words::EMAIL) } th { (words::ROLE) } th { (words::SINCE) }
                @if is_admin { th { span.unseen { (words::REMOVE) } } }
            } }
            tbody {
                @for member in &list.members {
                    @let one = format!("{path}/{}", member.account_id);
                    tr {
                        td { (member.name) }
                        td { (member.email) }
                        td {
                            @if is_admin {
                                form.inline method="post" action=(one) {
                                    (roles(&format!("role-{}", member.account_id), &words::role_of(&member.name), &member.role))
                                    button type="submit" { (words::CHANGE) }
                                }
                            } @else {
                                (words::role_named(&member.role))
                            }
                        }
                        td { (ago(now, parse_iso(&member.joined_at).unwrap_or_default())) }
                        @if is_admin {
                            td { a href=(format!("{one}/remove")) aria-label=(words::remove_member(&member.name)) { (words::REMOVE) } }
                        }
                    }
                }
            }
        } }
    }
}

/// A choice of roles, with a label that is read out.
pub(super) fn roles(id: &str, label: &str, chosen: &str) -> Markup {
    html! {
        select id=(id) name="role" aria-label=(label) {
            @for role in Role::ALL {
                option value=(role.name()) selected[role.name() == chosen] { (words::role(role)) }
            }
        }
    }
}

fn address(place: &OrganizationPlace) -> String {
    format!("/organizations/{}/members", place.organization.id)
}

/// The path of a member in the API.
fn operation(MemberPath { organization_id, account_id }: &MemberPath) -> String {
    let account: String = url::form_urlencoded::byte_serialize(account_id.as_bytes()).collect();
    format!("/v1/organizations/{organization_id}/members/{account}")
}
