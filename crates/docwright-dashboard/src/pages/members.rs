//! The members of an organization, and their roles.

use axum::{
    extract::{Path, Query, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    OperationError, can,
    members::{self, ListMembers, Member, UpdateMember},
};
use docwright_types::{account::Role, timestamp::parse_iso};
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    Dashboard,
    forms::{Form, is_stale, revision},
    parts::{self, ListQuery, ago, empty, nothing_found, problem, search, stored},
    project_context::OrganizationPlace,
    refusal::Refusal,
    words::{self, Done},
};

/// Members per page.
const PAGE: i64 = 50;

#[derive(Deserialize)]
pub(super) struct MemberPath {
    organization_id: String,
    account_id: String,
}

#[derive(Deserialize)]
pub(super) struct RoleForm {
    role: String,
    revision: Option<String>,
}

impl RoleForm {
    fn input(&self) -> Result<UpdateMember, OperationError> {
        let role = self.role.parse().map_err(OperationError::Invalid)?;
        Ok(UpdateMember { role, revision: revision(self.revision.as_deref())? })
    }
}

/// A change that was refused because someone else changed the member.
struct Stale {
    /// The member that is stored now.
    member: Member,
    /// The role that was chosen.
    role: String,
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Query(asked): Query<ListQuery>,
) -> Result<Response, Refusal> {
    show(&dashboard, &place, &asked, None, None).await
}

/// Changes the role of a member.
pub(super) async fn set_role(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Path(MemberPath { organization_id, account_id }): Path<MemberPath>,
    Form(form): Form<RoleForm>,
) -> Result<Response, Refusal> {
    let caller = place.caller.allowed()?;
    let operations = &dashboard.operations;
    let updated = match form.input() {
        Ok(input) => {
            members::update(operations, &caller, &organization_id, &account_id, &input).await
        }
        Err(error) => Err(error),
    };
    let Err(refusal) = updated.map_err(Refusal::from) else {
        return Ok(changed(&place, Done::RoleSaved));
    };
    let caller = place.caller.allowed()?;
    let member = members::get(operations, &caller, &organization_id, &account_id).await?;
    let is_stale = is_stale(&refusal, form.revision.as_deref(), member.revision);
    let sentence = refusal.into_problem()?;
    let stale = is_stale.then_some(Stale { member, role: form.role });
    show(&dashboard, &place, &ListQuery::default(), Some(&sentence), stale.as_ref()).await
}

/// Asks for confirmation before removing a member.
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
    let Err(refusal) = removed.map_err(Refusal::from) else {
        return Ok(changed(&place, Done::MemberRemoved));
    };
    let sentence = refusal.into_problem()?;
    show(&dashboard, &place, &ListQuery::default(), Some(&sentence), None).await
}

/// The list, after a change. Users who removed or demoted themselves see what they can still access.
fn changed(place: &OrganizationPlace, done: Done) -> Response {
    place.person.browser.done(done, &address(place))
}

async fn show(
    dashboard: &Dashboard,
    place: &OrganizationPlace,
    asked: &ListQuery,
    sentence: Option<&str>,
    stale: Option<&Stale>,
) -> Result<Response, Refusal> {
    let filter = ListMembers { email: None, search: asked.searched()? };
    let (caller, page) = (place.caller.allowed()?, asked.page(Some(PAGE))?);
    let id = &place.organization.id;
    let list = members::list(&dashboard.operations, &caller, id, &filter, &page).await?;
    let next = list.next_cursor.as_deref();
    let path = address(place);
    let is_admin = place.caller.can::<can::UpdateMember>();
    // The row of a stale change comes first, on whichever page of the list it is.
    let is_other =
        |each: &&Member| stale.is_none_or(|one| one.member.account_id != each.account_id);
    let others = list.items.iter().filter(is_other).map(|each| (each, each.role.name()));
    let first = stale.map(|stale| (&stale.member, stale.role.as_str()));
    let rows: Vec<_> = first.into_iter().chain(others).collect();
    let body = html! {
        h1 { (words::MEMBERS) }
        (problem(sentence))
        @if let Some(stale) = stale { (stored(&facts(&stale.member))) }
        @if is_admin {
            p.actions {
                a.button.primary href=(format!("/organizations/{}/invitations", place.organization.id)) {
                    (words::INVITE)
                }
            }
        }
        @if asked.is_long(rows.len(), next) { (search(&path, words::FIND_MEMBER, asked)) }
        @if rows.is_empty() && asked.is_all() {
            (empty(words::NO_MEMBERS, words::NO_MEMBERS_WHY, &Markup::default()))
        } @else if rows.is_empty() {
            (nothing_found(&path, asked))
        } @else {
            (table(dashboard, &rows, (&path, is_admin)))
        }
        (asked.pager(&path, next))
    };
    let status = if sentence.is_some() { StatusCode::CONFLICT } else { StatusCode::OK };
    Ok(place.page_with(status, "members", words::MEMBERS, &body))
}

fn facts(member: &Member) -> Markup {
    html! {
        dl.facts {
            dt { (words::NAME) } dd { (member.name) }
            dt { (words::ROLE) } dd { (words::role(member.role)) }
        }
    }
}

/// Members, each with the role that its form chooses.
fn table(
    dashboard: &Dashboard,
    rows: &[(&Member, &str)],
    (path, is_admin): (&str, bool),
) -> Markup {
    let now = dashboard.operations.now();
    html! {
        div.scroll tabindex="0" { table.people {
            thead { tr {
                th { (words::NAME) } th { (words::ROLE) } th.minor { (words::SINCE) }
                @if is_admin { th { span.unseen { (words::REMOVE) } } }
            } }
            tbody {
                @for (member, chosen) in rows {
                    @let one = format!("{path}/{}", member.account_id);
                    tr {
                        td { (member.name) div.soft { (member.email) } }
                        td {
                            @if is_admin {
                                form.inline method="post" action=(one) {
                                    (parts::revision(Some(&member.revision.to_string())))
                                    (roles(&format!("role-{}", member.account_id), &words::role_of(&member.name), chosen))
                                    button type="submit" { (words::CHANGE) }
                                }
                            } @else {
                                (words::role(member.role))
                            }
                        }
                        td.minor { (ago(now, parse_iso(&member.joined_at).unwrap_or_default())) }
                        @if is_admin {
                            td { a href=(format!("{one}/remove")) aria-label=(words::remove_member(&member.name)) { (words::REMOVE) } }
                        }
                    }
                }
            }
        } }
    }
}

/// A list of roles, with a label for screen readers.
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
