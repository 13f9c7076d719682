//! Each check has an answer that fails only that check.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use cbor4ii::core::Value;
use docwright_testing::authenticator::{Authenticator, FLAGS, Kind, Signed, encoded};
use serde_json::json;

use super::{
    Assertion, Credential, LONGEST, Registration, RelyingParty, Unproven, UserVerification,
};

const ORIGIN: &str = "https://docs.example.com:8443";
const CHALLENGE: &[u8] = b"a challenge that is sixteen bytes or more";

fn party() -> RelyingParty {
    RelyingParty::at(&format!("{ORIGIN}/path")).unwrap()
}

fn challenge() -> String {
    URL_SAFE_NO_PAD.encode(CHALLENGE)
}

fn register(authenticator: &Authenticator) -> Result<Credential, Unproven> {
    let (client_data, attestation) = authenticator.register(&challenge());
    let registration = Registration { client_data: &client_data, attestation: &attestation };
    party().register(CHALLENGE, registration)
}

fn verify(signed: &Signed, credential: &Credential) -> Result<u32, Unproven> {
    let assertion = Assertion {
        client_data: &signed.client_data,
        authenticator_data: &signed.authenticator_data,
        signature: &signed.signature,
    };
    party().verify((CHALLENGE, UserVerification::Required), assertion, credential)
}

/// A registered passkey, with one change.
fn changed(change: impl FnOnce(&mut Authenticator)) -> Result<u32, Unproven> {
    let mut authenticator = Authenticator::new(Kind::Es256, ORIGIN);
    let credential = register(&authenticator).unwrap();
    change(&mut authenticator);
    verify(&authenticator.sign(&challenge()), &credential)
}

/// The result of a registration with one change.
fn registered(change: impl FnOnce(&mut Authenticator)) -> Result<Credential, Unproven> {
    let mut authenticator = Authenticator::new(Kind::Es256, ORIGIN);
    change(&mut authenticator);
    register(&authenticator)
}

#[test]
fn passkeys_need_https_or_localhost() {
    for (address, expected) in [
        ("https://docs.example.com", Some(("docs.example.com", "https://docs.example.com"))),
        ("https://Docs.Example.com:443/x", Some(("docs.example.com", "https://docs.example.com"))),
        ("https://docs.example.com:8443", Some(("docs.example.com", ORIGIN))),
        ("http://localhost:8080", Some(("localhost", "http://localhost:8080"))),
        ("http://a.localhost", Some(("a.localhost", "http://a.localhost"))),
        ("http://docs.example.com", None),
        ("http://localhost.example.com", None),
        ("http://127.0.0.1:8080", None),
        ("https://192.0.2.1", None),
        ("https://[::1]:8080", None),
        ("ftp://localhost", None),
        ("", None),
    ] {
        let party = RelyingParty::at(address);
        let found = party.as_ref().map(|party| (party.id.as_str(), party.origin.as_str()));
        assert_eq!(found, expected, "{address}");
    }
}

#[test]
fn every_kind_of_key_signs_in_and_counts() {
    for kind in [Kind::Ed25519, Kind::Es256, Kind::Rs256] {
        let mut authenticator = Authenticator::new(kind, ORIGIN);
        let credential = register(&authenticator).unwrap();
        assert_eq!((&credential.id, credential.sign_count), (&authenticator.id, 1));
        let signed = authenticator.sign(&challenge());
        assert_eq!(verify(&signed, &credential), Ok(2), "{kind:?}");
        for place in [0, signed.signature.len() - 1] {
            let mut wrong = signed.clone();
            wrong.signature[place] ^= 1;
            assert_eq!(verify(&wrong, &credential), Err(Unproven::Signature), "{kind:?}");
        }
        // The signed data is the data that is sent.
        let mut wrong = signed.clone();
        wrong.client_data.insert(1, b' ');
        assert_eq!(verify(&wrong, &credential), Err(Unproven::Signature));
        let mut wrong = signed.clone();
        wrong.authenticator_data[36] ^= 0x10;
        assert_eq!(verify(&wrong, &credential), Err(Unproven::Signature));
        let other = register(&Authenticator::new(kind, ORIGIN)).unwrap();
        assert_eq!(verify(&signed, &other), Err(Unproven::Signature), "the key of another account");
    }
}

