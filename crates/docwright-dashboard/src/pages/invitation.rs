//! An invitation, as the person with its link sees it.

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
};
use docwright_operations::{
    audit::Change, callers::sessions::SignInMethod, failed_sign_ins::SignInRefusal, password,
};
use docwright_storage::database::{self, NewAccount};
use docwright_types::{account::Email, token::Token};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::sign_in::NewPerson;

use crate::{
    Dashboard,
    forms::Form,
    frame,
    parts::{Field, problem},
    paths::with_query,
    refusal::Refusal,
    session::{Browser, SignedIn},
    words,
};

/// What a new member enters; empty for a signed-in user.
#[derive(Default, Deserialize)]
pub(super) struct InvitationForm {
    #[serde(default)]
    name: String,
    #[serde(default)]
    password: String,
}

/// A valid invitation, and its path.
struct Invitation {
    token: Token,
    row: database::Invitation,
    organization: String,
    email: Email,
}

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    Path(token): Path<String>,
    person: Result<SignedIn, Refusal>,
) -> Result<Response, Refusal> {
    let Some(invitation) = find(&dashboard, &token).await? else { return Ok(over()) };
    let body = match &person {
        Ok(person) if person.account.email == invitation.row.email => join(&invitation),
        Ok(person) => someone_else(&invitation, &person.account.email),
        Err(Refusal::SignedOut(_)) if has_account(&dashboard, &invitation).await? => {
            known(&invitation)
        }
        Err(Refusal::SignedOut(_)) => form(&invitation, "", None),
        Err(_) => return person.map(|_| over()),
    };
    Ok(page(StatusCode::OK, &invitation, &body))
}

pub(super) async fn accept(
    State(dashboard): State<Dashboard>,
    Path(token): Path<String>,
    browser: Browser,
    person: Result<SignedIn, Refusal>,
    Form(answer): Form<InvitationForm>,
) -> Result<Response, Refusal> {
    let operations = &dashboard.operations;
    let Some(invitation) = find(&dashboard, &token).await? else {
        operations.failed_sign_ins.record(SignInRefusal::Link, None);
        return Ok(over());
    };
    let (organization, email) = (invitation.row.organization_id.as_str(), &invitation.email);
    let home = format!("/organizations/{organization}");
    let recording = |id: &str| {
        let after = json!({ "email": email.as_str(), "role": invitation.row.role.name() });
        let change = Change::of("invitation.accept", Some(organization)).after(after);
        browser.client.recording(operations, (id, email.as_str()), change)
    };
    match person {
        Ok(person) if person.account.email == invitation.row.email => {
            let database = recording(&person.account.id);
            let known = Ok(&person.account);
            let joined =
                database.accept_invitation(&invitation.token, known, operations.now()).await?;
            return Ok(joined.map_or_else(over, |_| Redirect::to(&home).into_response()));
        }
        Ok(person) => {
            let body = someone_else(&invitation, &person.account.email);
            return Ok(page(StatusCode::FORBIDDEN, &invitation, &body));
        }
        Err(Refusal::SignedOut(_)) => {}
        Err(other) => return Err(other),
    }
    if has_account(&dashboard, &invitation).await? {
        return Ok(Redirect::to(&sign_in(&invitation)).into_response());
    }
    let InvitationForm { name, password } = answer;
    let wanted = NewPerson { name, email: email.to_string(), password };
    let (email, name) = match wanted.checked() {
        Ok(checked) => checked,
        Err(sentence) => {
            let body = form(&invitation, &wanted.name, Some(&sentence));
            return Ok(page(StatusCode::BAD_REQUEST, &invitation, &body));
        }
    };
    let password = password::hash(&browser.client.party(), wanted.password).await?;
    let new = NewAccount { email, name, password: Some(password) };
    let token = &invitation.token;
    match recording("").accept_invitation(token, Err(&new), operations.now()).await? {
        Some((_, account)) => {
            browser.begin(operations, &account.id, SignInMethod::Secret, &home).await
        }
        None => Ok(over()),
    }
}

async fn find(dashboard: &Dashboard, token: &str) -> Result<Option<Invitation>, Refusal> {
    let database = &dashboard.operations.database;
    let Some(token) = Token::parse(token) else { return Ok(None) };
    let found = database.invitation(&token, dashboard.operations.now()).await?;
    let Some(row) = found else { return Ok(None) };
    let organization = database.organization(&row.organization_id).await?;
    let Some(organization) = organization else { return Ok(None) };
    let email = row.email.parse().map_err(Refusal::Failed)?;
    Ok(Some(Invitation { token, organization: organization.name, email, row }))
}

async fn has_account(dashboard: &Dashboard, invitation: &Invitation) -> Result<bool, Refusal> {
    Ok(dashboard.operations.database.account_of_email(&invitation.email).await?.is_some())
}

fn page(status: StatusCode, invitation: &Invitation, body: &Markup) -> Response {
    let Invitation { row, organization, .. } = invitation;
    let body = html! {
        h1 { (words::join(organization)) }
        p { (words::invitation_by(&row.invited_by, row.role)) }
        (body)
    };
    frame::alone(status, words::INVITATION, &body)
}

fn over() -> Response {
    let body = html! {
        h1 { (words::INVITATION_IS_OVER) }
        p { (words::INVITATION_IS_OVER_WHY) }
        p { a href="/" { (words::BACK_HOME) } }
    };
    frame::alone(StatusCode::NOT_FOUND, words::INVITATION, &body)
}

fn join(invitation: &Invitation) -> Markup {
    html! {
        form method="post" action=(path(invitation)) {
            button.primary type="submit" { (words::JOIN) }
        }
    }
}

fn someone_else(invitation: &Invitation, email: &str) -> Markup {
    html! {
        p.problem role="alert" { (words::invited_is(&invitation.row.email, email)) }
        form method="post" action="/sign-out" { button type="submit" { (words::SIGN_OUT) } }
    }
}

fn known(invitation: &Invitation) -> Markup {
    html! {
        p { (words::HAS_ACCOUNT) " " strong { (invitation.row.email) } }
        p.actions { a.button.primary href=(sign_in(invitation)) { (words::SIGN_IN) } }
    }
}

fn form(invitation: &Invitation, name: &str, sentence: Option<&str>) -> Markup {
    html! {
        (problem(sentence))
        form method="post" action=(path(invitation)) {
            // Password managers store it with the password.
            input type="hidden" name="email" value=(invitation.row.email) autocomplete="username";
            p { (words::EMAIL) ": " strong { (invitation.row.email) } }
            (Field::text("name", words::NAME, name).of("text", "name").show())
            (Field::text("password", words::PASSWORD, "").of("password", "new-password").hint(words::PASSWORD_HINT).show())
            button.primary type="submit" { (words::CREATE_ACCOUNT) }
        }
    }
}

fn path(invitation: &Invitation) -> String {
    format!("/invitations/{}", invitation.token.reveal())
}

fn sign_in(invitation: &Invitation) -> String {
    with_query("/sign-in", &[("next", Some(&path(invitation)))])
}
