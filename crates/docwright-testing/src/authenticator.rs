//! A software authenticator: it creates passkeys and signs with them, as browsers request. Every part of its
//! answers can be made wrong.

use aws_lc_rs::{
    rand::SystemRandom,
    rsa::KeySize,
    signature::{
        ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256,
        RsaKeyPair,
    },
};
use cbor4ii::core::{Value, enc::Encode, utils::BufWriter};
use serde_json::json;
use sha2::{Digest, Sha256};

/// The kind of key of a passkey.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `EdDSA` on Curve25519.
    Ed25519,
    /// ECDSA on P-256.
    Es256,
    /// RSA of 2048 bits.
    Rs256,
}

enum Key {
    Ed25519(Ed25519KeyPair),
    Es256(EcdsaKeyPair),
    Rs256(RsaKeyPair),
}

/// A user was present and verified; the passkey can't be backed up.
pub const FLAGS: u8 = 0b0000_0101;

/// An authenticator with a passkey, and its browser.
pub struct Authenticator {
    key: Key,
    /// Id of the passkey.
    pub id: Vec<u8>,
    /// The relying party of the passkey.
    pub host: String,
    /// The origin of the requesting page.
    pub origin: String,
    /// Flags about its user.
    pub flags: u8,
    /// The next signature counter; it increments, unless it is 0.
    pub sign_count: u32,
    /// Additional client data of the browser.
    pub more_client_data: serde_json::Value,
    /// Bytes after the authenticator data.
    pub trailing: Vec<u8>,
}

/// The answer of a sign-in.
#[derive(Debug, Clone)]
pub struct Signed {
    /// What the browser signs, as JSON.
    pub client_data: Vec<u8>,
    /// The other signed part, from the authenticator.
    pub authenticator_data: Vec<u8>,
    /// The signature of both.
    pub signature: Vec<u8>,
}

impl Authenticator {
    /// A new one for a service at an origin such as `https://docs.example.com`.
    pub fn new(kind: Kind, origin: &str) -> Self {
        let key = match kind {
            Kind::Ed25519 => Key::Ed25519(Ed25519KeyPair::generate().expect("a key")),
            Kind::Es256 => {
                Key::Es256(EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).expect("a key"))
            }
            Kind::Rs256 => Key::Rs256(RsaKeyPair::generate(KeySize::Rsa2048).expect("a key")),
        };
        let mut id = vec![0; 32];
        aws_lc_rs::rand::fill(&mut id).expect("randomness is available");
        let host = origin.split("://").nth(1).expect("the origin has a host");
        Self {
            key,
            id,
            host: host.split(':').next().expect("the host has a name").to_owned(),
            origin: origin.to_owned(),
            flags: FLAGS,
            sign_count: 1,
            more_client_data: json!({}),
            trailing: Vec::new(),
        }
    }

    /// The client data for a challenge.
    pub fn client_data(&self, kind: &str, challenge: &str) -> Vec<u8> {
        let mut data = json!({ "type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": false });
        for (name, value) in self.more_client_data.as_object().expect("the data is an object") {
            data[name] = value.clone();
        }
        data.to_string().into_bytes()
    }

    /// The public key, in COSE.
    pub fn public_key(&self) -> Value {
        let pairs: Vec<(i128, Value)> = match &self.key {
            Key::Ed25519(pair) => vec![
                (1, Value::Integer(1)),
                (3, Value::Integer(-8)),
                (-1, Value::Integer(6)),
                (-2, Value::Bytes(pair.public_key().as_ref().to_vec())),
            ],
            Key::Es256(pair) => {
                let point = pair.public_key().as_ref();
                vec![
                    (1, Value::Integer(2)),
                    (3, Value::Integer(-7)),
                    (-1, Value::Integer(1)),
                    (-2, Value::Bytes(point[1..33].to_vec())),
                    (-3, Value::Bytes(point[33..].to_vec())),
                ]
            }
            Key::Rs256(pair) => {
                let public = pair.public_key();
                vec![
                    (1, Value::Integer(3)),
                    (3, Value::Integer(-257)),
                    (-1, Value::Bytes(public.modulus().big_endian_without_leading_zero().to_vec())),
                    (
                        -2,
                        Value::Bytes(public.exponent().big_endian_without_leading_zero().to_vec()),
                    ),
                ]
            }
        };
        Value::Map(pairs.into_iter().map(|(label, value)| (Value::Integer(label), value)).collect())
    }

    /// The attestation for a new passkey with this public key.
    pub fn attestation_of(&self, public_key: &Value) -> Vec<u8> {
        let length = u16::try_from(self.id.len()).expect("the id is short");
        let (length, key) = (length.to_be_bytes(), encoded(public_key));
        let new = [[0; 16].as_slice(), &length, &self.id, &key];
        let data = [self.data(self.flags | 1 << 6, self.sign_count), new.concat()].concat();
        let data = [data, self.trailing.clone()].concat();
        let text = |text: &str| Value::Text(text.to_owned());
        // An unverified attestation statement, nested as deep as real ones.
        let statement = vec![(text("x5c"), Value::Array(vec![Value::Bytes(vec![1, 2, 3])]))];
        encoded(&Value::Map(vec![
            (text("fmt"), text("packed")),
            (text("attStmt"), Value::Map(statement)),
            (text("authData"), Value::Bytes(data)),
        ]))
    }

    /// Client data and attestation of its passkey.
    pub fn register(&self, challenge: &str) -> (Vec<u8>, Vec<u8>) {
        let attestation = self.attestation_of(&self.public_key());
        (self.client_data("webauthn.create", challenge), attestation)
    }

    /// Signs a challenge.
    pub fn sign(&mut self, challenge: &str) -> Signed {
        let client_data = self.client_data("webauthn.get", challenge);
        if self.sign_count > 0 {
            self.sign_count += 1;
        }
        let authenticator_data =
            [self.data(self.flags, self.sign_count), self.trailing.clone()].concat();
        let signed =
            [authenticator_data.as_slice(), Sha256::digest(&client_data).as_slice()].concat();
        let random = SystemRandom::new();
        let signature = match &self.key {
            Key::Ed25519(pair) => pair.sign(&signed).as_ref().to_vec(),
            Key::Es256(pair) => {
                pair.sign(&random, &signed).expect("the key can sign").as_ref().to_vec()
            }
            Key::Rs256(pair) => {
                let mut signature = vec![0; pair.public_modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, &signed, &mut signature)
                    .expect("the key can sign");
                signature
            }
        };
        Signed { client_data, authenticator_data, signature }
    }

    fn data(&self, flags: u8, sign_count: u32) -> Vec<u8> {
        let host = Sha256::digest(&self.host);
        [host.as_slice(), &[flags], &sign_count.to_be_bytes()].concat()
    }
}

/// A value in CBOR.
pub fn encoded(value: &Value) -> Vec<u8> {
    let mut writer = BufWriter::new(Vec::new());
    value.encode(&mut writer).expect("the value can be encoded");
    writer.into_inner()
}
