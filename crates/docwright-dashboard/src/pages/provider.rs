//! Sign-in with a provider of OpenID Connect.

use axum::{
    extract::{Query, State},
    http::{StatusCode, header},
    response::{AppendHeaders, IntoResponse, Redirect, Response},
};
use docwright_http::error::Cause;
use docwright_operations::callers::{
    openid::{self, OpenIdError, OpenIdRefusal, Provider, ProviderAnswer, SignInFlow},
    sessions::SignInMethod,
};
use docwright_types::account::Email;
use maud::html;
use serde::Deserialize;

use crate::{
    Dashboard, frame,
    paths::with_query,
    refusal::Refusal,
    session::{Browser, own_path},
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
    let flow = SignInFlow::end(keyring, browser.kept_flow(), &answer.state, operations.now());
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
    let (operations, next) = (&dashboard.operations, flow.next());
    let next = own_path(Some(&next));
    let answer = ProviderAnswer { code: &answer.code, error: answer.error.as_deref() };
    let refused = |why: &str| Err(Refusal::Forbidden(why.to_owned()));
    match openid::sign_in(operations, provider, &browser.client, (flow, answer)).await? {
        Ok(account) => browser.begin(operations, &account.id, SignInMethod::Provider, next).await,
        Err(OpenIdRefusal::Provider(error)) => Ok(not_signed_in(provider, &error)),
        Err(OpenIdRefusal::EmailUnverified) => refused(words::EMAIL_UNVERIFIED),
        Err(OpenIdRefusal::NoGroup) => refused(words::NO_GROUP),
        Err(OpenIdRefusal::AccountTaken(email)) => Ok(account_taken(provider, &email)),
        Err(OpenIdRefusal::PasswordFirst(email)) => Ok(password_first(provider, &email, next)),
        Err(OpenIdRefusal::Changing) => Err(Refusal::Missing),
    }
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
fn password_first(provider: &Provider, email: &Email, next: &str) -> Response {
    let again = with_query("/sign-in/provider", &[("next", Some(next))]);
    let title = words::link_account(&provider.name());
    let body = html! {
        h1 { (title) }
        p { (words::LINK_WHY) }
        p { strong { (email.as_str()) } }
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
