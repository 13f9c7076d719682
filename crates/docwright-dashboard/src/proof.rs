//! Confirms the user's identity before sign-in methods change, so that someone with only a session, such as in a
//! browser left open, can't take over the account.

use docwright_storage::database::CodeUse;
use docwright_types::account::Email;
use maud::{Markup, html};
use serde::Deserialize;

use super::{Dashboard, parts::Field, passwords, refusal::Refusal, session::SignedIn, words};

/// Fields of the confirmation.
#[derive(Deserialize)]
pub(super) struct Proof {
    #[serde(default)]
    proof: String,
}

impl Proof {
    /// The field: a password, or a code if the account has no password.
    pub(super) async fn field(dashboard: &Dashboard, person: &SignedIn) -> Result<Markup, Refusal> {
        let database = &dashboard.operations.database;
        let has_password = password_of(dashboard, person).await?.is_some();
        let has_factor = database.has_second_factor(&person.account.id).await?;
        let password = Field::text("proof", words::PASSWORD, "").of("password", "current-password");
        let code = Field::text("proof", words::PROOF_CODE, "").of("text", "one-time-code");
        Ok(html! {
            @if has_password { (password.show()) } @else if has_factor { (code.show()) }
        })
    }
}

/// Whether the confirmation is valid; otherwise the error. An account without a password and an authenticator app
/// has nothing to confirm with: then the sign-in by the provider is enough.
pub(super) async fn prove(
    dashboard: &Dashboard,
    person: &SignedIn,
    given: &Proof,
) -> Result<Result<(), &'static str>, Refusal> {
    let operations = &dashboard.operations;
    let account = &person.account;
    if password_of(dashboard, person).await?.is_none() {
        if !operations.database.has_second_factor(&account.id).await? {
            return Ok(Ok(()));
        }
        let keyring = &operations.repositories.keyring;
        let used = operations
            .database
            .use_code(&account.id, &given.proof, keyring, operations.now())
            .await?;
        return Ok(match used {
            CodeUse::Right => Ok(()),
            CodeUse::Wrong => Err(words::WRONG_PROOF),
            CodeUse::TooMany => Err(words::TOO_MANY_CODES),
        });
    }
    match passwords::check(dashboard, &person.browser, &account.email, &given.proof).await {
        Ok(Some(_)) => Ok(Ok(())),
        Ok(None) => Ok(Err(words::WRONG_PROOF)),
        Err(Refusal::Limited(_)) => Ok(Err(words::TOO_MANY_SIGN_INS)),
        Err(other) => Err(other),
    }
}

async fn password_of(dashboard: &Dashboard, person: &SignedIn) -> Result<Option<String>, Refusal> {
    let email = person.account.email.parse::<Email>().map_err(Refusal::Failed)?;
    let found = dashboard.operations.database.account_of_email(&email).await?;
    Ok(found.and_then(|(_, password)| password))
}
