//! The second step of signing in.

use axum::{
    extract::{Query, State},
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
};
use docwright_storage::database::CodeUse;
use maud::html;
use serde::Deserialize;

use crate::dashboard::{
    Dashboard,
    forms::Form,
    frame,
    parts::{Field, problem},
    refusal::Refusal,
    session::{Browser, own_path},
    words,
};

#[derive(Deserialize)]
pub(super) struct Wanted {
    next: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Given {
    code: String,
    next: Option<String>,
}

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    browser: Browser,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Refusal> {
    match browser.session(&dashboard.app).await? {
        Some((session, _)) if !session.complete => {
            Ok(page(StatusCode::OK, wanted.next.as_deref(), None))
        }
        Some(_) => Ok(Redirect::to(own_path(wanted.next.as_deref())).into_response()),
        None => Ok(Redirect::to("/sign-in").into_response()),
    }
}

pub(super) async fn check(
    State(dashboard): State<Dashboard>,
    browser: Browser,
    Form(given): Form<Given>,
) -> Result<Response, Refusal> {
    let app = &dashboard.app;
    let next = given.next.as_deref();
    let Some((session, account)) = browser.session(app).await? else {
        return Ok(browser.forget("/sign-in"));
    };
    if session.complete {
        return Ok(Redirect::to(own_path(next)).into_response());
    }
    let Some(left) = app.database.count_attempt(&session, app.now()).await? else {
        return end(&dashboard, &account.id, &session.id).await;
    };
    let keyring = &app.repositories.keyring;
    match app.database.use_code(&account.id, &given.code, keyring, app.now()).await? {
        CodeUse::Right => browser.complete(app, &session, own_path(next)).await,
        _ if left == 0 => end(&dashboard, &account.id, &session.id).await,
        CodeUse::Wrong => Ok(page(StatusCode::FORBIDDEN, next, Some(words::WRONG_CODE))),
        CodeUse::TooMany => {
            Ok(page(StatusCode::TOO_MANY_REQUESTS, next, Some(words::TOO_MANY_CODES)))
        }
    }
}

/// Ends a session for which too many codes were tried.
async fn end(dashboard: &Dashboard, account: &str, session: &str) -> Result<Response, Refusal> {
    dashboard.app.database.end_session(account, session).await?;
    let body = html! {
        h1 { (words::CODE_TITLE) }
        (problem(Some(words::LAST_CODE)))
        p { a href="/sign-in" { (words::SIGN_IN) } }
    };
    Ok(frame::alone(StatusCode::FORBIDDEN, words::CODE_TITLE, &body))
}

fn page(status: StatusCode, next: Option<&str>, sentence: Option<&str>) -> Response {
    let body = html! {
        h1 { (words::CODE_TITLE) }
        p { (words::CODE_WHY) }
        (problem(sentence))
        form method="post" action="/sign-in/code" {
            @if let Some(next) = next { input type="hidden" name="next" value=(next); }
            (Field::text("code", words::CODE, "").of("text", "one-time-code").hint(words::CODE_HINT).show())
            button.primary type="submit" { (words::CONTINUE) }
        }
        form method="post" action="/sign-out" {
            button.quiet type="submit" { (words::OTHER_ACCOUNT) }
        }
    };
    frame::alone(status, words::CODE_TITLE, &body)
}
