//! One-time codes of an authenticator app (RFC 6238), and recovery codes for a lost app.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::timestamp::{SECOND, Timestamp};

/// Random bytes of a secret: the output size of SHA-1 (RFC 4226, section 4).
const SECRET_BYTES: usize = 20;
/// Random bytes of a recovery code. They can't be guessed, so a plain hash is enough.
const RECOVERY_BYTES: usize = 10;
/// How long a code is shown, in milliseconds.
const STEP: i64 = 30 * SECOND;
/// Digits of a code.
const DIGITS: usize = 6;
/// Steps that a clock can be off.
const WINDOW: i64 = 1;
/// Digits of base 32 (RFC 4648).
const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// The secret of an app.
#[derive(Clone, PartialEq, Eq)]
pub struct TotpSecret(Vec<u8>);

impl TotpSecret {
    /// A new one. Fails only if the system has no randomness.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut bytes = vec![0; SECRET_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// Parses the text of [`TotpSecret::reveal`]; `None` if it is invalid.
    pub fn parse(text: &str) -> Option<Self> {
        from_base32(text).filter(|bytes| bytes.len() == SECRET_BYTES).map(Self)
    }

    /// The secret, as people type it into an app.
    pub fn reveal(&self) -> String {
        base32(&self.0)
    }

    /// The URL that apps read from a QR code.
    pub fn address(&self, issuer: &str, account: &str) -> String {
        let encoded = |text: &str| -> String {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
            let letter = |byte: u8| {
                if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
            };
            text.bytes().map(letter).collect()
        };
        let (issuer, account) = (encoded(issuer), encoded(account));
        format!("otpauth://totp/{issuer}:{account}?secret={}&issuer={issuer}", self.reveal())
    }

    /// The step of a code that is valid now; `None` for a wrong one. Each step can be used once.
    pub fn step_of(&self, code: &str, now: Timestamp) -> Option<i64> {
        let current = now.div_euclid(STEP);
        let is_code = |step: &i64| bool::from(self.code(*step).as_bytes().ct_eq(code.as_bytes()));
        (current - WINDOW..=current + WINDOW).find(is_code)
    }

    /// The code of a step, as the app shows it (RFC 4226, section 5.3).
    pub fn code(&self, step: i64) -> String {
        // HMAC accepts a key of any length.
        let Ok(mut mac) = Hmac::<Sha1>::new_from_slice(&self.0) else { return String::new() };
        mac.update(&step.to_be_bytes());
        let hash = mac.finalize().into_bytes();
        let start = usize::from(hash[hash.len() - 1] & 0x0f);
        let number =
            hash[start..start + 4].iter().fold(0_u32, |all, byte| all << 8 | u32::from(*byte));
        format!("{:0DIGITS$}", (number & 0x7fff_ffff) % 1_000_000)
    }
}

impl fmt::Debug for TotpSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("TotpSecret(…)")
    }
}

/// A single-use code that replaces the app.
#[derive(Clone, PartialEq, Eq)]
pub struct RecoveryCode(String);

impl RecoveryCode {
    /// A new one. Fails only if the system has no randomness.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; RECOVERY_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(base32(&bytes)))
    }

    /// Parses a typed code; `None` if it is invalid.
    pub fn parse(text: &str) -> Option<Self> {
        let typed = text.chars().filter(|letter| !matches!(letter, '-' | ' '));
        let typed: String = typed.map(|letter| letter.to_ascii_uppercase()).collect();
        from_base32(&typed).filter(|bytes| bytes.len() == RECOVERY_BYTES).map(|_| Self(typed))
    }

    /// Its stored hash.
    pub fn hash(&self) -> String {
        hex::encode(Sha256::digest(self.0.as_bytes()))
    }

    /// The code, in readable groups.
    pub fn reveal(&self) -> String {
        let groups = self.0.as_bytes().chunks(4).map(String::from_utf8_lossy);
        groups.collect::<Vec<_>>().join("-").to_lowercase()
    }
}

impl fmt::Debug for RecoveryCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("RecoveryCode(…)")
    }
}

/// Bytes in base 32. Their number is a multiple of five, so there is no padding.
fn base32(bytes: &[u8]) -> String {
    let (mut digits, mut read, mut bits) = (String::new(), 0_u16, 0);
    for byte in bytes {
        read = read << 8 | u16::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            digits.push(char::from(ALPHABET[usize::from(read >> bits & 31)]));
        }
    }
    digits
}

fn from_base32(text: &str) -> Option<Vec<u8>> {
    let value = |digit: &u8| ALPHABET.iter().position(|each| each == digit);
    let digits: Option<Vec<_>> = text.as_bytes().iter().map(value).collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(8))?;
    let group = |group: &[usize]| {
        let number = group.iter().fold(0_u64, |all, digit| all << 5 | *digit as u64);
        number.to_be_bytes()[3..].to_vec()
    };
    Some(digits.chunks_exact(8).flat_map(group).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret() -> TotpSecret {
        TotpSecret(b"12345678901234567890".to_vec())
    }

    #[test]
    fn codes_are_those_of_the_standard() {
        // RFC 6238, appendix B, with six digits of each code.
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(secret().step_of(code, seconds * SECOND), Some(seconds / 30), "{seconds}");
        }
        assert_eq!(secret().reveal(), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
    }

    #[test]
    fn clock_can_differ_by_one_step() {
        let at = |seconds: i64| secret().step_of("287082", seconds * SECOND);
        assert_eq!(
            [at(29), at(30), at(59), at(60), at(89), at(90)],
            [Some(1), Some(1), Some(1), Some(1), Some(1), None]
        );
        for wrong in ["", "28708", "287083", "2870820", "28７082", "+87082"] {
            assert_eq!(secret().step_of(wrong, 59 * SECOND), None, "{wrong}");
        }
        assert_eq!(secret().step_of("755224", 0), Some(0), "before the first step there is one");
    }

    #[test]
    fn app_reads_address_of_secret() {
        assert_eq!(
            secret().address("docs.example.com", "ada+x@example.com"),
            "otpauth://totp/docs.example.com:ada%2Bx%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=docs.example.com"
        );
    }

    #[test]
    fn secrets_and_codes_round_trip_and_are_never_shown() {
        let secret = TotpSecret::generate().unwrap();
        assert_eq!(TotpSecret::parse(&secret.reveal()), Some(secret.clone()));
        assert_ne!(secret, TotpSecret::generate().unwrap());
        assert!(!format!("{secret:?}").contains(&secret.reveal()));
        let code = RecoveryCode::generate().unwrap();
        assert_eq!(RecoveryCode::parse(&code.reveal()), Some(code.clone()));
        let typed = format!(" {} ", code.reveal().replace('-', " ").to_uppercase());
        assert_eq!(RecoveryCode::parse(&typed), Some(code.clone()));
        assert_ne!(code, RecoveryCode::generate().unwrap());
        assert!(!format!("{code:?}").contains(&code.0) && !code.hash().contains(&code.0));
        for wrong in ["", "x", "aaaa-aaaa-aaaa-aaa1", &"a".repeat(15), &"a".repeat(24), "ä"] {
            assert_eq!(RecoveryCode::parse(wrong), None, "{wrong}");
            assert_eq!(TotpSecret::parse(wrong), None, "{wrong}");
        }
    }
}