#[test]
fn client_data_must_match_challenge() {
    let more = |name: &str, value: serde_json::Value| {
        changed(|wrong| wrong.more_client_data = json!({ name: value }))
    };
    assert_eq!(more("more", json!([1])), Ok(2));
    assert_eq!(more("type", json!("webauthn.create")), Err(Unproven::Kind));
    assert_eq!(more("type", json!("payment.get")), Err(Unproven::Kind));
    assert_eq!(more("challenge", json!("AAAA")), Err(Unproven::Challenge));
    assert_eq!(more("challenge", json!("")), Err(Unproven::Challenge));
    assert_eq!(more("challenge", json!(format!("{}=", challenge()))), Err(Unproven::Challenge));
    for origin in [
        "https://docs.example.com",
        "http://docs.example.com:8443",
        "https://evil.example",
        "https://docs.example.com:8443.evil.example",
        "",
    ] {
        assert_eq!(more("origin", json!(origin)), Err(Unproven::Origin), "{origin}");
    }
    assert_eq!(more("crossOrigin", json!(true)), Err(Unproven::Origin));
    assert_eq!(more("topOrigin", json!(ORIGIN)), Err(Unproven::Origin));
    assert_eq!(more("origin", json!(1)), Err(Unproven::Damaged("client data")));
    // The same holds for a new one.
    let more = |name: &str, value: serde_json::Value| {
        registered(|wrong| wrong.more_client_data = json!({ name: value })).unwrap_err()
    };
    assert_eq!(more("type", json!("webauthn.get")), Unproven::Kind);
    assert_eq!(more("challenge", json!("AAAA")), Unproven::Challenge);
    assert_eq!(more("origin", json!("https://evil.example")), Unproven::Origin);
}

#[test]
fn authenticator_data_must_match_host_and_user() {
    let elsewhere = |wrong: &mut Authenticator| "evil.example".clone_into(&mut wrong.host);
    let absent = |wrong: &mut Authenticator| wrong.flags = FLAGS & !1;
    let unverified = |wrong: &mut Authenticator| wrong.flags = FLAGS & !(1 << 2);
    let copied = |wrong: &mut Authenticator| wrong.flags = FLAGS | 1 << 4;
    assert_eq!(changed(elsewhere), Err(Unproven::RelyingParty));
    assert_eq!(changed(absent), Err(Unproven::Absent));
    assert_eq!(changed(unverified), Err(Unproven::Unverified));
    assert_eq!(changed(copied), Err(Unproven::Backup));
    assert_eq!(changed(|wrong| wrong.flags = FLAGS | 1 << 3), Err(Unproven::Backup), "it can be");
    assert_eq!(registered(elsewhere), Err(Unproven::RelyingParty));
    assert_eq!(registered(absent), Err(Unproven::Absent));
    assert_eq!(registered(unverified), Err(Unproven::Unverified));
    assert_eq!(registered(copied), Err(Unproven::Backup));
    // A passkey that can be copied, and was.
    let mut synced = Authenticator::new(Kind::Ed25519, ORIGIN);
    (synced.flags, synced.sign_count) = (FLAGS | 1 << 3, 0);
    let credential = register(&synced).unwrap();
    assert!(credential.is_backup_eligible);
    synced.flags |= 1 << 4;
    assert_eq!(verify(&synced.sign(&challenge()), &credential), Ok(0));
    synced.flags = FLAGS;
    assert_eq!(verify(&synced.sign(&challenge()), &credential), Err(Unproven::Backup));
}

#[test]
fn touch_is_enough_without_user_verification() {
    let mut authenticator = Authenticator::new(Kind::Ed25519, ORIGIN);
    let credential = register(&authenticator).unwrap();
    authenticator.flags = 1;
    let signed = authenticator.sign(&challenge());
    let assertion = Assertion {
        client_data: &signed.client_data,
        authenticator_data: &signed.authenticator_data,
        signature: &signed.signature,
    };
    let wanted = (CHALLENGE, UserVerification::Unneeded);
    assert_eq!(party().verify(wanted, assertion, &credential), Ok(2));
}

#[test]
fn counter_that_does_not_grow_is_refused() {
    let at = |before: u32, after: u32| {
        let mut authenticator = Authenticator::new(Kind::Ed25519, ORIGIN);
        let credential = Credential { sign_count: before, ..register(&authenticator).unwrap() };
        authenticator.sign_count = after.saturating_sub(1);
        let signed = authenticator.sign(&challenge());
        verify(&signed, &credential)
    };
    assert_eq!(at(0, 0), Ok(0), "it never counts");
    assert_eq!(at(0, 2), Ok(2));
    assert_eq!(at(7, 8), Ok(8));
    assert_eq!(at(7, 7), Err(Unproven::Copied));
    assert_eq!(at(7, 6), Err(Unproven::Copied));
    assert_eq!(at(7, 0), Err(Unproven::Copied));
}

