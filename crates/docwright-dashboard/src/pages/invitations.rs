//! The invitations of an organization.

use axum::{
    extract::{Path, Query, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    OperationError,
    fields::field,
    invitations::{self, CreateInvitation, CreatedInvitation, ListInvitations},
};
use docwright_types::{account::Role, timestamp::parse_iso};
use maud::{Markup, html};
use serde::Deserialize;

use super::members::roles;
use crate::{
    Dashboard,
    forms::Form,
    parts::{Field, FormError, ListQuery, ago, copied, nothing_found, search},
    project_context::OrganizationPlace,
    refusal::Refusal,
    words::{self, Done},
};

#[derive(Deserialize)]
pub(super) struct InvitationPath {
    organization_id: String,
    invitation_id: String,
}

#[derive(Deserialize)]
pub(super) struct NewInvitation {
    email: String,
    role: String,
}

impl NewInvitation {
    fn input(&self) -> Result<CreateInvitation, OperationError> {
        let role = self.role.parse().map_err(OperationError::Invalid)?;
        Ok(CreateInvitation { email: field("email", self.email.trim())?, role })
    }
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Query(asked): Query<ListQuery>,
) -> Result<Response, Refusal> {
    show(&dashboard, &place, (&asked, StatusCode::OK), &form(&place, None, None)).await
}

pub(super) async fn create(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Form(new): Form<NewInvitation>,
) -> Result<Response, Refusal> {
    let caller = place.caller.allowed()?;
    let created = match new.input() {
        Ok(input) => {
            invitations::create(&dashboard.operations, &caller, &place.organization.id, input).await
        }
        Err(error) => Err(error),
    };
    let (status, head) = match created.map_err(Refusal::from) {
        Ok(created) => (StatusCode::CREATED, created_link(&place, &created)),
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            (StatusCode::BAD_REQUEST, form(&place, Some(&new), Some(&sentence)))
        }
    };
    show(&dashboard, &place, (&ListQuery::default(), status), &head).await
}

pub(super) async fn withdraw(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Path(InvitationPath { organization_id, invitation_id }): Path<InvitationPath>,
) -> Result<Response, Refusal> {
    let caller = place.caller.allowed()?;
    invitations::delete(&dashboard.operations, &caller, &organization_id, &invitation_id).await?;
    Ok(place.person.browser.done(Done::InvitationWithdrawn, &address(&place)))
}

async fn show(
    dashboard: &Dashboard,
    place: &OrganizationPlace,
    (asked, status): (&ListQuery, StatusCode),
    head: &Markup,
) -> Result<Response, Refusal> {
    let filter = ListInvitations { search: asked.searched()? };
    let (caller, page) = (place.caller.allowed()?, asked.page(Some(50))?);
    let id = &place.organization.id;
    let list = invitations::list(&dashboard.operations, &caller, id, &filter, &page).await?;
    let next = list.next_cursor.as_deref();
    let now = dashboard.operations.now();
    let path = address(place);
    let body = html! {
        h1 { (words::INVITE) }
        (head)
        h2 { (words::INVITATIONS) }
        @if asked.is_long(list.items.len(), next) { (search(&path, words::FIND_BY_EMAIL, asked)) }
        @if list.items.is_empty() && asked.is_all() {
            p { (words::NO_INVITATIONS) }
        } @else if list.items.is_empty() {
            (nothing_found(&path, asked))
        } @else {
            div.scroll tabindex="0" { table.people {
                thead { tr {
                    th { (words::EMAIL) } th { (words::ROLE) } th.minor { (words::INVITED_BY) } th { (words::GOOD_UNTIL) }
                    th { span.unseen { (words::WITHDRAW) } }
                } }
                tbody {
                    @for each in &list.items {
                        tr {
                            td { (each.email) }
                            td { (words::role(each.role)) }
                            td.minor { (each.invited_by) }
                            td { (ago(now, parse_iso(&each.expires_at).unwrap_or_default())) }
                            td {
                                form method="post" action=(format!("{path}/{}/withdraw", each.id)) {
                                    button type="submit" aria-label=(words::withdraw(&each.email)) { (words::WITHDRAW) }
                                }
                            }
                        }
                    }
                }
            } }
            (asked.pager(&path, next))
        }
    };
    Ok(place.page_with(status, "members", words::INVITE, &body))
}

fn form(
    place: &OrganizationPlace,
    given: Option<&NewInvitation>,
    sentence: Option<&str>,
) -> Markup {
    let error = FormError::of(sentence, &[("email", "email", words::EMAIL)]);
    let email = given.map_or("", |given| given.email.as_str());
    let role = given.map_or(Role::Viewer.name(), |given| given.role.as_str());
    html! {
        p { (words::INVITE_WHY) }
        (error.show())
        form.wide method="post" action=(address(place)) {
            (Field::text("email", words::EMAIL, email).of("email", "off").checked(&error).show())
            div.field {
                label for="role" { (words::ROLE) }
                (roles("role", words::ROLE, role))
                p.hint { (words::ROLE_HINT) }
            }
            button.primary type="submit" { (words::MAKE_INVITATION) }
        }
    }
}

/// The link, which is shown only here.
fn created_link(place: &OrganizationPlace, created: &CreatedInvitation) -> Markup {
    html! {
        div.notice role="status" {
            p { (words::invited(&created.invitation.email, created.email_sent)) }
            p { (copied(&created.link)) }
        }
        p.actions { a.button href=(address(place)) { (words::INVITE_ANOTHER) } }
    }
}

fn address(place: &OrganizationPlace) -> String {
    format!("/organizations/{}/invitations", place.organization.id)
}
