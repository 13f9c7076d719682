//! Sign-in methods of a user: authenticator app, passkeys, and recovery codes.

use axum::{extract::State, http::StatusCode, response::Response};
use docwright_operations::audit::Change;
use docwright_types::totp::{RecoveryCode, TotpSecret};
use maud::{Markup, html};
use serde::Deserialize;

use super::passkeys;
use crate::{
    Dashboard,
    forms::Form,
    frame::{self, Frame},
    parts::{Field, Tone, copied, problem, qr, state},
    proof::{Proof, prove},
    refusal::Refusal,
    session::SignedIn,
    words::{self, Done},
};

/// Number of recovery codes.
const CODES: usize = 10;

#[derive(Deserialize)]
pub(super) struct NewApp {
    secret: String,
    code: String,
    #[serde(flatten)]
    proof: Proof,
}

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
) -> Result<Response, Refusal> {
    overview(&dashboard, &person, None).await
}

/// The page with a new secret, which isn't stored until a code confirms it.
pub(super) async fn app(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
) -> Result<Response, Refusal> {
    if dashboard.operations.database.has_totp(&person.account.id).await? {
        return Err(Refusal::Conflict(words::APP_IS_ON.to_owned()));
    }
    let secret = TotpSecret::generate().map_err(no_randomness)?;
    new_app(&dashboard, &person, &secret, None).await
}

pub(super) async fn turn_on(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
    Form(given): Form<NewApp>,
) -> Result<Response, Refusal> {
    let operations = &dashboard.operations;
    let secret = TotpSecret::parse(&given.secret);
    let secret = secret.ok_or_else(|| Refusal::Invalid(words::APP_KEY_WRONG.to_owned()))?;
    if operations.database.has_totp(&person.account.id).await? {
        return Err(Refusal::Conflict(words::APP_IS_ON.to_owned()));
    }
    let code: String = given.code.chars().filter(|letter| !letter.is_whitespace()).collect();
    let Some(step) = secret.step_of(&code, operations.now()) else {
        return new_app(&dashboard, &person, &secret, Some(words::WRONG_CODE)).await;
    };
    if let Err(sentence) = prove(&dashboard, &person, &given.proof).await? {
        return new_app(&dashboard, &person, &secret, Some(sentence)).await;
    }
    let codes = recovery_codes()?;
    let database = person.recording(operations, Change::of("account.second_factor_on", None));
    let keyring = &operations.repositories.keyring;
    let at = (person.session.id.as_str(), operations.now());
    if !database.turn_on_totp(&person.account.id, (&secret, step, &codes), keyring, at).await? {
        return Err(Refusal::Conflict(words::APP_IS_ON.to_owned()));
    }
    Ok(show_codes(&person, &codes))
}

pub(super) async fn ask_to_turn_off(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
) -> Result<Response, Refusal> {
    if !dashboard.operations.database.has_totp(&person.account.id).await? {
        return Err(Refusal::Conflict(words::APP_OFF.to_owned()));
    }
    off_form(&dashboard, &person, None).await
}

pub(super) async fn turn_off(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
    Form(proof): Form<Proof>,
) -> Result<Response, Refusal> {
    if let Err(sentence) = prove(&dashboard, &person, &proof).await? {
        return off_form(&dashboard, &person, Some(sentence)).await;
    }
    let database =
        person.recording(&dashboard.operations, Change::of("account.second_factor_off", None));
    database.turn_off_totp(&person.account.id).await?;
    Ok(person.browser.done(Done::AppTurnedOff, "/account/security"))
}

pub(super) async fn renew(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
    Form(proof): Form<Proof>,
) -> Result<Response, Refusal> {
    let operations = &dashboard.operations;
    if !operations.database.has_second_factor(&person.account.id).await? {
        return Err(Refusal::Conflict(words::NO_SECOND_FACTOR.to_owned()));
    }
    if let Err(sentence) = prove(&dashboard, &person, &proof).await? {
        return overview(&dashboard, &person, Some(sentence)).await;
    }
    let codes = recovery_codes()?;
    let database = person.recording(operations, Change::of("account.recovery_codes", None));
    database.replace_recovery_codes(&person.account.id, &codes).await?;
    Ok(show_codes(&person, &codes))
}

