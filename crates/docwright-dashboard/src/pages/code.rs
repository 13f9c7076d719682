//! The second factor of a sign-in.

use axum::{
    extract::{Query, State},
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
};
use docwright_operations::callers::{
    passkeys::relying_party,
    second_factor::{self, CodeRefusal, SecondFactorRefusal},
};
use docwright_storage::database::Account;
use maud::html;
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
pub(super) struct CodeQuery {
    next: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct CodeForm {
    code: String,
    next: Option<String>,
}

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    browser: Browser,
    Query(wanted): Query<CodeQuery>,
) -> Result<Response, Refusal> {
    match browser.session(&dashboard.operations).await? {
        Some((session, account)) if !session.complete => {
            page(&dashboard, &account, (StatusCode::OK, wanted.next.as_deref(), None)).await
        }
        Some(_) => Ok(Redirect::to(own_path(wanted.next.as_deref())).into_response()),
        None => Ok(Redirect::to("/sign-in").into_response()),
    }
}

pub(super) async fn check(
    State(dashboard): State<Dashboard>,
    browser: Browser,
    Form(given): Form<CodeForm>,
) -> Result<Response, Refusal> {
    let operations = &dashboard.operations;
    let next = given.next.as_deref();
    let Some((session, account)) = browser.session(operations).await? else {
        return Ok(browser.forget("/sign-in"));
    };
    if session.complete {
        return Ok(Redirect::to(own_path(next)).into_response());
    }
    match second_factor::check_code(operations, (&session, &account), &given.code).await? {
        Ok(()) => browser.complete(operations, &session, own_path(next)).await,
        Err(SecondFactorRefusal::Ended) => Ok(ended()),
        Err(SecondFactorRefusal::Refused(CodeRefusal::Wrong)) => {
            let problem = (StatusCode::FORBIDDEN, next, Some(words::WRONG_CODE));
            page(&dashboard, &account, problem).await
        }
        Err(SecondFactorRefusal::Refused(CodeRefusal::TooMany)) => {
            let problem = (StatusCode::TOO_MANY_REQUESTS, next, Some(words::TOO_MANY_CODES));
            page(&dashboard, &account, problem).await
        }
    }
}

/// The page after too many wrong codes or passkeys, which ended the session.
pub(super) fn ended() -> Response {
    let body = html! {
        h1 { (words::CODE_TITLE) }
        (problem(Some(words::LAST_CODE)))
        p { a href="/sign-in" { (words::SIGN_IN) } }
    };
    frame::alone(StatusCode::FORBIDDEN, words::CODE_TITLE, &body)
}

async fn page(
    dashboard: &Dashboard,
    account: &Account,
    (status, next, sentence): (StatusCode, Option<&str>, Option<&str>),
) -> Result<Response, Refusal> {
    let operations = &dashboard.operations;
    let has_app = operations.database.has_totp(&account.id).await?;
    let has_passkey = relying_party(operations).is_some()
        && !operations.database.passkeys(&account.id).await?.is_empty();
    let (why, field) = if has_app {
        (words::CODE_WHY, Field::text("code", words::CODE, "").hint(words::CODE_HINT))
    } else if has_passkey {
        (words::CODE_WHY_PASSKEY, Field::text("code", words::RECOVERY_CODE, ""))
    } else {
        (words::CODE_WHY_RECOVERY, Field::text("code", words::RECOVERY_CODE, ""))
    };
    let passkey = html! {
        @if has_passkey {
            p.other {
                a.button.primary[!has_app] href=(with_query("/sign-in/code/passkey", &[("next", next)])) {
                    (words::USE_PASSKEY)
                }
            }
        }
    };
    let body = html! {
        h1 { (words::CODE_TITLE) }
        p { (why) }
        (problem(sentence))
        @if !has_app { (passkey) }
        form method="post" action="/sign-in/code" {
            @if let Some(next) = next { input type="hidden" name="next" value=(next); }
            (field.of("text", "one-time-code").show())
            button.primary[has_app] type="submit" { (words::CONTINUE) }
        }
        @if has_app { (passkey) }
        form method="post" action="/sign-out" {
            button.quiet type="submit" { (words::OTHER_ACCOUNT) }
        }
    };
    Ok(frame::alone(status, words::CODE_TITLE, &body))
}
