//! Keys of the assistant: `dwp_` + public id + `_` + secret.
//!
//! Such a key can only ask on one domain, and pages of other sites contain it. So it is public, and docwright shows it
//! again at any time. It isn't an API key: its prefix keeps the two apart before anything is looked up.

use std::fmt;

use subtle::ConstantTimeEq;

use crate::key::PresentedKey;

/// The prefix of keys of the assistant.
pub const PREFIX: &str = "dwp_";

/// A key of the assistant with its secret.
#[derive(Clone, PartialEq, Eq)]
pub struct AssistantSecret(PresentedKey);

impl AssistantSecret {
    /// A new key. Fails only if the system has no randomness.
    pub fn generate() -> Result<Self, getrandom::Error> {
        PresentedKey::generate().map(Self)
    }

    /// Parses a key; `None` if it doesn't have the form of one.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix(PREFIX)?;
        PresentedKey::parse(&format!("dw_{rest}")).map(Self)
    }

    /// The public part.
    pub fn id(&self) -> &str {
        self.0.id()
    }

    /// The stored hash of the secret: SHA-256, in hex.
    pub fn secret_hash(&self) -> String {
        self.0.secret_hash()
    }

    /// Whether its secret has a stored hash. Takes the same time whichever part of it is wrong.
    pub fn has_hash(&self, stored: &str) -> bool {
        stored.as_bytes().ct_eq(self.secret_hash().as_bytes()).into()
    }

    /// The whole key.
    pub fn reveal(&self) -> String {
        self.0.reveal().replacen("dw_", PREFIX, 1)
    }
}

impl fmt::Debug for AssistantSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{PREFIX}{}_…", self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_no_api_key() {
        let key = AssistantSecret::generate().unwrap();
        let shown = key.reveal();
        assert!(shown.starts_with("dwp_"), "{shown}");
        assert_eq!(AssistantSecret::parse(&shown), Some(key.clone()));
        assert_eq!(PresentedKey::parse(&shown), None);
        assert!(key.has_hash(&key.secret_hash()));
        assert!(!key.has_hash(&AssistantSecret::generate().unwrap().secret_hash()));
        assert_eq!(format!("{key:?}"), format!("dwp_{}_…", key.id()));
        let api_key = PresentedKey::generate().unwrap().reveal();
        for wrong in [api_key.as_str(), "", "dwp_", "dwp_a_b", &format!("dwp_{api_key}")] {
            assert_eq!(AssistantSecret::parse(wrong), None, "{wrong}");
        }
    }
}
