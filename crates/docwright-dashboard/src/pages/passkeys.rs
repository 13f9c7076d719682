//! The user's own passkeys: add one, in two steps, or remove one. The list is on the page with the other factors.

use axum::{
    extract::{Path, State},
    http::{StatusCode, header},
    response::Response,
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use docwright_operations::{
    audit::Change,
    callers::passkeys::{
        Challenge, PasskeyRefusal, PasskeyRegistration, Purpose, RelyingParty, register,
        relying_party,
    },
};
use docwright_storage::database::{AddedPasskey, NewPasskey, PASSKEYS, Passkey};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::{
    passkey_sign_in::{over, party},
    security::{page, recovery_codes, show_codes},
    sign_in::check_name,
};
use crate::{
    Dashboard,
    forms::Form,
    parts::{Field, PasskeyForm, ago, problem},
    passkeys::{creation, sentence},
    proof::{Proof, prove},
    refusal::Refusal,
    session::SignedIn,
    words::{self, Done},
};

#[derive(Deserialize)]
pub(super) struct Named {
    name: String,
    #[serde(flatten)]
    proof: Proof,
}

/// A new passkey from the browser, and its name.
#[derive(Deserialize)]
pub(super) struct Made {
    name: String,
    #[serde(flatten)]
    registration: PasskeyRegistration,
}

/// The passkeys section of the security page.
pub(super) async fn list(dashboard: &Dashboard, person: &SignedIn) -> Result<Markup, Refusal> {
    let (operations, now) = (&dashboard.operations, dashboard.operations.now());
    let passkeys = operations.database.passkeys(&person.account.id).await?;
    let row = |passkey: &Passkey| {
        html! {
            li {
                span.grow { (passkey.name) }
                span.soft { (words::CREATED) " " (ago(now, passkey.created_at)) }
                span.soft {
                    (words::LAST_USED) ": "
                    @match passkey.used_at { Some(at) => (ago(now, at)), None => (words::NEVER) }
                }
                a.button href=(path_of(passkey)) aria-label=(words::remove_passkey(&passkey.name)) { (words::REMOVE) }
            }
        }
    };
    Ok(html! {
        h2 { (words::PASSKEYS) }
        p { (words::PASSKEYS_WHY) }
        @if passkeys.is_empty() { p { (words::NO_PASSKEYS) } } @else {
            ul.rows { @for passkey in &passkeys { (row(passkey)) } }
        }
        @if relying_party(operations).is_none() {
            p.notice { (words::no_passkeys_here(&operations.repositories.public_url)) }
        } @else if is_full(&passkeys) {
            p { (words::PASSKEYS_FULL) }
        } @else {
            p { a.button href="/account/security/passkeys/new" { (words::ADD_PASSKEY) } }
        }
    })
}

/// The first step: a name, and confirmation of the user's identity.
pub(super) async fn new(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
) -> Result<Response, Refusal> {
    room(&dashboard, &person).await?;
    name_form(&dashboard, &person, (StatusCode::OK, "", None)).await
}

/// After that, the browser creates the passkey.
pub(super) async fn begin(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
    Form(given): Form<Named>,
) -> Result<Response, Refusal> {
    let (party, known) = room(&dashboard, &person).await?;
    let again = |status, sentence| (status, given.name.as_str(), Some(sentence));
    let name = match check_name(&given.name) {
        Ok(name) => name,
        Err(sentence) => {
            let problem = again(StatusCode::BAD_REQUEST, sentence);
            return name_form(&dashboard, &person, problem).await;
        }
    };
    if let Err(sentence) = prove(&dashboard, &person, &given.proof).await? {
        let problem = again(StatusCode::FORBIDDEN, sentence);
        return name_form(&dashboard, &person, problem).await;
    }
    let operations = &dashboard.operations;
    let purpose = Purpose::Add(&person.session.id);
    let challenge = Challenge::begin(&operations.repositories.keyring, purpose, operations.now());
    let challenge = challenge.map_err(Refusal::Failed)?;
    let form = PasskeyForm {
        path: "/account/security/passkeys",
        question: "create",
        options: &creation(&party, &challenge, &person, &known),
        answers: &["client_data", "attestation"],
        fields: &[("name", name)],
        is_asked_now: true,
        label: words::MAKE_PASSKEY,
    };
    let body = html! {
        p.above { a href="/account/security" { (words::SECURITY) } }
        h1 { (words::ADD_PASSKEY) }
        p { (words::MAKE_PASSKEY_WHY) }
        (form.show())
    };
    let mut response = page(StatusCode::OK, &person, words::ADD_PASSKEY, &body);
    let cookie = person.browser.passkey_cookie(challenge.kept(), Challenge::SECONDS);
    response.headers_mut().append(header::SET_COOKIE, cookie);
    Ok(response)
}

/// Stores the new passkey. Identity was confirmed for its challenge, in this session.
pub(super) async fn add(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
    Form(made): Form<Made>,
) -> Result<Response, Refusal> {
    let operations = &dashboard.operations;
    let party = party(&dashboard)?;
    let name = check_name(&made.name).map_err(|why| Refusal::Invalid(why.to_owned()))?;
    let refused = |why| Refusal::Forbidden(sentence(why).to_owned());
    let answer = (person.browser.kept_challenge(), &made.registration);
    let registered = register(operations, &party, &person.session, answer);
    let (credential, challenge) = registered.map_err(refused)?;
    let new = NewPasskey {
        account_id: &person.account.id,
        name,
        credential_id: &URL_SAFE_NO_PAD.encode(&credential.id),
        public_key: &URL_SAFE_NO_PAD.encode(&credential.public_key),
        sign_count: credential.sign_count,
        is_backup_eligible: credential.is_backup_eligible,
    };
    let codes = recovery_codes()?;
    let change = Change::of("account.passkey_add", None).after(json!({ "passkey": name }));
    let database = person.recording(operations, change);
    let at = (person.session.id.as_str(), operations.now());
    let added = match database.add_passkey(new, &codes, challenge.answered(), at).await? {
        AddedPasskey::First => show_codes(&person, &codes),
        AddedPasskey::Another => person.browser.done(Done::PasskeyAdded, "/account/security"),
        AddedPasskey::Known => return Err(Refusal::Conflict(words::PASSKEY_KNOWN.to_owned())),
        AddedPasskey::TooMany => return Err(Refusal::Conflict(words::PASSKEYS_FULL.to_owned())),
        AddedPasskey::Replayed => return Err(refused(PasskeyRefusal::Late)),
    };
    Ok(over(&person.browser, added))
}

pub(super) async fn ask_to_remove(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let passkey = find(&dashboard, &person, &id).await?;
    remove_form(&dashboard, &person, (&passkey, None)).await
}

pub(super) async fn remove(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
    Path(id): Path<String>,
    Form(proof): Form<Proof>,
) -> Result<Response, Refusal> {
    let passkey = find(&dashboard, &person, &id).await?;
    if let Err(sentence) = prove(&dashboard, &person, &proof).await? {
        return remove_form(&dashboard, &person, (&passkey, Some(sentence))).await;
    }
    let change =
        Change::of("account.passkey_remove", None).before(json!({ "passkey": passkey.name }));
    let database = person.recording(&dashboard.operations, change);
    database.remove_passkey(&person.account.id, &passkey.id).await?;
    Ok(person.browser.done(Done::PasskeyRemoved, "/account/security"))
}

async fn name_form(
    dashboard: &Dashboard,
    person: &SignedIn,
    (status, name, sentence): (StatusCode, &str, Option<&str>),
) -> Result<Response, Refusal> {
    let is_first = !dashboard.operations.database.has_second_factor(&person.account.id).await?;
    let body = html! {
        p.above { a href="/account/security" { (words::SECURITY) } }
        h1 { (words::ADD_PASSKEY) }
        @if is_first { p { (words::FIRST_PASSKEY) } }
        (problem(sentence))
        form.wide method="post" action="/account/security/passkeys/new" {
            (Field::text("name", words::PASSKEY_NAME, name).hint(words::PASSKEY_NAME_HINT).show())
            (Proof::field(dashboard, person).await?)
            button.primary type="submit" { (words::CONTINUE) }
        }
    };
    Ok(page(status, person, words::ADD_PASSKEY, &body))
}

async fn remove_form(
    dashboard: &Dashboard,
    person: &SignedIn,
    (passkey, sentence): (&Passkey, Option<&str>),
) -> Result<Response, Refusal> {
    let database = &dashboard.operations.database;
    let account = &person.account.id;
    let is_last = !database.has_totp(account).await? && database.passkeys(account).await?.len() < 2;
    let body = html! {
        p.above { a href="/account/security" { (words::SECURITY) } }
        h1 { (words::REMOVE_PASSKEY) }
        p { strong { (passkey.name) } }
        p { (words::REMOVE_PASSKEY_WHY) @if is_last { " " (words::REMOVE_LAST_FACTOR) } }
        (problem(sentence))
        form.wide method="post" action=(path_of(passkey)) {
            (Proof::field(dashboard, person).await?)
            div.actions {
                button.danger type="submit" { (words::remove_passkey(&passkey.name)) }
                a.button href="/account/security" { (words::CANCEL) }
            }
        }
    };
    let status = if sentence.is_some() { StatusCode::FORBIDDEN } else { StatusCode::OK };
    Ok(page(status, person, words::REMOVE_PASSKEY, &body))
}

/// The passkeys of a user who can add one; otherwise the reason.
async fn room(
    dashboard: &Dashboard,
    person: &SignedIn,
) -> Result<(RelyingParty, Vec<Passkey>), Refusal> {
    let party = party(dashboard)?;
    let known = dashboard.operations.database.passkeys(&person.account.id).await?;
    if is_full(&known) {
        return Err(Refusal::Conflict(words::PASSKEYS_FULL.to_owned()));
    }
    Ok((party, known))
}

async fn find(dashboard: &Dashboard, person: &SignedIn, id: &str) -> Result<Passkey, Refusal> {
    let own = dashboard.operations.database.passkeys(&person.account.id).await?;
    own.into_iter().find(|passkey| passkey.id == id).ok_or(Refusal::Missing)
}

fn is_full(passkeys: &[Passkey]) -> bool {
    i64::try_from(passkeys.len()).is_ok_and(|count| count >= PASSKEYS)
}

fn path_of(passkey: &Passkey) -> String {
    format!("/account/security/passkeys/{}/remove", passkey.id)
}
