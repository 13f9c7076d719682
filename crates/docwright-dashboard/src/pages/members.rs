//! Who belongs to an organization, and as what.

use axum::{
    extract::{Path, Query, State},
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
};
use docwright_operations::{
    OperationError, can,
    members::{self, ListMembers, MemberList, UpdateMember},
};
use docwright_types::{account::Role, timestamp::parse_iso};
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    Dashboard,
    forms::Form,
    parts::{ListQuery, ago, empty, nothing_found, problem, search},
    project_context::OrganizationPlace,
    refusal::Refusal,
    words,
};

/// Members on a page.
const PAGE: i64 = 50;

#[derive(Deserialize)]
pub(super) struct MemberPath {
    organization_id: String,
    account_id: String,
}

#[derive(Deserialize)]
pub(super) struct RoleForm {
    role: String,
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Query(asked): Query<ListQuery>,
) -> Result<Response, Refusal> {
    show(&dashboard, &place, &asked, None).await
}

/// Changes what a member can do.
pub(super) async fn set_role(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Path(MemberPath { organization_id, account_id }): Path<MemberPath>,
    Form(form): Form<RoleForm>,
) -> Result<Response, Refusal> {
    let caller = place.caller.allowed()?;
    let updated = match form.role.parse() {
        Ok(role) => {
            let (app, input) = (&dashboard.operations, UpdateMember { role });
            members::update(app, &caller, &organization_id, &account_id, &input).await
        }
        Err(what) => Err(OperationError::Invalid(what)),
    };
    done(&dashboard, &place, updated.map(drop)).await
}

/// Asks whether a member is to be removed.
pub(super) async fn ask_to_remove(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Path(MemberPath { organization_id, account_id }): Path<MemberPath>,
) -> Result<Response, Refusal> {
    place.caller.allowed::<can::DeleteMember>()?;
    let caller = place.caller.allowed()?;
    let member =
        members::get(&dashboard.operations, &caller, &organization_id, &account_id).await?;
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
    Path(MemberPath { organization_id, account_id }): Path<MemberPath>,
) -> Result<Response, Refusal> {
    let caller = place.caller.allowed()?;
    let removed =
        members::delete(&dashboard.operations, &caller, &organization_id, &account_id).await;
    done(&dashboard, &place, removed).await
}

/// Where a change leads: back to the list, which says why where it could not be made.
async fn done(
    dashboard: &Dashboard,
    place: &OrganizationPlace,
    changed: Result<(), OperationError>,
) -> Result<Response, Refusal> {
    let Err(refusal) = changed.map_err(Refusal::from) else {
        // Who removed or demoted themselves sees what is left to them.
        return Ok(Redirect::to(&address(place)).into_response());
    };
    let sentence = refusal.into_problem()?;
    show(dashboard, place, &ListQuery::default(), Some(&sentence)).await
}

async fn show(
    dashboard: &Dashboard,
    place: &OrganizationPlace,
    asked: &ListQuery,
    sentence: Option<&str>,
) -> Result<Response, Refusal> {
    let filter = ListMembers { email: None, search: asked.searched()? };
    let (caller, page) = (place.caller.allowed()?, asked.page(Some(PAGE))?);
    let id = &place.organization.id;
    let list = members::list(&dashboard.operations, &caller, id, &filter, &page).await?;
    let next = list.next_cursor.as_deref();
    let path = address(place);
    let is_admin = place.caller.can::<can::UpdateMember>();
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
        @if asked.is_long(list.items.len(), next) { (search(&path, words::FIND_BY_EMAIL, asked)) }
        @if list.items.is_empty() && asked.is_all() {
            (empty(words::NO_MEMBERS, words::NO_MEMBERS_WHY, &Markup::default()))
        } @else if list.items.is_empty() {
            (nothing_found(&path, asked))
        } @else {
            (table(dashboard, &list, (&path, is_admin)))
        }
        (asked.pager(&path, next))
    };
    let status = if sentence.is_some() { StatusCode::CONFLICT } else { StatusCode::OK };
    Ok(place.page_with(status, "members", words::MEMBERS, &body))
}

fn table(dashboard: &Dashboard, list: &MemberList, (path, is_admin): (&str, bool)) -> Markup {
    let now = dashboard.operations.now();
    html! {
        div.scroll tabindex="0" { table {
            thead { tr {
                th { (words::NAME) } th { (words::EMAIL) } th { (words::ROLE) } th { (words::SINCE) }
                @if is_admin { th { span.unseen { (words::REMOVE) } } }
            } }
            tbody {
                @for member in &list.items {
                    @let one = format!("{path}/{}", member.account_id);
                    tr {
                        td { (member.name) }
                        td { (member.email) }
                        td {
                            @if is_admin {
                                form.inline method="post" action=(one) {
                                    (roles(&format!("role-{}", member.account_id), &words::role_of(&member.name), member.role.name()))
                                    button type="submit" { (words::CHANGE) }
                                }
                            } @else {
                                (words::role(member.role))
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
