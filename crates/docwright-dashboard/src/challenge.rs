//! What a passkey signs. It is the signature of a cookie and of what is asked for, so that an answer fits the
//! browser that asked, in time, and for that alone. Nothing is kept here until someone answers.

use docwright_storage::{Keyring, database::PasskeyChallenge};
use docwright_types::{
    timestamp::{MINUTE, Timestamp},
    token::Token,
};

/// How long someone can take.
const LENGTH: i64 = 5 * MINUTE;

/// What a passkey is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose<'a> {
    /// To sign someone in on its own.
    SignIn,
    /// To complete a session that waits for the second factor.
    SecondFactor(&'a str),
    /// To be added to an account, in a session.
    Add(&'a str),
}

/// A question to a passkey.
pub(super) struct Challenge {
    /// What the cookie holds: when it ends, and something random.
    cookie: String,
    ends: Timestamp,
    text: String,
}

impl Challenge {
    /// How long it is good, in seconds.
    pub(super) const SECONDS: i64 = LENGTH / 1000;

    /// A new one. Fails only if the system has no randomness.
    pub(super) fn begin(
        keyring: &Keyring,
        purpose: Purpose<'_>,
        now: Timestamp,
    ) -> Result<Self, String> {
        let token = Token::generate().map_err(|error| error.to_string())?;
        let ends = now + LENGTH;
        Ok(Self::of(keyring, purpose, (format!("{ends}.{}", token.reveal()), ends)))
    }

    /// The one that a cookie belongs to, as long as it is good.
    pub(super) fn end(
        keyring: &Keyring,
        purpose: Purpose<'_>,
        cookie: &str,
        now: Timestamp,
    ) -> Option<Self> {
        let ends: Timestamp = cookie.split_once('.')?.0.parse().ok()?;
        (now < ends).then(|| Self::of(keyring, purpose, (cookie.to_owned(), ends)))
    }

    /// What the cookie holds.
    pub(super) fn cookie(&self) -> &str {
        &self.cookie
    }

    /// What is to be signed.
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
    fn an_answer_fits_what_was_asked_and_in_time() {
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
        // Who lengthens it has another challenge, and so has every other purpose.
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
