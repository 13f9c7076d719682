//! Callers with a passkey: alone, or as the second factor. `webauthn` verifies assertions, and the database accepts
//! each challenge only once. The face asks the browser, and keeps the text of the challenge there.

mod challenge;
mod webauthn;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use docwright_storage::database::{Account, Passkey, Session};
use serde::Deserialize;
use serde_json::json;

use super::{Client, passwords};
use crate::{OperationError, Operations, audit::Change, failed_sign_ins::SignInRefusal};
use webauthn::{Assertion, LONGEST, Registration, Unproven};

pub use challenge::{Challenge, Purpose};
pub use webauthn::{ALGORITHMS, Credential, RelyingParty, UserVerification};

/// A passkey's signature from a browser, in base64url.
#[derive(Debug, Deserialize)]
pub struct PasskeyAssertion {
    id: String,
    client_data: String,
    authenticator_data: String,
    signature: String,
    /// The user handle that the authenticator stored.
    #[serde(default)]
    user_handle: String,
}

/// A new passkey from a browser, in base64url.
#[derive(Debug, Deserialize)]
pub struct PasskeyRegistration {
    client_data: String,
    attestation: String,
}

/// Why a passkey is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasskeyRefusal {
    /// It belongs to no account here, or its answer is wrong.
    Wrong,
    /// Too many passwords and passkeys were wrong before; this one was not checked.
    TooMany,
    /// Its account has no password, so it is only a second factor.
    SecondOnly,
    /// Its challenge has expired, was answered before, or belongs to another browser.
    Late,
    /// It exists twice.
    Copied,
    /// Its authenticator didn't verify the user.
    Unverified,
    /// It is for another host or page.
    Elsewhere,
}

impl From<Unproven> for PasskeyRefusal {
    fn from(why: Unproven) -> Self {
        match why {
            Unproven::Challenge => Self::Late,
            Unproven::Copied => Self::Copied,
            Unproven::Unverified => Self::Unverified,
            Unproven::Origin | Unproven::RelyingParty => Self::Elsewhere,
            _ => Self::Wrong,
        }
    }
}

/// The relying party; `None` if browsers don't support passkeys at the service's URL.
pub fn relying_party(operations: &Operations) -> Option<RelyingParty> {
    RelyingParty::at(&operations.repositories.public_url)
}

/// The account that a passkey signs in to on its own. Failures count like wrong passwords.
pub async fn sign_in(
    operations: &Operations,
    client: &Client,
    (party, kept, assertion): (&RelyingParty, &str, &PasskeyAssertion),
) -> Result<Result<Account, PasskeyRefusal>, OperationError> {
    let found = operations.database.passkey_of_credential(&assertion.id).await?;
    let account = found.as_ref().map(|(_, account)| account);
    let (email, id) = account.map(|account| (&*account.email, &*account.id)).unzip();
    let counted = passwords::count(operations, client, (email.unwrap_or_default(), id)).await?;
    let Some(attempt) = counted else { return Ok(Err(PasskeyRefusal::TooMany)) };
    let Some((passkey, account)) = found else {
        operations.failed_sign_ins.record(SignInRefusal::Passkey, None);
        return Ok(Err(PasskeyRefusal::Wrong));
    };
    // Only the authenticator identified the user.
    if bytes(&assertion.user_handle) != account.id.as_bytes() {
        operations.failed_sign_ins.record(SignInRefusal::Passkey, Some(&account.id));
        return Ok(Err(PasskeyRefusal::Wrong));
    }
    // These users must sign in with a provider each time, so that it can revoke access.
    let email = account.email.parse().map_err(OperationError::Internal)?;
    let known = operations.database.account_of_email(&email).await?;
    if known.is_none_or(|(_, password)| password.is_none()) {
        return Ok(Err(PasskeyRefusal::SecondOnly));
    }
    let question = (party, Purpose::SignIn, UserVerification::Required);
    let used = verify(operations, client, question, (kept, assertion, &passkey, &account)).await?;
    if let Err(why) = used {
        return Ok(Err(why));
    }
    operations.attempts.take_back(attempt);
    Ok(Ok(account))
}

