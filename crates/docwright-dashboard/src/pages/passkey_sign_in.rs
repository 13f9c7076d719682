//! Sign-in with a passkey: on its own, or as the second factor.

use axum::{
    extract::{Query, State},
    http::{StatusCode, header},
    response::{IntoResponse, Redirect, Response},
};
use docwright_operations::callers::{
    passkeys::{
        self, Challenge, PasskeyAssertion, PasskeyRefusal, Purpose, RelyingParty, UserVerification,
        relying_party,
    },
    second_factor::{SecondFactorRefusal, check_passkey},
    sessions::SignInMethod,
};
use docwright_storage::database::{Account, Session};
use maud::html;
use serde::Deserialize;

use super::code;
use crate::{
    Dashboard,
    forms::Form,
    frame,
    parts::{PasskeyForm, problem},
    passkeys::{request, sentence},
    paths::with_query,
    refusal::Refusal,
    session::{Browser, own_path},
    words,
};

/// Fields of the form with an answer.
const ANSWERS: [&str; 5] = ["id", "client_data", "authenticator_data", "signature", "user_handle"];

#[derive(Deserialize)]
pub(super) struct PasskeySignInQuery {
    next: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct PasskeySignInForm {
    next: Option<String>,
    #[serde(flatten)]
    answer: PasskeyAssertion,
}

/// The page that asks for a passkey, with the error of the last attempt.
struct Page<'a> {
    dashboard: &'a Dashboard,
    browser: &'a Browser,
    party: &'a RelyingParty,
    next: Option<&'a str>,
    problem: Option<(StatusCode, &'a str)>,
}

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    browser: Browser,
    Query(wanted): Query<PasskeySignInQuery>,
) -> Result<Response, Refusal> {
    let party = &party(&dashboard)?;
    let next = wanted.next.as_deref();
    Page { dashboard: &dashboard, browser: &browser, party, next, problem: None }.sign_in()
}

pub(super) async fn sign_in(
    State(dashboard): State<Dashboard>,
    browser: Browser,
    Form(given): Form<PasskeySignInForm>,
) -> Result<Response, Refusal> {
    let party = &party(&dashboard)?;
    let next = given.next.as_deref();
    let operations = &dashboard.operations;
    let answer = (party, browser.kept_challenge(), &given.answer);
    let problem = match passkeys::sign_in(operations, &browser.client, answer).await? {
        Ok(account) => {
            let method = SignInMethod::Passkey;
            let signed_in = browser.begin(operations, &account.id, method, own_path(next)).await?;
            return Ok(over(&browser, signed_in));
        }
        Err(why @ PasskeyRefusal::TooMany) => (StatusCode::TOO_MANY_REQUESTS, sentence(why)),
        Err(why) => (StatusCode::FORBIDDEN, sentence(why)),
    };
    let problem = Some(problem);
    Page { dashboard: &dashboard, browser: &browser, party, next, problem }.sign_in()
}

pub(super) async fn show_second(
    State(dashboard): State<Dashboard>,
    browser: Browser,
    Query(wanted): Query<PasskeySignInQuery>,
) -> Result<Response, Refusal> {
    let next = wanted.next.as_deref();
    let (session, account) = match waiting(&dashboard, &browser, next).await? {
        Ok(found) => found,
        Err(elsewhere) => return Ok(elsewhere),
    };
    let party = &party(&dashboard)?;
    let page = Page { dashboard: &dashboard, browser: &browser, party, next, problem: None };
    page.second_factor(&session, &account).await
}

pub(super) async fn check_second(
    State(dashboard): State<Dashboard>,
    browser: Browser,
    Form(given): Form<PasskeySignInForm>,
) -> Result<Response, Refusal> {
    let operations = &dashboard.operations;
    let next = given.next.as_deref();
    let (session, account) = match waiting(&dashboard, &browser, next).await? {
        Ok(found) => found,
        Err(elsewhere) => return Ok(elsewhere),
    };
    let party = &party(&dashboard)?;
    let (waiting, answer) =
        ((&session, &account), (party, browser.kept_challenge(), &given.answer));
    match check_passkey(operations, &browser.client, waiting, answer).await? {
        Ok(()) => {
            let signed_in = browser.complete(operations, &session, own_path(next)).await?;
            Ok(over(&browser, signed_in))
        }
        Err(SecondFactorRefusal::Ended) => Ok(code::ended()),
        Err(SecondFactorRefusal::Refused(why)) => {
            let problem = Some((StatusCode::FORBIDDEN, sentence(why)));
            let page = Page { dashboard: &dashboard, browser: &browser, party, next, problem };
            page.second_factor(&session, &account).await
        }
    }
}

