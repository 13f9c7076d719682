//! Claims about a user, and whether they can be trusted.

use docwright_types::account::Email;
use jsonwebtoken::{
    Algorithm, DecodingKey, Validation, decode, decode_header,
    jwk::{Jwk, JwkSet},
};
use serde_json::{Map, Value};

/// Allowed signature algorithms. Symmetric ones and `none` are excluded.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

/// A user, as the provider knows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The permanent ID.
    pub subject: String,
    /// The email address, if the provider verified it.
    pub verified_email: Option<Email>,
    /// The name.
    pub name: Option<String>,
    /// The groups.
    pub groups: Vec<String>,
}

/// The claims of a token that the provider signed for this service and this sign-in.
pub(super) fn verify(
    token: &str,
    keys: &Value,
    (issuer, client_id, nonce): (&str, &str, &str),
) -> Result<Map<String, Value>, String> {
    let header = decode_header(token).map_err(|error| error.to_string())?;
    if !ALGORITHMS.contains(&header.alg) {
        return Err(format!("a token is signed by {:?}", header.alg));
    }
    let mut validation = Validation::new(header.alg);
    validation.set_issuer(&[issuer]);
    validation.set_audience(&[client_id]);
    validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
    validation.validate_nbf = true;
    let keys = keys["keys"].as_array().cloned().unwrap_or_default();
    // A provider can have keys of unknown kinds.
    let keys = keys.into_iter().filter_map(|key| serde_json::from_value::<Jwk>(key).ok()).collect();
    let keys = JwkSet { keys };
    let fits = |key: &&Jwk| header.kid.is_none() || key.common.key_id == header.kid;
    let mut last = "no key fits".to_owned();
    for key in keys.keys.iter().filter(fits) {
        let key = DecodingKey::from_jwk(key).map_err(|error| error.to_string())?;
        let claims = match decode::<Map<String, Value>>(token, &key, &validation) {
            Ok(decoded) => decoded.claims,
            Err(error) => {
                last = error.to_string();
                continue;
            }
        };
        if claims.get("nonce").and_then(Value::as_str) != Some(nonce) {
            return Err("a token is of another sign-in".to_owned());
        }
        // OpenID Connect Core, section 3.1.3.7, for tokens that other services can use too.
        let is_other = |azp: &Value| azp.as_str() != Some(client_id);
        if claims.get("azp").is_some_and(is_other) {
            return Err("a token is for another service".to_owned());
        }
        // The token doesn't name the service that requested it.
        let has_several =
            claims.get("aud").and_then(Value::as_array).is_some_and(|all| all.len() > 1);
        if has_several && !claims.contains_key("azp") {
            return Err("a token is for several services and names no `azp`".to_owned());
        }
        return Ok(claims);
    }
    Err(last)
}

/// Adds claims from outside the token. They must be about the same user.
pub(super) fn add(claims: &mut Map<String, Value>, more: Value) -> Result<(), String> {
    let Value::Object(more) = more else { return Err("no claims came".to_owned()) };
    if more.get("sub") != claims.get("sub") {
        return Err("it speaks of two people".to_owned());
    }
    for (name, value) in more {
        claims.entry(name).or_insert(value);
    }
    Ok(())
}

