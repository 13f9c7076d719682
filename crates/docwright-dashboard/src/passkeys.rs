//! Passkeys of accounts: requests to browsers, and the accounts of answers. `webauthn` verifies answers, and the
//! database accepts each only once.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use docwright_operations::{Operations, failed_sign_ins::SignInRefusal};
use docwright_storage::database::{Account, Passkey};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Dashboard,
    challenge::{Challenge, Purpose},
    own_account, passwords,
    refusal::Refusal,
    session::{Browser, SignedIn},
    words,
};
use crate::webauthn::{
    ALGORITHMS, Assertion, Credential, LONGEST, RelyingParty, Unproven, UserVerification,
};

/// The relying party; `None` if browsers don't support passkeys at the service's URL.
pub(super) fn relying_party(operations: &Operations) -> Option<RelyingParty> {
    RelyingParty::at(&operations.repositories.public_url)
}

/// A form with a passkey's signature, in base64url.
#[derive(Deserialize)]
pub(super) struct PasskeyAssertion {
    id: String,
    client_data: String,
    authenticator_data: String,
    signature: String,
    /// The user handle that the authenticator stored.
    #[serde(default)]
    user_handle: String,
}

/// Bytes in base64url, up to a limit; empty if they are invalid.
pub(super) fn bytes(text: &str) -> Vec<u8> {
    let most = LONGEST.div_ceil(3) * 4;
    Some(text).filter(|text| text.len() <= most).map_or_else(Vec::new, |text| {
        URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).unwrap_or_default()
    })
}

/// The browser's options to create a passkey for a user, excluding the passkeys the user has.
pub(super) fn creation(
    party: &RelyingParty,
    challenge: &Challenge,
    person: &SignedIn,
    known: &[Passkey],
) -> Value {
    let parameters = ALGORITHMS.map(|number| json!({ "type": "public-key", "alg": number }));
    json!({
        "rp": { "id": party.id, "name": words::PRODUCT },
        "user": {
            "id": URL_SAFE_NO_PAD.encode(&person.account.id),
            "name": person.account.email,
            "displayName": person.account.name,
        },
        "challenge": URL_SAFE_NO_PAD.encode(challenge.bytes()),
        "pubKeyCredParams": parameters,
        "timeout": Challenge::SECONDS * 1000,
        "excludeCredentials": descriptors(known),
        "authenticatorSelection": {
            "residentKey": "required",
            "requireResidentKey": true,
            "userVerification": "required",
        },
        "attestation": "none",
    })
}

/// The browser's options to sign in with one of these passkeys, or with any passkey if the list is empty.
pub(super) fn request(
    party: &RelyingParty,
    challenge: &Challenge,
    verification: UserVerification,
    of: &[Passkey],
) -> Value {
    let verification = match verification {
        UserVerification::Required => "required",
        UserVerification::Unneeded => "discouraged",
    };
    json!({
        "rpId": party.id,
        "challenge": URL_SAFE_NO_PAD.encode(challenge.bytes()),
        "timeout": Challenge::SECONDS * 1000,
        "userVerification": verification,
        "allowCredentials": descriptors(of),
    })
}

fn descriptors(passkeys: &[Passkey]) -> Vec<Value> {
    let descriptor =
        |passkey: &Passkey| json!({ "type": "public-key", "id": passkey.credential_id });
    passkeys.iter().map(descriptor).collect()
}

/// The account that a passkey signs in to on its own; otherwise the error. Failures count like wrong passwords.
pub(super) async fn sign_in(
    dashboard: &Dashboard,
    browser: &Browser,
    party: &RelyingParty,
    answer: &PasskeyAssertion,
) -> Result<Result<Account, &'static str>, Refusal> {
    let operations = &dashboard.operations;
    let found = operations.database.passkey_of_credential(&answer.id).await?;
    let account = found.as_ref().map(|(_, account)| account);
    let (email, id) = account.map(|account| (&*account.email, &*account.id)).unzip();
    let attempt = passwords::count(dashboard, browser, (email.unwrap_or_default(), id)).await?;
    let asked = (Purpose::SignIn, UserVerification::Required);
    let Some((passkey, account)) = found else {
        operations.failed_sign_ins.record(SignInRefusal::Passkey, None);
        return Ok(Err(words::PASSKEY_WRONG));
    };
    // Only the authenticator identified the user.
    if bytes(&answer.user_handle) != account.id.as_bytes() {
        operations.failed_sign_ins.record(SignInRefusal::Passkey, Some(&account.id));
        return Ok(Err(words::PASSKEY_WRONG));
    }
    // These users must sign in with a provider each time, so that it can revoke access.
    let email = account.email.parse().map_err(Refusal::Failed)?;
    let known = operations.database.account_of_email(&email).await?;
    if known.is_none_or(|(_, password)| password.is_none()) {
        return Ok(Err(words::PASSKEY_SECOND_ONLY));
    }
    let passkey = (&passkey, &account);
    if let Err(sentence) = used(dashboard, browser, (party, asked), (passkey, answer)).await? {
        return Ok(Err(sentence));
    }
    dashboard.attempts.take_back(attempt);
    Ok(Ok(account))
}

