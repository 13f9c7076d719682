//! The account page: name, password, and sessions.

use axum::{extract::State, http::StatusCode, response::Response};
use docwright_operations::{
    OperationError,
    audit::Change,
    callers::passwords::{self, PasswordRefusal},
    password,
};
use docwright_types::account::Email;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::sign_in::{check_name, check_password};

use crate::{
    Dashboard,
    forms::Form,
    frame::{self, Frame},
    parts::{Field, ago, browser_name, problem},
    refusal::Refusal,
    session::SignedIn,
    words::{self, Done},
};

#[derive(Deserialize)]
pub(super) struct SessionForm {
    /// All other sessions, if none is named.
    session: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct NewName {
    name: String,
}

#[derive(Deserialize)]
pub(super) struct NewPassword {
    /// The current password.
    password: String,
    new: String,
}

/// The result of a form, and the part of the page it belongs to.
#[derive(Clone, Copy)]
enum Outcome<'a> {
    Nothing,
    PasswordChanged,
    NameWrong(&'a str),
    PasswordWrong(&'a str),
}

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
) -> Result<Response, Refusal> {
    page(&dashboard, &person, (StatusCode::OK, Outcome::Nothing)).await
}

pub(super) async fn rename(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
    Form(new): Form<NewName>,
) -> Result<Response, Refusal> {
    let name = match check_name(&new.name) {
        Ok(name) => name,
        Err(sentence) => {
            let outcome = (StatusCode::BAD_REQUEST, Outcome::NameWrong(sentence));
            return page(&dashboard, &person, outcome).await;
        }
    };
    let [before, after] = [person.account.name.as_str(), name].map(|name| json!({ "name": name }));
    let change = Change::of("account.update", None).before(before).after(after);
    let database = person.recording(&dashboard.operations, change);
    database.rename_account(&person.account.id, name).await?;
    Ok(person.browser.done(Done::Saved, "/account"))
}

/// Changes the password and ends all other sessions, so anyone who knew the old password loses access.
pub(super) async fn change_password(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
    Form(given): Form<NewPassword>,
) -> Result<Response, Refusal> {
    let (operations, account) = (&dashboard.operations, &person.account);
    let client = &person.browser.client;
    let again = |status, sentence| (status, Outcome::PasswordWrong(sentence));
    if let Err(sentence) = check_password(&given.new) {
        let outcome = again(StatusCode::BAD_REQUEST, &sentence);
        return page(&dashboard, &person, outcome).await;
    }
    match passwords::check(operations, client, &account.email, &given.password).await {
        Ok(Ok(_)) => {}
        Ok(Err(PasswordRefusal::Wrong)) => {
            let outcome = again(StatusCode::FORBIDDEN, words::OLD_PASSWORD_WRONG);
            return page(&dashboard, &person, outcome).await;
        }
        Ok(Err(PasswordRefusal::TooMany)) => {
            let outcome = again(StatusCode::TOO_MANY_REQUESTS, words::TOO_MANY_SIGN_INS);
            return page(&dashboard, &person, outcome).await;
        }
        Err(OperationError::Busy(sentence)) => {
            let outcome = again(StatusCode::TOO_MANY_REQUESTS, &sentence);
            return page(&dashboard, &person, outcome).await;
        }
        Err(other) => return Err(other.into()),
    }
    let hash = password::hash(&client.party(), given.new).await?;
    let database = person.recording(operations, Change::of("account.password", None));
    database.set_password(&account.id, &hash, &person.session.id).await?;
    page(&dashboard, &person, (StatusCode::OK, Outcome::PasswordChanged)).await
}

pub(super) async fn end_session(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
    Form(which): Form<SessionForm>,
) -> Result<Response, Refusal> {
    let (database, account) = (&dashboard.operations.database, &person.account.id);
    match which.session {
        Some(id) => drop(database.end_session(account, &id).await?),
        None => drop(database.end_other_sessions(account, &person.session.id).await?),
    }
    Ok(person.browser.done(Done::SessionEnded, "/account"))
}

async fn page(
    dashboard: &Dashboard,
    person: &SignedIn,
    (status, outcome): (StatusCode, Outcome<'_>),
) -> Result<Response, Refusal> {
    let database = &dashboard.operations.database;
    let email: Email = person.account.email.parse().map_err(Refusal::Failed)?;
    let known = database.account_of_email(&email).await?;
    let has_password = known.is_some_and(|(_, password)| password.is_some());
    let body = html! {
        h1 { (words::ACCOUNT) }
        dl.facts { dt { (words::EMAIL) } dd { (person.account.email) } }
        p { a href="/account/security" { (words::SECURITY) } }
        p { a href="/account/tokens" { (words::PERSONAL_TOKENS) } }
        (name_form(&person.account.name, outcome))
        h2 { (words::PASSWORD) }
        @if has_password { (password_form(&person.account.email, outcome)) } @else { p { (words::NO_PASSWORD) } }
        (sessions(dashboard, person).await?)
        h2 { (words::DANGER) }
        p { (words::DELETE_OWN_ACCOUNT_WHY) }
        p { a.button.danger href="/account/delete" { (words::DELETE_OWN_ACCOUNT) } }
    };
    let frame = Frame { person, organization: None, project: None, section: "account" };
    Ok(frame::page(status, &frame, words::ACCOUNT, &body))
}

fn name_form(name: &str, outcome: Outcome<'_>) -> Markup {
    let sentence = if let Outcome::NameWrong(sentence) = outcome { Some(sentence) } else { None };
    html! {
        (problem(sentence))
        form.wide method="post" action="/account/name" {
            (Field::text("name", words::NAME, name).of("text", "name").show())
            button type="submit" { (words::SAVE_NAME) }
        }
    }
}

fn password_form(email: &str, outcome: Outcome<'_>) -> Markup {
    let sentence =
        if let Outcome::PasswordWrong(sentence) = outcome { Some(sentence) } else { None };
    html! {
        @if matches!(outcome, Outcome::PasswordChanged) {
            p.notice role="status" { (words::PASSWORD_CHANGED) }
        }
        (problem(sentence))
        form.wide method="post" action="/account/password" {
            // Password managers store it with the password.
            input type="hidden" name="email" value=(email) autocomplete="username";
            (Field::text("password", words::OLD_PASSWORD, "").of("password", "current-password").show())
            (Field::text("new", words::NEW_PASSWORD, "").of("password", "new-password").hint(words::PASSWORD_HINT).show())
            button type="submit" { (words::CHANGE_PASSWORD) }
        }
    }
}

async fn sessions(dashboard: &Dashboard, person: &SignedIn) -> Result<Markup, Refusal> {
    let now = dashboard.operations.now();
    let sessions = dashboard.operations.database.sessions(&person.account.id, now).await?;
    Ok(html! {
        h2 { (words::SESSIONS) }
        ul.rows {
            @for session in &sessions {
                @let name = browser_name(&session.user_agent);
                li {
                    span.grow title=(session.user_agent) { (name) }
                    @if let Some(address) = &session.address { code { (address) } }
                    span.soft { (ago(now, session.seen_at)) }
                    @if session.id == person.session.id {
                        strong { (words::THIS_SESSION) }
                    } @else {
                        form method="post" action="/account/sessions/end" {
                            input type="hidden" name="session" value=(session.id);
                            button type="submit" aria-label=(words::end_session(&name)) { (words::END_SESSION) }
                        }
                    }
                }
            }
        }
        @if sessions.len() > 1 {
            form method="post" action="/account/sessions/end" {
                button type="submit" { (words::END_OTHERS) }
            }
        }
    })
}
