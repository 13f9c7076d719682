//! The form field that confirms the user's identity before sign-in methods change. `callers` checks it.

use docwright_operations::callers::proof::{self, ProofRefusal, RequiredProof};
use maud::{Markup, html};
use serde::Deserialize;

use super::{Dashboard, parts::Field, refusal::Refusal, session::SignedIn, words};

/// Fields of the confirmation.
#[derive(Deserialize)]
pub(super) struct Proof {
    #[serde(default)]
    proof: String,
}

impl Proof {
    /// The field: a password, or a code if the account has no password.
    pub(super) async fn field(dashboard: &Dashboard, person: &SignedIn) -> Result<Markup, Refusal> {
        let required = proof::required(&dashboard.operations, &person.account).await?;
        let password = Field::text("proof", words::PASSWORD, "").of("password", "current-password");
        let code = Field::text("proof", words::PROOF_CODE, "").of("text", "one-time-code");
        Ok(match required {
            RequiredProof::Password => password.show(),
            RequiredProof::Code => code.show(),
            RequiredProof::Nothing => html! {},
        })
    }
}

/// Whether the confirmation is valid; otherwise the error.
pub(super) async fn prove(
    dashboard: &Dashboard,
    person: &SignedIn,
    given: &Proof,
) -> Result<Result<(), &'static str>, Refusal> {
    let client = &person.browser.client;
    let checked =
        proof::check(&dashboard.operations, client, &person.account, &given.proof).await?;
    Ok(checked.map_err(|why| match why {
        ProofRefusal::Wrong => words::WRONG_PROOF,
        ProofRefusal::TooManyCodes => words::TOO_MANY_CODES,
        ProofRefusal::TooManyPasswords => words::TOO_MANY_SIGN_INS,
    }))
}
