//! All accounts of the instance, for operators.

use axum::{
    extract::{Path, Query, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::accounts::{self, Account, AccountList, DeleteIdentity, ListAccounts};
use docwright_types::timestamp::parse_iso;
use maud::{Markup, html};

use crate::{
    Dashboard,
    forms::Form,
    parts::{ListQuery, ago, nothing_found, problem, search},
    project_context::InstancePlace,
    refusal::Refusal,
    words::{self, Done},
};

const HERE: &str = "/accounts";

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: InstancePlace,
    Query(asked): Query<ListQuery>,
) -> Result<Response, Refusal> {
    show(&dashboard, &place, &asked, None).await
}

/// Removes an identity from an account.
pub(super) async fn remove_identity(
    State(dashboard): State<Dashboard>,
    place: InstancePlace,
    Path(account): Path<String>,
    Form(identity): Form<DeleteIdentity>,
) -> Result<Response, Refusal> {
    let caller = place.caller.allowed()?;
    let removed =
        accounts::delete_identity(&dashboard.operations, &caller, &account, &identity).await;
    match removed.map_err(Refusal::from) {
        Ok(()) => Ok(place.person.browser.done(Done::IdentityRemoved, HERE)),
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            show(&dashboard, &place, &ListQuery::default(), Some(&sentence)).await
        }
    }
}

async fn show(
    dashboard: &Dashboard,
    place: &InstancePlace,
    asked: &ListQuery,
    sentence: Option<&str>,
) -> Result<Response, Refusal> {
    let filter = ListAccounts { email: None, search: asked.searched()? };
    let (caller, page) = (place.caller.allowed()?, asked.page(None)?);
    let list = accounts::list(&dashboard.operations, &caller, &filter, &page).await?;
    let next = list.next_cursor.as_deref();
    let body = html! {
        h1 { (words::ACCOUNTS) }
        (problem(sentence))
        @if asked.is_long(list.items.len(), next) { (search(HERE, words::FIND_BY_EMAIL, asked)) }
        @if list.items.is_empty() { (nothing_found(HERE, asked)) } @else { (table(dashboard, &list)) }
        (asked.pager(HERE, next))
    };
    let status = if sentence.is_some() { StatusCode::CONFLICT } else { StatusCode::OK };
    Ok(place.page_with(status, "accounts", words::ACCOUNTS, &body))
}

fn table(dashboard: &Dashboard, list: &AccountList) -> Markup {
    let now = dashboard.operations.now();
    let since = |time: &str| ago(now, parse_iso(time).unwrap_or_default());
    html! {
        div.scroll tabindex="0" { table.people {
            thead { tr {
                th { (words::NAME) } th.minor { (words::CREATED) } th { (words::IDENTITIES) }
                th { span.unseen { (words::DELETE_ACCOUNT) } }
            } }
            tbody {
                @for account in &list.items {
                    tr {
                        td {
                            (account.name) @if account.is_operator { " " span.soft { (words::IS_OPERATOR) } }
                            div.soft { (account.email) }
                        }
                        td.minor { (since(&account.created_at)) }
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

/// The identities of an account, with buttons to remove them.
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