impl Person {
    /// Reads claims.
    pub(super) fn of(claims: &Map<String, Value>, groups_claim: &str) -> Result<Self, String> {
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        let subject = text("sub").filter(|subject| !subject.is_empty());
        // Some providers write it as a string.
        let is_verified = matches!(claims.get("email_verified"), Some(Value::Bool(true)))
            || text("email_verified") == Some("true");
        let email = text("email").filter(|_| is_verified).and_then(|email| email.parse().ok());
        let groups = match claims.get(groups_claim) {
            Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(one)) => vec![one.as_str()],
            _ => Vec::new(),
        };
        Ok(Self {
            subject: subject.ok_or("it does not say who")?.to_owned(),
            verified_email: email,
            name: text("name").map(str::to_owned),
            groups: groups.into_iter().map(str::to_owned).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use jsonwebtoken::{EncodingKey, Header, encode};
    use rcgen::{KeyPair, PublicKeyData};
    use serde_json::json;

    use super::*;

    const EXPECTED: (&str, &str, &str) = ("https://login.example.com", "docwright", "n-1");

    fn claims() -> Value {
        let exp = jsonwebtoken::get_current_timestamp() + 60;
        json!({ "iss": EXPECTED.0, "aud": EXPECTED.1, "nonce": EXPECTED.2, "sub": "1", "exp": exp })
    }

    fn key() -> (EncodingKey, Value) {
        use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
        let pair = KeyPair::generate().unwrap();
        let (x, y) = pair.der_bytes()[1..].split_at(32);
        let [x, y] = [x, y].map(|bytes| URL_SAFE_NO_PAD.encode(bytes));
        let keys = json!({ "keys": [
            { "kty": "unknown" },
            { "kty": "EC", "crv": "P-256", "kid": "k", "x": x, "y": y },
        ] });
        (EncodingKey::from_ec_pem(pair.serialize_pem().as_bytes()).unwrap(), keys)
    }

    #[test]
    fn token_is_accepted_if_all_claims_match() {
        let (own, keys) = key();
        let (other, _) = key();
        let sign = |claims: &Value, key: &EncodingKey| {
            let header = Header { kid: Some("k".to_owned()), ..Header::new(Algorithm::ES256) };
            encode(&header, claims, key).unwrap()
        };
        assert_eq!(verify(&sign(&claims(), &own), &keys, EXPECTED).unwrap()["sub"], "1");
        assert!(verify(&sign(&claims(), &other), &keys, EXPECTED).is_err(), "of another key");
        for (name, value) in [
            ("iss", json!("https://evil.example")),
            ("aud", json!("other")),
            ("aud", json!(["other"])),
            ("nonce", json!("n-2")),
            ("nonce", json!(null)),
            ("azp", json!("other")),
            ("aud", json!(["docwright", "other"])),
            ("exp", json!(1)),
            ("exp", json!(null)),
            ("sub", json!(null)),
            ("nbf", json!(jsonwebtoken::get_current_timestamp() + 3600)),
        ] {
            let mut changed = claims();
            changed[name] = value.clone();
            let result = verify(&sign(&changed, &own), &keys, EXPECTED);
            assert!(result.is_err(), "{name} {value}: {result:?}");
        }
        let mut several = claims();
        several["aud"] = json!(["docwright", "other"]);
        several["azp"] = json!("docwright");
        assert!(verify(&sign(&several, &own), &keys, EXPECTED).is_ok());
        several["azp"] = json!("other");
        assert!(verify(&sign(&several, &own), &keys, EXPECTED).is_err());
        let mut alone = claims();
        alone["aud"] = json!(["docwright"]);
        assert!(verify(&sign(&alone, &own), &keys, EXPECTED).is_ok());
        let text = sign(&claims(), &own);
        let parts: Vec<_> = text.split('.').collect();
        let unsigned = format!("eyJhbGciOiJub25lIn0.{}.", parts[1]);
        assert!(verify(&unsigned, &keys, EXPECTED).is_err());
        // The public key as a shared secret.
        let secret = EncodingKey::from_secret(keys.to_string().as_bytes());
        let shared = encode(&Header::new(Algorithm::HS256), &claims(), &secret).unwrap();
        let why = verify(&shared, &keys, EXPECTED).unwrap_err();
        assert!(why.contains("HS256"), "{why}");
    }

    #[test]
    fn email_is_used_only_if_verified() {
        let person = |claims: Value| Person::of(claims.as_object().unwrap(), "roles").unwrap();
        let email = |claims: Value| person(claims).verified_email.map(|email| email.to_string());
        let ada = Some("ada@example.com".to_owned());
        assert_eq!(
            email(json!({ "sub": "1", "email": "Ada@example.com", "email_verified": true })),
            ada
        );
        assert_eq!(
            email(json!({ "sub": "1", "email": "ada@example.com", "email_verified": "true" })),
            ada
        );
        for unproven in [json!(false), json!("false"), json!(1), json!(null)] {
            let claims =
                json!({ "sub": "1", "email": "ada@example.com", "email_verified": unproven });
            assert_eq!(email(claims), None);
        }
        assert_eq!(email(json!({ "sub": "1", "email": "ada@example.com" })), None);
        assert_eq!(person(json!({ "sub": "1", "roles": ["a", 1, "b"] })).groups, ["a", "b"]);
        assert_eq!(person(json!({ "sub": "1", "roles": "a" })).groups, ["a"]);
        assert!(person(json!({ "sub": "1", "groups": ["a"] })).groups.is_empty());
        assert!(Person::of(&Map::new(), "roles").is_err());
        let mut claims =
            json!({ "sub": "1", "email": "a@example.com" }).as_object().unwrap().clone();
        assert!(add(&mut claims, json!({ "sub": "2" })).is_err());
        assert!(add(&mut claims, json!({})).is_err());
        add(&mut claims, json!({ "sub": "1", "email": "b@example.com", "name": "A" })).unwrap();
        assert_eq!((&claims["email"], &claims["name"]), (&json!("a@example.com"), &json!("A")));
    }
}