async fn overview(
    dashboard: &Dashboard,
    person: &SignedIn,
    sentence: Option<&str>,
) -> Result<Response, Refusal> {
    let database = &dashboard.operations.database;
    let is_on = database.has_totp(&person.account.id).await?;
    let has_factor = database.has_second_factor(&person.account.id).await?;
    let left = database.recovery_codes(&person.account.id).await?;
    let body = html! {
        h1 { (words::SECURITY) }
        (problem(sentence))
        @if !has_factor { p { (words::PASSWORD_ALONE) } }
        h2 { (words::APP) }
        @if is_on {
            p { (state(Tone::Good, words::ON)) }
            p { (words::APP_ON) }
            p { a.button href="/account/security/app/off" { (words::APP_TURN_OFF) } }
        } @else {
            p { (state(Tone::Neutral, words::OFF)) }
            p { a.button href="/account/security/app" { (words::APP_SET_UP) } }
        }
        (passkeys::list(dashboard, person).await?)
        @if has_factor {
            h2 { (words::RECOVERY) }
            p { (words::recovery_left(left)) }
            form.wide method="post" action="/account/security/recovery" {
                (Proof::field(dashboard, person).await?)
                button type="submit" { (words::RECOVERY_RENEW) }
            }
        }
    };
    let status = if sentence.is_some() { StatusCode::FORBIDDEN } else { StatusCode::OK };
    Ok(page(status, person, words::SECURITY, &body))
}

async fn off_form(
    dashboard: &Dashboard,
    person: &SignedIn,
    sentence: Option<&str>,
) -> Result<Response, Refusal> {
    let is_last = dashboard.operations.database.passkeys(&person.account.id).await?.is_empty();
    let body = html! {
        p.above { a href="/account/security" { (words::SECURITY) } }
        h1 { (words::APP_TURN_OFF) }
        p { @if is_last { (words::REMOVE_LAST_FACTOR) } @else { (words::APP_OFF_WHY) } }
        (problem(sentence))
        form.wide method="post" action="/account/security/app/off" {
            (Proof::field(dashboard, person).await?)
            div.actions {
                button.danger type="submit" { (words::APP_TURN_OFF) }
                a.button href="/account/security" { (words::CANCEL) }
            }
        }
    };
    let status = if sentence.is_some() { StatusCode::FORBIDDEN } else { StatusCode::OK };
    Ok(page(status, person, words::APP_TURN_OFF, &body))
}

async fn new_app(
    dashboard: &Dashboard,
    person: &SignedIn,
    secret: &TotpSecret,
    sentence: Option<&str>,
) -> Result<Response, Refusal> {
    let place = url::Url::parse(&dashboard.operations.repositories.public_url);
    let place = place.ok().and_then(|url| url.host_str().map(str::to_owned));
    let address = secret.address(place.as_deref().unwrap_or(words::PRODUCT), &person.account.email);
    let body = html! {
        h1 { (words::APP_SET_UP) }
        p { (words::APP_SCAN) }
        (problem(sentence))
        p { (qr(&address, words::APP_QR)) }
        dl.facts { dt { (words::APP_KEY) } dd { (copied(&secret.reveal())) } }
        form.wide method="post" action="/account/security/app" {
            input type="hidden" name="secret" value=(secret.reveal());
            (Field::text("code", words::APP_CODE, "").of("text", "one-time-code").show())
            (Proof::field(dashboard, person).await?)
            button.primary type="submit" { (words::APP_TURN_ON) }
        }
    };
    let status = if sentence.is_some() { StatusCode::FORBIDDEN } else { StatusCode::OK };
    Ok(page(status, person, words::APP_SET_UP, &body))
}

/// The page with recovery codes, which are shown only once.
pub(super) fn show_codes(person: &SignedIn, codes: &[RecoveryCode]) -> Response {
    let body = html! {
        h1 { (words::RECOVERY) }
        p { (words::RECOVERY_WHY) }
        ul.rows { @for code in codes { li { code { (code.reveal()) } } } }
        p { a.button href="/account/security" { (words::RECOVERY_KEPT) } }
    };
    page(StatusCode::OK, person, words::RECOVERY, &body)
}

/// A page of the user's own account. Some have a secret.
pub(super) fn page(status: StatusCode, person: &SignedIn, title: &str, body: &Markup) -> Response {
    let frame = Frame { person, organization: None, project: None, section: "account" };
    frame::with_secret(frame::page(status, &frame, title, body))
}

/// New recovery codes.
pub(super) fn recovery_codes() -> Result<Vec<RecoveryCode>, Refusal> {
    (0..CODES).map(|_| RecoveryCode::generate().map_err(no_randomness)).collect()
}

fn no_randomness(error: impl std::fmt::Display) -> Refusal {
    Refusal::Failed(format!("the system gives no randomness: {error}"))
}
