//! What browsers are asked for passkeys, and the words for refused ones. `callers` verifies the answers.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use docwright_operations::callers::passkeys::{
    ALGORITHMS, Challenge, PasskeyRefusal, RelyingParty, UserVerification,
};
use docwright_storage::database::Passkey;
use serde_json::{Value, json};

use super::{session::SignedIn, words};

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

/// The error message for a refused passkey.
pub(super) const fn sentence(why: PasskeyRefusal) -> &'static str {
    match why {
        PasskeyRefusal::Wrong => words::PASSKEY_WRONG,
        PasskeyRefusal::TooMany => words::TOO_MANY_SIGN_INS,
        PasskeyRefusal::SecondOnly => words::PASSKEY_SECOND_ONLY,
        PasskeyRefusal::Late => words::PASSKEY_LATE,
        PasskeyRefusal::Copied => words::PASSKEY_COPIED,
        PasskeyRefusal::Unverified => words::PASSKEY_UNVERIFIED,
        PasskeyRefusal::Elsewhere => words::PASSKEY_ELSEWHERE,
    }
}
