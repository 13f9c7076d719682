//! Sign-in and sign-out.

use axum::{
    extract::{Query, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    OperationError,
    audit::Change,
    callers::{
        links,
        passkeys::relying_party,
        passwords::{self, PasswordRefusal},
        sessions::{self, SignInMethod},
    },
    password,
};
use docwright_types::account::{Email, LONGEST_PASSWORD, SHORTEST_PASSWORD, is_name};
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    Dashboard,
    forms::Form,
    frame,
    parts::{Field, problem},
    paths::with_query,
    refusal::Refusal,
    session::{Browser, own_path},
    words,
};

#[derive(Deserialize)]
pub(super) struct SignInQuery {
    next: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Credentials {
    email: String,
    password: String,
    next: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Link {
    token: String,
    /// The new password; empty to keep the current one.
    #[serde(default)]
    password: String,
}

/// A person who is creating an account.
#[derive(Deserialize)]
pub(super) struct NewPerson {
    pub(super) name: String,
    pub(super) email: String,
    pub(super) password: String,
}

impl NewPerson {
    /// The email address and the name, if they are valid; otherwise the error.
    pub(super) fn checked(&self) -> Result<(Email, String), String> {
        let name = check_name(&self.name)?;
        let email = self.email.parse::<Email>();
        let email = email.map_err(|error| docwright_operations::error::sentence(&error))?;
        check_password(&self.password)?;
        Ok((email, name.to_owned()))
    }
}

/// The name of a person, if it is valid.
pub(super) fn check_name(given: &str) -> Result<&str, &'static str> {
    let name = given.trim();
    if is_name(name) { Ok(name) } else { Err(words::NAME_WRONG) }
}

/// Whether a password is valid.
pub(super) fn check_password(password: &str) -> Result<(), String> {
    match password.chars().count() {
        length if length < SHORTEST_PASSWORD => Err(words::PASSWORD_SHORT.to_owned()),
        length if length > LONGEST_PASSWORD => Err(words::PASSWORD_LONG.to_owned()),
        _ => Ok(()),
    }
}

/// The form fields for a new account.
pub(super) fn person_fields(given: Option<&NewPerson>) -> Markup {
    let (name, email) = given.map_or(("", ""), |given| (given.name.as_str(), given.email.as_str()));
    html! {
        (Field::text("name", words::NAME, name).of("text", "name").show())
        (Field::text("email", words::EMAIL, email).of("email", "username").show())
        (Field::text("password", words::PASSWORD, "").of("password", "new-password").hint(words::PASSWORD_HINT).show())
    }
}

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    Query(wanted): Query<SignInQuery>,
) -> Response {
    let body = form(&dashboard, "", wanted.next.as_deref(), None);
    frame::alone(StatusCode::OK, words::SIGN_IN, &body)
}

pub(super) async fn sign_in(
    State(dashboard): State<Dashboard>,
    browser: Browser,
    Form(given): Form<Credentials>,
) -> Result<Response, Refusal> {
    let (operations, client) = (&dashboard.operations, &browser.client);
    let next = given.next.as_deref();
    let again = |status, sentence: &str| {
        let body = form(&dashboard, &given.email, next, Some(sentence));
        Ok(frame::alone(status, words::SIGN_IN, &body))
    };
    match passwords::check(operations, client, &given.email, &given.password).await {
        Ok(Ok(account)) => {
            browser.begin(operations, &account.id, SignInMethod::Secret, own_path(next)).await
        }
        Ok(Err(PasswordRefusal::Wrong)) => again(StatusCode::FORBIDDEN, words::WRONG_SIGN_IN),
        Ok(Err(PasswordRefusal::TooMany)) => {
            again(StatusCode::TOO_MANY_REQUESTS, words::TOO_MANY_SIGN_INS)
        }
        Err(OperationError::Busy(sentence)) => again(StatusCode::TOO_MANY_REQUESTS, &sentence),
        Err(other) => Err(other.into()),
    }
}

/// Mail scanners open links too, so only pressing the button signs in.
pub(super) async fn link(Query(link): Query<Link>) -> Response {
    frame::alone(StatusCode::OK, words::SIGN_IN, &link_form(&link.token, None))
}

pub(super) async fn use_link(
    State(dashboard): State<Dashboard>,
    browser: Browser,
    Form(link): Form<Link>,
) -> Result<Response, Refusal> {
    let operations = &dashboard.operations;
    let over = || Refusal::Forbidden(words::LINK_IS_USED.to_owned());
    let found = links::find(operations, &link.token).await?.ok_or_else(over)?;
    let mut password = None;
    if !link.password.is_empty() {
        if let Err(sentence) = check_password(&link.password) {
            let body = link_form(&link.token, Some(&sentence));
            return Ok(frame::alone(StatusCode::BAD_REQUEST, words::SIGN_IN, &body));
        }
        // Before the link is used up, since this step can fail.
        password = Some(password::hash(&browser.client.party(), link.password).await?);
    }
    let account = found.use_up(operations).await?.ok_or_else(over)?;
    if let Some(password) = password {
        let (actor, change) =
            ((account.id.as_str(), account.email.as_str()), Change::of("account.password", None));
        let database = browser.client.recording(operations, actor, change);
        database.set_password(&account.id, &password, "").await?;
    }
    browser.begin(operations, &account.id, SignInMethod::Secret, "/").await
}

fn link_form(token: &str, sentence: Option<&str>) -> Markup {
    html! {
        h1 { (words::SIGN_IN) }
        (problem(sentence))
        form method="post" action="/sign-in/link" {
            input type="hidden" name="token" value=(token);
            (Field::text("password", words::NEW_PASSWORD, "").of("password", "new-password")
                .hint(words::LINK_PASSWORD_HINT).optional().show())
            button.primary type="submit" { (words::SIGN_IN) }
        }
    }
}

pub(super) async fn sign_out(
    State(dashboard): State<Dashboard>,
    browser: Browser,
) -> Result<Response, Refusal> {
    let operations = &dashboard.operations;
    sessions::end(operations, &browser.client).await?;
    Ok(browser.forget("/sign-in"))
}

fn form(dashboard: &Dashboard, email: &str, next: Option<&str>, sentence: Option<&str>) -> Markup {
    let provider = dashboard.provider.as_ref();
    let has_passkeys = relying_party(&dashboard.operations).is_some();
    html! {
        h1 { (words::SIGN_IN) }
        (problem(sentence))
        form method="post" action="/sign-in" {
            @if let Some(next) = next { input type="hidden" name="next" value=(next); }
            (Field::text("email", words::EMAIL, email).of("email", "username").show())
            (Field::text("password", words::PASSWORD, "").of("password", "current-password").show())
            button.primary type="submit" { (words::SIGN_IN) }
        }
        p.other { a href="/sign-in/forgot" { (words::FORGOT_PASSWORD) } }
        @if has_passkeys {
            p.other {
                a.button href=(with_query("/sign-in/passkey", &[("next", next)])) { (words::SIGN_IN_WITH_PASSKEY) }
            }
        }
        @if let Some(provider) = provider {
            p.other {
                a.button href=(with_query("/sign-in/provider", &[("next", next)])) {
                    (words::sign_in_with(&provider.name()))
                }
            }
        }
    }
}
