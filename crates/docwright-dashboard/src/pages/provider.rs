//! Sign-in with a provider of OpenID Connect.

use axum::{
    extract::{Query, State},
    http::{StatusCode, header},
    response::{AppendHeaders, IntoResponse, Redirect, Response},
};
use docwright_http::error::Cause;
use docwright_operations::{audit::Change, callers::sessions::SignInMethod};
use docwright_storage::{
    StorageError,
    database::{Account, IdentityLink, NewAccount},
};
use docwright_types::account::Email;
use maud::html;
use serde::Deserialize;

use crate::{
    Dashboard, frame,
    groups::{self, wanted_roles},
    openid::{OpenIdError, Person, Provider},
    paths::with_query,
    refusal::Refusal,
    session::{Browser, own_path},
    sign_in_flow::SignInFlow,
    words,
};

#[derive(Deserialize)]
pub(super) struct ProviderQuery {
    next: Option<String>,
}

/// Parameters that the provider sends back.
#[derive(Deserialize)]
pub(super) struct ProviderCallback {
    #[serde(default)]
    code: String,
    #[serde(default)]
    state: String,
    error: Option<String>,
}

/// Redirects to the provider.
pub(super) async fn leave(
    State(dashboard): State<Dashboard>,
    browser: Browser,
    Query(wanted): Query<ProviderQuery>,
) -> Result<Response, Refusal> {
    let operations = &dashboard.operations;
    let provider = dashboard.provider.as_ref().ok_or(Refusal::Missing)?;
    // The first account belongs to the operator, who has the setup token.
    if operations.database.has_no_accounts().await? {
        return Ok(Redirect::to("/").into_response());
    }
    let next = own_path(wanted.next.as_deref());
    let keyring = &operations.repositories.keyring;
    let flow = SignInFlow::begin(keyring, next, operations.now()).map_err(Refusal::Failed)?;
    let address = match provider.sign_in_address(flow.secrets()).await {
        Ok(address) => address,
        Err(error) => return Ok(not_signed_in(provider, &error)),
    };
    let cookie = browser.flow_cookie(flow.text(), SignInFlow::SECONDS);
    Ok((AppendHeaders([(header::SET_COOKIE, cookie)]), Redirect::to(&address)).into_response())
}

/// The path that the provider redirects to.
pub(super) async fn back(
    State(dashboard): State<Dashboard>,
    browser: Browser,
    Query(answer): Query<ProviderCallback>,
) -> Result<Response, Refusal> {
    let operations = &dashboard.operations;
    let provider = dashboard.provider.as_ref().ok_or(Refusal::Missing)?;
    let keyring = &operations.repositories.keyring;
    let cookie = browser.kept_flow();
    let flow = SignInFlow::end(keyring, cookie, &answer.state, operations.now());
    let flow = flow.ok_or_else(|| Refusal::Forbidden(words::FLOW_OVER.to_owned()))?;
    let mut response = arrive(&dashboard, provider, &browser, (&flow, &answer)).await?;
    let over = browser.flow_cookie("", 0);
    response.headers_mut().append(header::SET_COOKIE, over);
    Ok(response)
}

async fn arrive(
    dashboard: &Dashboard,
    provider: &Provider,
    browser: &Browser,
    (flow, answer): (&SignInFlow, &ProviderCallback),
) -> Result<Response, Refusal> {
    if let Some(error) = &answer.error {
        let error = OpenIdError::Unproven(provider.name(), format!("it answered {error}"));
        return Ok(not_signed_in(provider, &error));
    }
    let person = match provider.person(&answer.code, flow.secrets()).await {
        Ok(person) => person,
        Err(error) => return Ok(not_signed_in(provider, &error)),
    };
    let next = flow.next();
    let account = match account(dashboard, provider, browser, (&person, &next)).await? {
        Ok(account) => account,
        Err(response) => return Ok(response),
    };
    groups::follow(dashboard, provider, browser, (&account, &person)).await?;
    browser.begin(&dashboard.operations, &account.id, SignInMethod::Provider, &next).await
}