#[test]
fn truncated_or_extended_data_is_refused() {
    let mut authenticator = Authenticator::new(Kind::Es256, ORIGIN);
    let credential = register(&authenticator).unwrap();
    let (client_data, attestation) = authenticator.register(&challenge());
    let whole = |client_data: &[u8], attestation: &[u8]| {
        party().register(CHALLENGE, Registration { client_data, attestation })
    };
    assert!(whole(&client_data, &attestation).is_ok());
    for length in 0..attestation.len() {
        assert!(whole(&client_data, &attestation[..length]).is_err(), "{length}");
    }
    for length in 0..client_data.len() {
        assert!(whole(&client_data[..length], &attestation).is_err(), "{length}");
    }
    let longer = [attestation.as_slice(), &[0]].concat();
    assert_eq!(whole(&client_data, &longer), Err(Unproven::Damaged("attestation")));
    let spaces = |bytes: &[u8]| [bytes, vec![b' '; LONGEST].as_slice()].concat();
    let long = Err(Unproven::Damaged("client data"));
    assert_eq!(whole(&spaces(&client_data), &attestation), long);
    let signed = authenticator.sign(&challenge());
    for length in 0..signed.authenticator_data.len() {
        let mut wrong = signed.clone();
        wrong.authenticator_data.truncate(length);
        let damaged = Err(Unproven::Damaged("authenticator data"));
        assert_eq!(verify(&wrong, &credential), damaged);
    }
    for trailing in [vec![0], vec![0xa0], vec![0; LONGEST]] {
        let damaged = Unproven::Damaged("authenticator data");
        let follow = |wrong: &mut Authenticator| wrong.trailing.clone_from(&trailing);
        assert_eq!(changed(follow), Err(damaged));
        assert!(matches!(registered(follow), Err(Unproven::Damaged(_))));
    }
    // Extension outputs are skipped.
    let extended = |wrong: &mut Authenticator| {
        (wrong.flags, wrong.trailing) = (FLAGS | 1 << 7, vec![0xa1, 0x61, 0x78, 0xf5]);
    };
    assert_eq!(changed(extended), Ok(2));
    assert!(registered(extended).is_ok());
    assert!(registered(|wrong| wrong.flags = FLAGS | 1 << 7).is_err());
    assert!(registered(|wrong| wrong.id = Vec::new()).is_err());
    assert!(registered(|wrong| wrong.id = vec![1; 1023]).is_ok());
    assert!(registered(|wrong| wrong.id = vec![1; 1024]).is_err());
}

#[test]
fn key_must_be_of_offered_kind_and_on_its_curve() {
    let with = |kind: Kind, label: i128, value: Option<Value>| {
        let authenticator = Authenticator::new(kind, ORIGIN);
        let Value::Map(mut key) = authenticator.public_key() else { panic!("it is a map") };
        key.retain(|(name, _)| *name != Value::Integer(label));
        key.extend(value.map(|value| (Value::Integer(label), value)));
        let attestation = authenticator.attestation_of(&Value::Map(key));
        let client_data = authenticator.client_data("webauthn.create", &challenge());
        let registration = Registration { client_data: &client_data, attestation: &attestation };
        party().register(CHALLENGE, registration).map(drop)
    };
    assert_eq!(with(Kind::Es256, 9, Some(Value::Null)), Ok(()), "others are left out");
    for kind in [Kind::Ed25519, Kind::Es256, Kind::Rs256] {
        for label in [1, 3, -1, -2] {
            assert_eq!(with(kind, label, None), Err(Unproven::Key), "{kind:?} {label}");
        }
        for value in [Value::Integer(-65535), Value::Integer(-9), Value::Text("ES256".to_owned())] {
            assert_eq!(with(kind, 3, Some(value)), Err(Unproven::Key), "{kind:?}");
        }
        for bytes in [vec![], vec![1; 31], vec![1; 33], vec![0; 2048]] {
            let wrong = with(kind, -2, Some(Value::Bytes(bytes)));
            assert_eq!(wrong, Err(Unproven::Key), "{kind:?}");
        }
    }
    let off_curve = with(Kind::Es256, -3, Some(Value::Bytes(vec![1; 32])));
    assert_eq!(off_curve, Err(Unproven::Key));
    assert_eq!(with(Kind::Es256, -1, Some(Value::Integer(2))), Err(Unproven::Key));
    for modulus in [vec![0xff; 128], vec![0; 256], vec![0xff; 1025]] {
        assert_eq!(with(Kind::Rs256, -1, Some(Value::Bytes(modulus))), Err(Unproven::Key));
    }
    // The stored key is the received one, byte for byte.
    let authenticator = Authenticator::new(Kind::Ed25519, ORIGIN);
    let kept = register(&authenticator).unwrap().public_key;
    assert_eq!(kept, encoded(&authenticator.public_key()));
}
