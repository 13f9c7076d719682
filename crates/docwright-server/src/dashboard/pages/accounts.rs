//! Every account of the instance, for operators.

use axum::{
    extract::{Path, Query, State},
    http::{Method, StatusCode},
    response::{IntoResponse, Redirect, Response},
};
use docwright_domain::timestamp::parse_iso;
use maud::{Markup, html};
use serde::Deserialize;

use crate::dashboard::{
    Dashboard,
    forms::Form,
    operations::with_query,
    parts::{Asked, ago, nothing_found, problem, search},
    place::InstallPlace,
    refusal::Refusal,
    words,
};

const HERE: &str = "/accounts";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct List {
    accounts: Vec<Account>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Account {
    id: String,
    email: String,
    name: String,
    is_operator: bool,
    created_at: String,
    identities: Vec<Identity>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Identity {
    issuer: String,
    subject: String,
    linked_at: String,
}

/// The identity that a form removes.
#[derive(Deserialize)]
pub(super) struct IdentityForm {
    issuer: String,
    subject: String,
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: InstallPlace,
    Query(asked): Query<Asked>,
) -> Result<Response, Refusal> {
    show(&dashboard, &place, &asked, None).await
}

/// Removes an identity from an account.
pub(super) async fn remove_identity(
    State(dashboard): State<Dashboard>,
    place: InstallPlace,
    Path(account): Path<String>,
    Form(form): Form<IdentityForm>,
) -> Result<Response, Refusal> {
    let path = format!("{}/identities", operation(&account));
    let query = [("issuer", Some(form.issuer.as_str())), ("subject", Some(&form.subject))];
    match place.operations.send(Method::DELETE, &with_query(&path, &query), None).await {
        Ok(_) => Ok(Redirect::to(HERE).into_response()),
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            show(&dashboard, &place, &Asked::default(), Some(&sentence)).await
        }
    }
}

async fn show(
    dashboard: &Dashboard,
    place: &InstallPlace,
    asked: &Asked,
    sentence: Option<&str>,
) -> Result<Response, Refusal> {
    let list: List = place.operations.get(&asked.operation("/v1/accounts", &[])).await?;
    let next = list.next_cursor.as_deref();
    let body = html! {
        h1 { (words::ACCOUNTS) }
        (problem(sentence))
        @if asked.is_long(list.accounts.len(), next) { (search(HERE, words::FIND_BY_EMAIL, asked)) }
        @if list.accounts.is_empty() { (nothing_found(HERE, asked)) } @else { (table(dashboard, &list)) }
        (asked.pager(HERE, next))
    };
    let status = if sentence.is_some() { StatusCode::CONFLICT } else { StatusCode::OK };
    Ok(place.page_with(status, "accounts", words::ACCOUNTS, &body))
}

fn table(dashboard: &Dashboard, list: &List) -> Markup {
    let now = dashboard.app.now();
    let since = |time: &str| ago(now, parse_iso(time).unwrap_or_default());
    html! {
        div.scroll tabindex="0" { table {
            thead { tr {
                th { (words::NAME) } th { (words::EMAIL) } th { (words::CREATED) } th { (words::IDENTITIES) }
                th { span.unseen { (words::DELETE_ACCOUNT) } }
            } }
            tbody {
                @for account in &list.accounts {
                    tr {
                        td { (account.name) @if account.is_operator { " " span.soft { (words::IS_OPERATOR) } } }
                        td { (account.email) }
                        td { (since(&account.created_at)) }
                        td { (identities(account, since)) }
                        td {
                            a href=(format!("{HERE}/{}/delete", account.id)) aria-label=(words::delete_account_of(&account.email)) {
                                (words::DELETE_ACCOUNT)
                            }
                        }
                    }
                }
            }
        } }
    }
}

/// The identities of an account, each of which can be removed.
fn identities(account: &Account, since: impl Fn(&str) -> Markup) -> Markup {
    html! {
        @for identity in &account.identities {
            div {
                code { (identity.subject) } " " span.soft { (identity.issuer) " · " (since(&identity.linked_at)) }
                form.inline method="post" action=(format!("{HERE}/{}/identities/remove", account.id)) {
                    input type="hidden" name="issuer" value=(identity.issuer);
                    input type="hidden" name="subject" value=(identity.subject);
                    button.danger type="submit" aria-label=(words::remove_identity(&identity.subject, &account.email)) {
                        (words::REMOVE)
                    }
                }
            }
        }
    }
}

/// The path of an account in the API.
fn operation(account: &str) -> String {
    let account: String = url::form_urlencoded::byte_serialize(account.as_bytes()).collect();
    format!("/v1/accounts/{account}")
}
