//! Signing in and out.

use axum::{
    extract::{Query, State},
    http::StatusCode,
    response::Response,
};
use docwright_domain::{
    account::{Email, LONGEST_PASSWORD, SHORTEST_PASSWORD},
    token::Token,
};
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    client::network,
    dashboard::{
        Dashboard,
        forms::Form,
        frame,
        operations::with_query,
        parts::{Field, problem},
        refusal::Refusal,
        session::{Browser, By, own_path},
        words,
    },
    password,
};

/// A hash of a password that nobody has: who asks for an account that does not exist waits as long.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$MTIzNDU2Nzg5MDEyMzQ1Ng$PzZ2cZCgBQ1yqMK0HqLRU0KJx8rGgQ3cQEZ4M2s1h6c";
/// Longest name of a person, in characters.
const LONGEST_NAME: usize = 200;

#[derive(Deserialize)]
pub(super) struct Wanted {
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
}

/// Somebody who is to have an account.
#[derive(Deserialize)]
pub(super) struct NewPerson {
    pub(super) name: String,
    pub(super) email: String,
    pub(super) password: String,
}

impl NewPerson {
    /// The address and the name, if all of it can be; otherwise what is wrong.
    pub(super) fn checked(&self) -> Result<(Email, String), String> {
        let name = self.name.trim();
        if !is_name(name) {
            return Err(words::NAME_WRONG.to_owned());
        }
        let email = self.email.parse::<Email>();
        let email = email.map_err(|error| crate::error::sentence(&error))?;
        check_password(&self.password)?;
        Ok((email, name.to_owned()))
    }
}

/// Whether a password may be one.
pub(super) fn check_password(password: &str) -> Result<(), String> {
    match password.chars().count() {
        length if length < SHORTEST_PASSWORD => Err(words::PASSWORD_SHORT.to_owned()),
        length if length > LONGEST_PASSWORD => Err(words::PASSWORD_LONG.to_owned()),
        _ => Ok(()),
    }
}

/// Whether somebody can be called that.
pub(super) fn is_name(name: &str) -> bool {
    (1..=LONGEST_NAME).contains(&name.chars().count()) && !name.chars().any(char::is_control)
}

/// The fields of somebody who is to have an account.
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
    Query(wanted): Query<Wanted>,
) -> Response {
    let body = form(&dashboard, "", wanted.next.as_deref(), None);
    frame::alone(StatusCode::OK, words::SIGN_IN, &body)
}

pub(super) async fn sign_in(
    State(dashboard): State<Dashboard>,
    browser: Browser,
    Form(given): Form<Credentials>,
) -> Result<Response, Refusal> {
    let app = &dashboard.app;
    let next = given.next.as_deref();
    let again = |status, sentence| {
        let body = form(&dashboard, &given.email, next, Some(sentence));
        Ok(frame::alone(status, words::SIGN_IN, &body))
    };
    let client = browser.address.map(network);
    let known = given.email.trim().to_lowercase();
    if !app.refusals.allow(client, &known) {
        return again(StatusCode::TOO_MANY_REQUESTS, words::TOO_MANY_SIGN_INS);
    }
    let found = match given.email.parse::<Email>() {
        Ok(email) => app.database.account_of_email(&email).await?,
        Err(_) => None,
    };
    let (account, hash) = found.unzip();
    let hash = hash.flatten();
    let is_known = hash.is_some();
    let hash = hash.unwrap_or_else(|| NOBODY.to_owned());
    let is_right = password::is_right(&known, hash, given.password.clone()).await?;
    if let Some(account) = account.filter(|_| is_right && is_known) {
        return browser.begin(app, &account.id, By::Secret, own_path(next)).await;
    }
    app.refusals.count(client, &known);
    again(StatusCode::FORBIDDEN, words::WRONG_SIGN_IN)
}

/// A link is opened by programs that look into mail, too: it signs in only who presses the button.
pub(super) async fn link(Query(link): Query<Link>) -> Response {
    let body = html! {
        h1 { (words::SIGN_IN) }
        form method="post" action="/sign-in/link" {
            input type="hidden" name="token" value=(link.token);
            button.primary type="submit" { (words::SIGN_IN) }
        }
    };
    frame::alone(StatusCode::OK, words::SIGN_IN, &body)
}

pub(super) async fn use_link(
    State(dashboard): State<Dashboard>,
    browser: Browser,
    Form(link): Form<Link>,
) -> Result<Response, Refusal> {
    let app = &dashboard.app;
    let account = match Token::parse(&link.token) {
        Some(token) => app.database.use_sign_in_link(&token, app.now()).await?,
        None => None,
    };
    let account = account.ok_or_else(|| Refusal::Forbidden(words::LINK_IS_USED.to_owned()))?;
    browser.begin(app, &account, By::Secret, "/").await
}

pub(super) async fn sign_out(
    State(dashboard): State<Dashboard>,
    browser: Browser,
) -> Result<Response, Refusal> {
    let app = &dashboard.app;
    if let Some((session, account)) = browser.session(app).await? {
        app.database.end_session(&account.id, &session.id).await?;
    }
    Ok(browser.forget("/sign-in"))
}

fn form(dashboard: &Dashboard, email: &str, next: Option<&str>, sentence: Option<&str>) -> Markup {
    let provider = dashboard.app.provider.as_ref();
    html! {
        h1 { (words::SIGN_IN) }
        (problem(sentence))
        form method="post" action="/sign-in" {
            @if let Some(next) = next { input type="hidden" name="next" value=(next); }
            (Field::text("email", words::EMAIL, email).of("email", "username").show())
            (Field::text("password", words::PASSWORD, "").of("password", "current-password").show())
            button.primary type="submit" { (words::SIGN_IN) }
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
