//! Public keys of passkeys, in COSE (RFC 9052).

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, ParsedPublicKey, RSA_PKCS1_2048_8192_SHA256,
    RsaPublicKeyComponents,
};
use cbor4ii::core::Value;

use super::{LONGEST, Unproven, cbor};

/// Ed25519.
const EDDSA: i64 = -8;
/// ECDSA with P-256 and SHA-256.
const ES256: i64 = -7;
/// RSA with SHA-256 (PKCS #1, version 1.5), as some computers make it.
const RS256: i64 = -257;

/// The kinds of keys that passkeys can have, by their numbers in COSE, the preferred one first.
pub const ALGORITHMS: [i64; 3] = [EDDSA, ES256, RS256];

/// Bytes of a coordinate on either curve.
const COORDINATE: usize = 32;
/// Bytes of the modulus of an RSA key.
const MODULUS: std::ops::RangeInclusive<usize> = 256..=1024;
/// Most bytes of the exponent of one.
const EXPONENT: usize = 4;

/// Reads a key, which has to be of a kind that was asked for, and a point on its curve.
pub(super) fn read(cose: &[u8]) -> Result<ParsedPublicKey, Unproven> {
    parsed(cose).ok_or(Unproven::Key)
}

fn parsed(cose: &[u8]) -> Option<ParsedPublicKey> {
    let key = cbor::only(cose).filter(|_| cose.len() <= LONGEST)?;
    let number = |label: i128| match cbor::entry(&key, &Value::Integer(label)) {
        Some(Value::Integer(number)) => i64::try_from(*number).ok(),
        _ => None,
    };
    let bytes = |label: i128| cbor::bytes(&key, &Value::Integer(label));
    let coordinate = |label| bytes(label).filter(|bytes| bytes.len() == COORDINATE);
    // Kind, algorithm, and of curves which one.
    match (number(1)?, number(3)?) {
        (1, EDDSA) if number(-1) == Some(6) => ParsedPublicKey::new(&ED25519, coordinate(-2)?).ok(),
        (2, ES256) if number(-1) == Some(1) => {
            let point = [&[4], coordinate(-2)?, coordinate(-3)?].concat();
            ParsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point).ok()
        }
        (3, RS256) => {
            let n = bytes(-1).filter(|bytes| MODULUS.contains(&bytes.len()))?;
            let e = bytes(-2).filter(|bytes| bytes.len() <= EXPONENT)?;
            let components = RsaPublicKeyComponents { n, e };
            components.to_parsed_public_key(&RSA_PKCS1_2048_8192_SHA256).ok()
        }
        _ => None,
    }
}