impl Page<'_> {
    fn sign_in(&self) -> Result<Response, Refusal> {
        let challenge = self.challenge(Purpose::SignIn)?;
        let verification = UserVerification::Required;
        let options = request(self.party, &challenge, verification, &[]);
        let otherwise = (with_query("/sign-in", &[("next", self.next)]), words::SIGN_IN_OTHERWISE);
        let text = ("/sign-in/passkey", words::SIGN_IN_WITH_PASSKEY);
        Ok(self.show(&challenge, &options, text, otherwise))
    }

    async fn second_factor(
        &self,
        session: &Session,
        account: &Account,
    ) -> Result<Response, Refusal> {
        let code = with_query("/sign-in/code", &[("next", self.next)]);
        let known = self.dashboard.operations.database.passkeys(&account.id).await?;
        if known.is_empty() {
            return Ok(Redirect::to(&code).into_response());
        }
        let challenge = self.challenge(Purpose::SecondFactor(&session.id))?;
        let verification = UserVerification::Unneeded;
        let options = request(self.party, &challenge, verification, &known);
        let text = ("/sign-in/code/passkey", words::CODE_TITLE);
        Ok(self.show(&challenge, &options, text, (code, words::USE_CODE)))
    }

    fn challenge(&self, purpose: Purpose<'_>) -> Result<Challenge, Refusal> {
        let operations = &self.dashboard.operations;
        Challenge::begin(&operations.repositories.keyring, purpose, operations.now())
            .map_err(Refusal::Failed)
    }

    fn show(
        &self,
        challenge: &Challenge,
        options: &serde_json::Value,
        (path, title): (&str, &str),
        (otherwise, label): (String, &str),
    ) -> Response {
        let (status, why) = self.problem.unzip();
        let next = self.next.map(|next| ("next", next));
        let form = PasskeyForm {
            path,
            question: "get",
            options,
            answers: &ANSWERS,
            fields: next.as_slice(),
            is_asked_now: why.is_none(),
            label: words::USE_PASSKEY,
        };
        let body = html! {
            h1 { (title) }
            p { (words::USE_PASSKEY_WHY) }
            (problem(why))
            (form.show())
            p.other { a href=(otherwise) { (label) } }
        };
        let mut response = frame::alone(status.unwrap_or(StatusCode::OK), title, &body);
        let cookie = self.browser.passkey_cookie(challenge.kept(), Challenge::SECONDS);
        response.headers_mut().append(header::SET_COOKIE, cookie);
        response
    }
}

/// The relying party for passkeys, or a page that explains why passkeys are unavailable.
pub(super) fn party(dashboard: &Dashboard) -> Result<RelyingParty, Refusal> {
    let address = &dashboard.operations.repositories.public_url;
    relying_party(&dashboard.operations)
        .ok_or_else(|| Refusal::Conflict(words::no_passkeys_here(address)))
}

/// The response, with the challenge cookie removed.
pub(super) fn over(browser: &Browser, mut response: Response) -> Response {
    response.headers_mut().append(header::SET_COOKIE, browser.passkey_cookie("", 0));
    response
}

/// The session that waits for the second factor, and its account; otherwise a redirect.
async fn waiting(
    dashboard: &Dashboard,
    browser: &Browser,
    next: Option<&str>,
) -> Result<Result<(Session, Account), Response>, Refusal> {
    Ok(match browser.session(&dashboard.operations).await? {
        Some((session, account)) if !session.complete => Ok((session, account)),
        Some(_) => Err(Redirect::to(own_path(next)).into_response()),
        None => Err(Redirect::to("/sign-in").into_response()),
    })
}
