//! Short-lived secrets of people: sessions of browsers, links in email.

use std::fmt;

use sha2::{Digest, Sha256};

/// Random bytes of a token.
const BYTES: usize = 32;

/// A secret for its holder. Only its hash is stored: it has 256 random bits, so a plain SHA-256 is enough.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A new one. Fails only if the system has no randomness.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(hex::encode(bytes)))
    }

    /// Parses a token; `None` if it doesn't have the form of one.
    pub fn parse(text: &str) -> Option<Self> {
        let is_hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        (text.len() == BYTES * 2 && is_hex).then(|| Self(text.to_owned()))
    }

    /// Its stored hash.
    pub fn hash(&self) -> String {
        hex::encode(Sha256::digest(self.0.as_bytes()))
    }

    /// The token, for a cookie or a link.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_round_trips_and_is_never_shown() {
        let token = Token::generate().unwrap();
        assert_eq!(Token::parse(token.reveal()), Some(token.clone()));
        assert_ne!(token, Token::generate().unwrap());
        assert_eq!(format!("{token:?}"), "Token(…)");
        // SHA-256 of the text, as `sha256sum` computes it.
        let zeros = Token::parse(&"0".repeat(64)).unwrap().hash();
        assert_eq!(zeros, "60e05bd1b195af2f94112fa7197a5c88289058840ce7c6df9693756bc6250f55");
        assert_ne!(token.hash(), zeros);
        for wrong in ["", "x", &"g".repeat(64), &"A".repeat(64), &token.reveal()[1..]] {
            assert_eq!(Token::parse(wrong), None, "{wrong}");
        }
    }
}
