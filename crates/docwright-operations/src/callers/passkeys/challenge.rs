//! Challenges that passkeys sign. A challenge is the signature of a text that the browser keeps, such as in a cookie,
//! and of its purpose, so an answer is valid only for the same browser, purpose, and time. The server stores nothing
//! until someone answers.

use docwright_storage::{Keyring, database::PasskeyChallenge};
use docwright_types::{
    timestamp::{MINUTE, Timestamp},
    token::Token,
};

/// Lifetime of a challenge.
const LENGTH: i64 = 5 * MINUTE;

/// The purpose of a challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose<'a> {
    /// To sign in without a password.
    SignIn,
    /// To complete a session that still needs the second factor.
    SecondFactor(&'a str),
    /// To add a passkey to an account, in a session.
    Add(&'a str),
}

/// A challenge for a passkey.
pub struct Challenge {
    /// What the browser keeps: expiry and a random value.
    kept: String,
    ends: Timestamp,
    text: String,
}

impl Challenge {
    /// Lifetime in seconds.
    pub const SECONDS: i64 = LENGTH / 1000;

    /// A new challenge. Fails only if the system has no randomness.
    pub fn begin(keyring: &Keyring, purpose: Purpose<'_>, now: Timestamp) -> Result<Self, String> {
        let token = Token::generate().map_err(|error| error.to_string())?;
        let ends = now + LENGTH;
        Ok(Self::of(keyring, purpose, (format!("{ends}.{}", token.reveal()), ends)))
    }

    /// The challenge of what a browser kept, if it is still valid.
    pub fn end(
        keyring: &Keyring,
        purpose: Purpose<'_>,
        kept: &str,
        now: Timestamp,
    ) -> Option<Self> {
        let ends: Timestamp = kept.split_once('.')?.0.parse().ok()?;
        (now < ends).then(|| Self::of(keyring, purpose, (kept.to_owned(), ends)))
    }

    /// What the browser keeps.
    pub fn kept(&self) -> &str {
        &self.kept
    }

    /// The text to sign.
    pub fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// The text that identifies an answered challenge.
    pub fn answered(&self) -> PasskeyChallenge<'_> {
        PasskeyChallenge { text: &self.text, expires_at: self.ends }
    }

    fn of(keyring: &Keyring, purpose: Purpose<'_>, (kept, ends): (String, Timestamp)) -> Self {
        let purpose = match purpose {
            Purpose::SignIn => "signs in".to_owned(),
            Purpose::SecondFactor(session) => format!("completes {session}"),
            Purpose::Add(session) => format!("is added in {session}"),
        };
        let text = keyring.sign_access(&format!("a passkey {purpose}\n{kept}"));
        Self { kept, ends, text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenge_accepts_only_its_own_answer_in_time() {
        let keyring = Keyring::parse(&"0a".repeat(32)).unwrap();
        let begin = |purpose| Challenge::begin(&keyring, purpose, 5).unwrap();
        let asked = begin(Purpose::SignIn);
        let end = |purpose, kept: &str, now| Challenge::end(&keyring, purpose, kept, now);
        let answered = end(Purpose::SignIn, asked.kept(), 4 + LENGTH).unwrap();
        assert_eq!(answered.bytes(), asked.bytes());
        assert_eq!(answered.answered().expires_at, 5 + LENGTH);
        assert!(asked.bytes().len() >= 16, "WebAuthn, section 13.4.3");
        assert!(
            !asked.kept().contains(&asked.text),
            "what the browser keeps answers nothing alone"
        );
        assert!(end(Purpose::SignIn, asked.kept(), 5 + LENGTH).is_none());
        assert!(end(Purpose::SignIn, "", 6).is_none() && end(Purpose::SignIn, "x.y", 6).is_none());
        // A longer expiry makes another challenge, and so does every other purpose.
        let longer = asked.kept().replacen(char::is_numeric, "99", 1);
        for (purpose, kept) in [
            (Purpose::SignIn, longer.as_str()),
            (Purpose::SignIn, begin(Purpose::SignIn).kept()),
            (Purpose::Add("ses_1"), asked.kept()),
            (Purpose::SecondFactor("ses_1"), asked.kept()),
        ] {
            assert_ne!(end(purpose, kept, 6).unwrap().bytes(), asked.bytes(), "{purpose:?}");
        }
        let second = begin(Purpose::SecondFactor("ses_1"));
        let other = end(Purpose::SecondFactor("ses_2"), second.kept(), 6).unwrap();
        assert_ne!(other.bytes(), second.bytes());
    }
}
