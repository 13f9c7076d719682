//! Whom an organisation asks to join.

use axum::{
    extract::{Path, Query, State},
    http::{Method, StatusCode},
    response::{IntoResponse, Redirect, Response},
};
use docwright_domain::{account::Role, timestamp::parse_iso};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::members::roles;
use crate::dashboard::{
    Dashboard,
    forms::Form,
    parts::{Asked, Field, ago, copied, nothing_found, problem, search},
    place::OrganizationPlace,
    refusal::Refusal,
    words,
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

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct List {
    invitations: Vec<Invitation>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Invitation {
    id: String,
    email: String,
    role: String,
    invited_by: String,
    expires_at: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    email: String,
    link: String,
    email_sent: bool,
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Query(asked): Query<Asked>,
) -> Result<Response, Refusal> {
    show(&dashboard, &place, (&asked, StatusCode::OK), &form(&place, None, None)).await
}

pub(super) async fn create(
    State(dashboard): State<Dashboard>,
    place: OrganizationPlace,
    Form(new): Form<NewInvitation>,
) -> Result<Response, Refusal> {
    let path = format!("/v1/organizations/{}/invitations", place.organization.id);
    let body = json!({ "email": new.email.trim(), "role": new.role });
    let (status, head) = match place.operations.send(Method::POST, &path, Some(body)).await {
        Ok(made) => {
            let made: Created = serde_json::from_value(made)
                .map_err(|error| Refusal::Failed(format!("{path}: {error}")))?;
            (StatusCode::CREATED, made_link(&place, &made))
        }
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            (StatusCode::BAD_REQUEST, form(&place, Some(&new), Some(&sentence)))
        }
    };
    show(&dashboard, &place, (&Asked::default(), status), &head).await
}

pub(super) async fn withdraw(
    place: OrganizationPlace,
    Path(InvitationPath { organization_id, invitation_id }): Path<InvitationPath>,
) -> Result<Response, Refusal> {
    let id: String = url::form_urlencoded::byte_serialize(invitation_id.as_bytes()).collect();
    let path = format!("/v1/organizations/{organization_id}/invitations/{id}");
    place.operations.send(Method::DELETE, &path, None).await?;
    Ok(Redirect::to(&address(&place)).into_response())
}

async fn show(
    dashboard: &Dashboard,
    place: &OrganizationPlace,
    (asked, status): (&Asked, StatusCode),
    head: &Markup,
) -> Result<Response, Refusal> {
    place.require(Role::Admin)?;
    let path = format!("/v1/organizations/{}/invitations", place.organization.id);
    let list: List =
        place.operations.get(&asked.operation(&path, &[("limit", Some("50"))])).await?;
    let next = list.next_cursor.as_deref();
    let now = dashboard.app.now();
    let path = address(place);
    let body = html! {
        h1 { (words::INVITE) }
        (head)
        h2 { (words::INVITATIONS) }
        @if asked.is_long(list.invitations.len(), next) { (search(&path, words::FIND_BY_EMAIL, asked)) }
        @if list.invitations.is_empty() && asked.is_all() {
            p { (words::NO_INVITATIONS) }
        } @else if list.invitations.is_empty() {
            (nothing_found(&path, asked))
        } @else {
            div.scroll { table {
                thead { tr {
                    th { (words::EMAIL) } th { (words::ROLE) } th { (words::INVITED_BY) } th { (words::GOOD_UNTIL) }
                    th { span.unseen { (words::WITHDRAW) } }
                } }
                tbody {
                    @for each in &list.invitations {
                        tr {
                            td { (each.email) }
                            td { (words::role_named(&each.role)) }
                            td { (each.invited_by) }
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
    let email = given.map_or("", |given| given.email.as_str());
    let role = given.map_or(Role::Viewer.name(), |given| given.role.as_str());
    html! {
        p { (words::INVITE_WHY) }
        (problem(sentence))
        form.wide method="post" action=(address(place)) {
            (Field::text("email", words::EMAIL, email).of("email", "off").show())
            div.field {
                label for="role" { (words::ROLE) }
                (roles("role", words::ROLE, role))
                p.hint { (words::ROLE_HINT) }
            }
            button.primary type="submit" { (words::MAKE_INVITATION) }
        }
    }
}

/// The link, which is shown here and nowhere else.
fn made_link(place: &OrganizationPlace, made: &Created) -> Markup {
    html! {
        div.notice role="status" {
            p { (words::invited(&made.email, made.email_sent)) }
            p { (copied(&made.link)) }
        }
        p.actions { a.button href=(address(place)) { (words::INVITE_ANOTHER) } }
    }
}

fn address(place: &OrganizationPlace) -> String {
    format!("/organizations/{}/invitations", place.organization.id)
}
