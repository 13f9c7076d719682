//! The key that signs the bundles of an instance: ed25519, derived from the root secret. What is signed is the
//! SHA-256 of a bundle's manifest, 32 bytes.

use std::{fmt, str::FromStr};

use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};

/// Length of a signature. Bytes.
pub const SIGNATURE_LENGTH: usize = 64;
/// Length of a public key. Bytes.
const KEY_LENGTH: usize = 32;
/// Start of a public key as text.
const PREFIX: &str = "ed25519:";

/// A public key. As text it is `ed25519:` and 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BundleKey([u8; KEY_LENGTH]);

/// A text that isn't a public key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a public key: `ed25519:` and 64 hexadecimal digits, as the instance shows it")]
pub struct InvalidBundleKey;

/// The private key. It is never shown.
pub(crate) struct BundleSigner {
    seed: [u8; 32],
}

impl BundleKey {
    /// Whether this key signed a manifest with a SHA-256.
    pub fn has_signed(&self, manifest: &[u8; 32], signature: &[u8; SIGNATURE_LENGTH]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.0).verify(manifest, signature).is_ok()
    }
}

impl FromStr for BundleKey {
    type Err = InvalidBundleKey;

    fn from_str(text: &str) -> Result<Self, InvalidBundleKey> {
        let mut key = [0; KEY_LENGTH];
        let digits = text.strip_prefix(PREFIX).ok_or(InvalidBundleKey)?;
        hex::decode_to_slice(digits, &mut key).map_err(|_| InvalidBundleKey)?;
        Ok(Self(key))
    }
}

impl fmt::Display for BundleKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{PREFIX}{}", hex::encode(self.0))
    }
}

impl BundleSigner {
    pub(crate) const fn new(seed: [u8; 32]) -> Self {
        Self { seed }
    }

    pub(crate) fn sign(&self, manifest: &[u8; 32]) -> Option<[u8; SIGNATURE_LENGTH]> {
        self.pair()?.sign(manifest).as_ref().try_into().ok()
    }

    pub(crate) fn key(&self) -> Option<BundleKey> {
        self.pair()?.public_key().as_ref().try_into().ok().map(BundleKey)
    }

    fn pair(&self) -> Option<Ed25519KeyPair> {
        Ed25519KeyPair::from_seed_unchecked(&self.seed).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{BundleKey, BundleSigner, InvalidBundleKey};

    #[test]
    fn key_round_trips_as_text() {
        let key = BundleSigner::new([1; 32]).key().unwrap();
        let text = key.to_string();
        assert_eq!((text.len(), text.parse::<BundleKey>()), (8 + 64, Ok(key)));
        for wrong in ["", "ed25519:", &text[8..], &text[..70], &format!("{text}00"), "ed25519:zz"] {
            assert_eq!(wrong.parse::<BundleKey>(), Err(InvalidBundleKey), "{wrong}");
        }
    }

    /// A vector of RFC 8032, section 7.1, test 1: signatures are those of other programs.
    #[test]
    fn key_is_that_of_the_standard() {
        let mut seed = [0; 32];
        let hex = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
        hex::decode_to_slice(hex, &mut seed).unwrap();
        let key = BundleSigner::new(seed).key().unwrap().to_string();
        let expected = "ed25519:d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
        assert_eq!(key, expected);
    }
}
