//! Challenges that passkeys sign. A challenge is the signature of a cookie and its purpose, so an answer is valid
//! only for the same browser, purpose, and time. The server stores nothing until someone answers.

use docwright_storage::{Keyring, database::PasskeyChallenge};
use docwright_types::{
    timestamp::{MINUTE, Timestamp},
    token::Token,
};

/// Lifetime of a challenge.
const LENGTH: i64 = 5 * MINUTE;

/// The purpose of a challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose<'a> {
    /// To sign in without a password.
    SignIn,
    /// To complete a session that still needs the second factor.
    SecondFactor(&'a str),
    /// To add a passkey to an account, in a session.
    Add(&'a str),
}

/// A challenge for a passkey.
pub(super) struct Challenge {
    /// Contents of the cookie: expiry and a random value.
    cookie: String,
    ends: Timestamp,
    text: String,
}

impl Challenge {
    /// Lifetime in seconds.
    pub(super) const SECONDS: i64 = LENGTH / 1000;

    /// A new challenge. Fails only if the system has no randomness.
    pub(super) fn begin(
        keyring: &Keyring,
        purpose: Purpose<'_>,
        now: Timestamp,
    ) -> Result<Self, String> {
        let token = Token::generate().map_err(|error| error.to_string())?;
        let ends = now + LENGTH;
        Ok(Self::of(keyring, purpose, (format!("{ends}.{}", token.reveal()), ends)))
    }

    /// The challenge of a cookie, if it is still valid.
    pub(super) fn end(
        keyring: &Keyring,
        purpose: Purpose<'_>,
        cookie: &str,
        now: Timestamp,
    ) -> Option<Self> {
        let ends: Timestamp = cookie.split_once('.')?.0.parse().ok()?;
        (now < ends).then(|| Self::of(keyring, purpose, (cookie.to_owned(), ends)))
    }

    /// Contents of the cookie.
    pub(super) fn cookie(&self) -> &str {
        &self.cookie
    }

    /// The text to sign.
    pub(super) fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// The text that identifies an answered challenge.
    pub(super) fn answered(&self) -> PasskeyChallenge<'_> {
        PasskeyChallenge { text: &self.text, expires_at: self.ends }
    }

    fn of(keyring: &Keyring, purpose: Purpose<'_>, (cookie, ends): (String, Timestamp)) -> Self {
        let purpose = match purpose {
            Purpose::SignIn => "signs in".to_owned(),
            Purpose::SecondFactor(session) => format!("completes {session}"),
            Purpose::Add(session) => format!("is added in {session}"),
        };
        let text = keyring.sign_access(&format!("a passkey {purpose}\n{cookie}"));
        Self { cookie, ends, text }
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
        let end = |purpose, cookie: &str, now| Challenge::end(&keyring, purpose, cookie, now);
        let answered = end(Purpose::SignIn, asked.cookie(), 4 + LENGTH).unwrap();
        assert_eq!(answered.bytes(), asked.bytes());
        assert_eq!(answered.answered().expires_at, 5 + LENGTH);
        assert!(asked.bytes().len() >= 16, "WebAuthn, section 13.4.3");
        assert!(!asked.cookie().contains(&asked.text), "the cookie alone answers nothing");
        assert!(end(Purpose::SignIn, asked.cookie(), 5 + LENGTH).is_none());
        assert!(end(Purpose::SignIn, "", 6).is_none() && end(Purpose::SignIn, "x.y", 6).is_none());
        // A longer expiry makes another challenge, and so does every other purpose.
        let longer = asked.cookie().replacen(char::is_numeric, "99", 1);
        for (purpose, cookie) in [
            (Purpose::SignIn, longer.as_str()),
            (Purpose::SignIn, begin(Purpose::SignIn).cookie()),
            (Purpose::Add("ses_1"), asked.cookie()),
            (Purpose::SecondFactor("ses_1"), asked.cookie()),
        ] {
            assert_ne!(end(purpose, cookie, 6).unwrap().bytes(), asked.bytes(), "{purpose:?}");
        }
        let second = begin(Purpose::SecondFactor("ses_1"));
        let other = end(Purpose::SecondFactor("ses_2"), second.cookie(), 6).unwrap();
        assert_ne!(other.bytes(), second.bytes());
    }
}