/// Whether an account confirmed its password with one of its passkeys; otherwise the error.
pub(super) async fn second_factor(
    dashboard: &Dashboard,
    browser: &Browser,
    (party, session_id): (&RelyingParty, &str),
    (account, answer): (&Account, &PasskeyAssertion),
) -> Result<Result<(), &'static str>, Refusal> {
    let found = dashboard.operations.database.passkey_of_credential(&answer.id).await?;
    let asked = (Purpose::SecondFactor(session_id), UserVerification::Unneeded);
    let Some((passkey, _)) = found.filter(|(_, owner)| owner.id == account.id) else {
        dashboard.operations.failed_sign_ins.record(SignInRefusal::Passkey, Some(&account.id));
        return Ok(Err(words::PASSKEY_WRONG));
    };
    used(dashboard, browser, (party, asked), ((&passkey, account), answer)).await
}

/// Whether a passkey signed this browser's challenge, which counts once; otherwise the error.
async fn used(
    dashboard: &Dashboard,
    browser: &Browser,
    (party, (purpose, verification)): (&RelyingParty, (Purpose<'_>, UserVerification)),
    ((passkey, account), answer): ((&Passkey, &Account), &PasskeyAssertion),
) -> Result<Result<(), &'static str>, Refusal> {
    let operations = &dashboard.operations;
    let keyring = &operations.repositories.keyring;
    let cookie = browser.passkey.as_deref().unwrap_or_default();
    let Some(challenge) = Challenge::end(keyring, purpose, cookie, operations.now()) else {
        return Ok(Err(words::PASSKEY_LATE));
    };
    let credential = Credential {
        id: bytes(&passkey.credential_id),
        public_key: bytes(&passkey.public_key),
        sign_count: passkey.sign_count,
        is_backup_eligible: passkey.is_backup_eligible,
    };
    let [client_data, authenticator_data, signature] =
        [&answer.client_data, &answer.authenticator_data, &answer.signature]
            .map(|text| bytes(text));
    let assertion = Assertion {
        client_data: &client_data,
        authenticator_data: &authenticator_data,
        signature: &signature,
    };
    let refused = |why: Unproven| {
        operations.failed_sign_ins.record(SignInRefusal::Passkey, Some(&account.id));
        tracing::debug!(account = account.id, passkey = passkey.id, reason = %why, "passkey rejected");
        Ok(Err(sentence(why)))
    };
    let count = match party.verify((challenge.bytes(), verification), assertion, &credential) {
        Ok(count) => count,
        Err(why) => return refused(why),
    };
    let change = ("account.passkey_sign_in", None, Some(json!({ "passkey": passkey.name })));
    let database = own_account::recording(operations, browser, account, change);
    if !database.use_passkey(passkey, count, challenge.answered(), operations.now()).await? {
        // The challenge was already answered, or the passkey was used or removed at the same time.
        return refused(Unproven::Challenge);
    }
    Ok(Ok(()))
}

/// The error message for an invalid answer.
pub(super) const fn sentence(why: Unproven) -> &'static str {
    match why {
        Unproven::Challenge => words::PASSKEY_LATE,
        Unproven::Copied => words::PASSKEY_COPIED,
        Unproven::Unverified => words::PASSKEY_UNVERIFIED,
        Unproven::Origin | Unproven::RelyingParty => words::PASSKEY_ELSEWHERE,
        _ => words::PASSKEY_WRONG,
    }
}