/// Whether an account confirmed its password with one of its passkeys.
pub(super) async fn second_factor(
    operations: &Operations,
    client: &Client,
    (session, account): (&Session, &Account),
    (party, kept, assertion): (&RelyingParty, &str, &PasskeyAssertion),
) -> Result<Result<(), PasskeyRefusal>, OperationError> {
    let found = operations.database.passkey_of_credential(&assertion.id).await?;
    let Some((passkey, _)) = found.filter(|(_, owner)| owner.id == account.id) else {
        operations.failed_sign_ins.record(SignInRefusal::Passkey, Some(&account.id));
        return Ok(Err(PasskeyRefusal::Wrong));
    };
    let question = (party, Purpose::SecondFactor(&session.id), UserVerification::Unneeded);
    verify(operations, client, question, (kept, assertion, &passkey, account)).await
}

/// The new passkey of a browser, and the challenge that it answers, for a session in which its owner's identity was
/// confirmed. The database accepts the challenge once.
pub fn register(
    operations: &Operations,
    party: &RelyingParty,
    session: &Session,
    (kept, registration): (&str, &PasskeyRegistration),
) -> Result<(Credential, Challenge), PasskeyRefusal> {
    let keyring = &operations.repositories.keyring;
    let challenge = Challenge::end(keyring, Purpose::Add(&session.id), kept, operations.now());
    let challenge = challenge.ok_or(PasskeyRefusal::Late)?;
    let [client_data, attestation] =
        [&registration.client_data, &registration.attestation].map(|text| bytes(text));
    let registration = Registration { client_data: &client_data, attestation: &attestation };
    let credential = party.register(challenge.bytes(), registration)?;
    Ok((credential, challenge))
}

/// Whether a passkey signed this browser's challenge, which counts once.
async fn verify(
    operations: &Operations,
    client: &Client,
    (party, purpose, verification): (&RelyingParty, Purpose<'_>, UserVerification),
    (kept, given, passkey, account): (&str, &PasskeyAssertion, &Passkey, &Account),
) -> Result<Result<(), PasskeyRefusal>, OperationError> {
    let keyring = &operations.repositories.keyring;
    let Some(challenge) = Challenge::end(keyring, purpose, kept, operations.now()) else {
        return Ok(Err(PasskeyRefusal::Late));
    };
    let credential = Credential {
        id: bytes(&passkey.credential_id),
        public_key: bytes(&passkey.public_key),
        sign_count: passkey.sign_count,
        is_backup_eligible: passkey.is_backup_eligible,
    };
    let [client_data, authenticator_data, signature] =
        [&given.client_data, &given.authenticator_data, &given.signature].map(|text| bytes(text));
    let assertion = Assertion {
        client_data: &client_data,
        authenticator_data: &authenticator_data,
        signature: &signature,
    };
    let refused = |why: Unproven| {
        operations.failed_sign_ins.record(SignInRefusal::Passkey, Some(&account.id));
        tracing::debug!(account = account.id, passkey = passkey.id, reason = %why, "passkey rejected");
        Ok(Err(why.into()))
    };
    let count = match party.verify((challenge.bytes(), verification), assertion, &credential) {
        Ok(count) => count,
        Err(why) => return refused(why),
    };
    let change =
        Change::of("account.passkey_sign_in", None).after(json!({ "passkey": passkey.name }));
    let database = client.recording(operations, (&account.id, &account.email), change);
    if !database.use_passkey(passkey, count, challenge.answered(), operations.now()).await? {
        // The challenge was already answered, or the passkey was used or removed at the same time.
        return refused(Unproven::Challenge);
    }
    Ok(Ok(()))
}

/// Bytes in base64url, up to a limit; empty if they are invalid.
fn bytes(text: &str) -> Vec<u8> {
    let most = LONGEST.div_ceil(3) * 4;
    Some(text).filter(|text| text.len() <= most).map_or_else(Vec::new, |text| {
        URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).unwrap_or_default()
    })
}