/// The account of a user: the account linked to the identity, else the account with the user's verified email
/// address, else a new one if the groups grant a role. The error is the response to a user without one.
async fn account(
    dashboard: &Dashboard,
    provider: &Provider,
    browser: &Browser,
    (person, next): (&Person, &str),
) -> Result<Result<Account, Response>, Refusal> {
    let operations = &dashboard.operations;
    let identity = (provider.issuer(), person.subject.as_str());
    // Another sign-in at the same time can create or link the account. Then everything is read again.
    for _ in 0..2 {
        if let Some(known) = operations.database.account_of_identity(identity.0, identity.1).await?
        {
            return Ok(Ok(known));
        }
        let Some(email) = &person.verified_email else {
            return Err(Refusal::Forbidden(words::EMAIL_UNVERIFIED.to_owned()));
        };
        let linked = match operations.database.account_of_email(email).await? {
            Some((account, password)) => {
                let known = (&account, password.is_some());
                match link(dashboard, (provider, identity), browser, (known, next)).await? {
                    Ok(link) => link,
                    Err(response) => return Ok(Err(response)),
                }
            }
            None if wanted_roles(dashboard, provider, person).await?.is_empty() => {
                return Err(Refusal::Forbidden(words::NO_GROUP.to_owned()));
            }
            None => {
                let name =
                    person.name.clone().filter(|name| super::sign_in::check_name(name).is_ok());
                let name = name.unwrap_or_else(|| email.to_string());
                let new = NewAccount { email: email.clone(), name, password: None };
                let change = Change::of("account.create", None);
                let database = browser.client.recording(operations, ("", email.as_str()), change);
                match database.link_identity(identity, Err(&new), operations.now()).await {
                    Err(StorageError::Exists(_)) => continue,
                    link => link?,
                }
            }
        };
        match linked {
            IdentityLink::Linked(account) => return Ok(Ok(account)),
            IdentityLink::AlreadyLinked => {}
            IdentityLink::AccountTaken => return Ok(Err(account_taken(provider, email))),
        }
    }
    Err(Refusal::Missing)
}

/// Links the account of an email address to the current user of the address. An account that already has an
/// identity of the provider keeps it: a mailbox can pass to another person, a subject can't. If the account has a
/// password, the user must enter it once, since someone else might have used the invitation.
async fn link(
    dashboard: &Dashboard,
    (provider, identity): (&Provider, (&str, &str)),
    browser: &Browser,
    ((account, has_password), next): ((&Account, bool), &str),
) -> Result<Result<IdentityLink, Response>, Refusal> {
    let operations = &dashboard.operations;
    if operations.database.has_identity(&account.id, identity.0).await? {
        return Ok(Ok(IdentityLink::AccountTaken));
    }
    let here = browser.session(operations).await?.filter(|(session, _)| session.complete);
    let is_here = here.is_some_and(|(_, here)| here.id == account.id);
    if has_password && !is_here {
        return Ok(Err(password_first(provider, &account.email, next)));
    }
    let actor = (account.id.as_str(), account.email.as_str());
    let change = Change::of("account.identity", None);
    let database = browser.client.recording(operations, actor, change);
    Ok(Ok(database.link_identity(identity, Ok(account), operations.now()).await?))
}

/// Reports that the account of the email address belongs to another user of the provider.
fn account_taken(provider: &Provider, email: &Email) -> Response {
    let title = words::not_signed_in_by(&provider.name());
    let body = html! {
        h1 { (title) }
        p { (words::account_taken(email.as_str(), &provider.name())) }
        p { a.button href="/sign-in" { (words::SIGN_IN_OTHERWISE) } }
    };
    let mut response = frame::alone(StatusCode::FORBIDDEN, &title, &body);
    let cause =
        "the account has another identity of this issuer; compare `docwright admin account list`";
    response.extensions_mut().insert(Cause(cause.to_owned()));
    response
}

/// Asks for the password of the account with the user's email address. Afterward, the provider is asked again.
fn password_first(provider: &Provider, email: &str, next: &str) -> Response {
    let again = with_query("/sign-in/provider", &[("next", Some(next))]);
    let title = words::link_account(&provider.name());
    let body = html! {
        h1 { (title) }
        p { (words::LINK_WHY) }
        p { strong { (email) } }
        p { a.button.primary href=(with_query("/sign-in", &[("next", Some(&again))])) { (words::SIGN_IN_OTHERWISE) } }
    };
    frame::alone(StatusCode::FORBIDDEN, &title, &body)
}

/// Reports that sign-in with the provider failed, and offers other ways.
fn not_signed_in(provider: &Provider, error: &OpenIdError) -> Response {
    let (status, why) = match error {
        OpenIdError::Away(..) => (StatusCode::SERVICE_UNAVAILABLE, words::PROVIDER_AWAY),
        OpenIdError::Unproven(..) => (StatusCode::FORBIDDEN, words::PROVIDER_REFUSED),
    };
    let title = words::not_signed_in_by(&provider.name());
    let body = html! {
        h1 { (title) }
        p { (why) }
        p { a.button href="/sign-in" { (words::SIGN_IN_OTHERWISE) } }
    };
    let mut response = frame::alone(status, &title, &body);
    response.extensions_mut().insert(Cause(error.to_string()));
    response
}
