//! Permanent deletion of accounts: one's own, after confirming one's identity, or any other for operators.

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
};
use docwright_jobs::deletion::delete_account;
use docwright_operations::{
    accounts::{self, Account},
    audit::Change,
    error::sentence,
};
use docwright_storage::StorageError;
use maud::html;
use serde::Deserialize;
use serde_json::json;

use super::security::page;
use crate::{
    Dashboard,
    forms::Form,
    frame,
    parts::{Field, problem},
    project_context::InstancePlace,
    proof::{Proof, prove},
    refusal::Refusal,
    session::SignedIn,
    words::{self, Done},
};

const ACCOUNTS: &str = "/accounts";

#[derive(Deserialize)]
pub(super) struct Confirmation {
    email: String,
}

pub(super) async fn ask_own(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
) -> Result<Response, Refusal> {
    own_form(&dashboard, &person, (StatusCode::OK, None)).await
}

pub(super) async fn delete_own(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
    Form(proof): Form<Proof>,
) -> Result<Response, Refusal> {
    if let Err(sentence) = prove(&dashboard, &person, &proof).await? {
        return own_form(&dashboard, &person, (StatusCode::FORBIDDEN, Some(sentence))).await;
    }
    let SignedIn { account, browser, .. } = &person;
    let before = json!({ "operator": account.is_operator });
    let change = Change::of("account.delete", None).before(before);
    let database = person.recording(&dashboard.operations, change);
    match delete_account(database, account.id.clone()).await {
        Ok(_) => {}
        Err(StorageError::Exists(reason)) => {
            let problem = sentence(&reason);
            return own_form(&dashboard, &person, (StatusCode::CONFLICT, Some(&problem))).await;
        }
        Err(other) => return Err(other.into()),
    }
    let body = html! {
        h1 { (words::ACCOUNT_DELETED) }
        p { (words::ACCOUNT_DELETED_WHY) }
        p { a href="/sign-in" { (words::SIGN_IN) } }
    };
    Ok(browser.forget_with(frame::alone(StatusCode::OK, words::ACCOUNT_DELETED, &body)))
}

async fn own_form(
    dashboard: &Dashboard,
    person: &SignedIn,
    (status, sentence): (StatusCode, Option<&str>),
) -> Result<Response, Refusal> {
    let body = html! {
        p.above { a href="/account" { (words::ACCOUNT) } }
        h1 { (words::DELETE_OWN_ACCOUNT) }
        (problem(sentence))
        p { (words::DELETE_OWN_ACCOUNT_WHY) }
        form.wide method="post" action="/account/delete" {
            (Proof::field(dashboard, person).await?)
            div.actions {
                button.danger type="submit" { (words::DELETE_ACCOUNT) }
                a.button href="/account" { (words::CANCEL) }
            }
        }
    };
    Ok(page(status, person, words::DELETE_OWN_ACCOUNT, &body))
}

pub(super) async fn ask(
    State(dashboard): State<Dashboard>,
    place: InstancePlace,
    Path(account): Path<String>,
) -> Result<Response, Refusal> {
    if account == place.person.account.id {
        return Ok(Redirect::to("/account/delete").into_response());
    }
    let account = accounts::get(&dashboard.operations, &place.caller.allowed()?, &account).await?;
    Ok(form(&place, &account, (StatusCode::OK, None)))
}

pub(super) async fn delete(
    State(dashboard): State<Dashboard>,
    place: InstancePlace,
    Path(account): Path<String>,
    Form(given): Form<Confirmation>,
) -> Result<Response, Refusal> {
    // Deleting one's own account requires the password.
    if account == place.person.account.id {
        return Ok(Redirect::to("/account/delete").into_response());
    }
    let account = accounts::get(&dashboard.operations, &place.caller.allowed()?, &account).await?;
    if !given.email.trim().eq_ignore_ascii_case(&account.email) {
        let outcome = (StatusCode::BAD_REQUEST, Some(words::OTHER_EMAIL));
        return Ok(form(&place, &account, outcome));
    }
    let caller = place.caller.allowed()?;
    let deleted = accounts::delete(&dashboard.operations, &caller, &account.id).await;
    match deleted.map_err(Refusal::from) {
        Ok(_) => Ok(place.person.browser.done(Done::AccountDeleted, ACCOUNTS)),
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            Ok(form(&place, &account, (StatusCode::CONFLICT, Some(&sentence))))
        }
    }
}

fn form(
    place: &InstancePlace,
    account: &Account,
    (status, sentence): (StatusCode, Option<&str>),
) -> Response {
    let title = words::delete_account_of(&account.email);
    let body = html! {
        p.above { a href=(ACCOUNTS) { (words::ACCOUNTS) } }
        h1 { (title) }
        (problem(sentence))
        dl.facts {
            dt { (words::NAME) } dd { (account.name) }
            dt { (words::EMAIL) } dd { (account.email) }
        }
        p { (words::DELETE_ACCOUNT_WHY) }
        form.wide method="post" action=(format!("{ACCOUNTS}/{}/delete", account.id)) {
            (Field::text("email", words::WRITE_EMAIL, "").of("email", "off").show())
            div.actions {
                button.danger type="submit" { (words::DELETE_ACCOUNT) }
                a.button href=(ACCOUNTS) { (words::CANCEL) }
            }
        }
    };
    place.page_with(status, "accounts", &title, &body)
}
