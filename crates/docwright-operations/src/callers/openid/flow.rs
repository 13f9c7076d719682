//! A browser's flow to a provider and back. The browser keeps its text, such as in a cookie, and the state that the
//! provider returns is the signature of that text, so a response for another browser is refused.

use docwright_storage::Keyring;
use docwright_types::{
    timestamp::{MINUTE, Timestamp},
    token::Token,
};

use super::Secrets;

/// Time limit of a flow.
const LENGTH: i64 = 10 * MINUTE;
/// Longest place to continue at: the browser has little space for the text.
const LONGEST: usize = 1000;

/// A flow that has started.
#[derive(Clone)]
pub struct SignInFlow {
    /// What the browser keeps: expiry, a random value, and where it continues.
    text: String,
    state: String,
    nonce: String,
    verifier: String,
}

impl SignInFlow {
    /// Lifetime of the text, in seconds.
    pub const SECONDS: i64 = LENGTH / 1000;

    /// A new flow, and where the browser continues afterward; nowhere if that is too long. Fails only if the system
    /// has no randomness.
    pub fn begin(keyring: &Keyring, next: &str, now: Timestamp) -> Result<Self, String> {
        let token = Token::generate().map_err(|error| error.to_string())?;
        let next = if next.len() > LONGEST { "" } else { next };
        let text = format!("{}.{}.{}", now + LENGTH, token.reveal(), hex::encode(next));
        Ok(Self::of(keyring, text))
    }

    /// The flow of a text, if a response with this state belongs to it.
    pub fn end(keyring: &Keyring, text: &str, state: &str, now: Timestamp) -> Option<Self> {
        let ends: Timestamp = text.split('.').next()?.parse().ok()?;
        let is_own = keyring.is_signed_access(&purpose("state", text), state);
        (is_own && now < ends).then(|| Self::of(keyring, text.to_owned()))
    }

    /// What the browser keeps.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where the browser continues afterward; empty for nowhere. It comes from user input.
    pub fn next(&self) -> String {
        let next = self.text.rsplit('.').next().and_then(|next| hex::decode(next).ok());
        next.and_then(|next| String::from_utf8(next).ok()).unwrap_or_default()
    }

    /// The secrets that bind the provider's response to it.
    pub fn secrets(&self) -> Secrets<'_> {
        Secrets { state: &self.state, nonce: &self.nonce, verifier: &self.verifier }
    }

    fn of(keyring: &Keyring, text: String) -> Self {
        let signed = |what| keyring.sign_access(&purpose(what, &text));
        let (state, nonce, verifier) = (signed("state"), signed("nonce"), signed("verifier"));
        Self { text, state, nonce, verifier }
    }
}

fn purpose(what: &str, text: &str) -> String {
    format!("{what} of a sign-in with a provider\n{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sign_in_answer_must_match_browser_and_time() {
        let keyring = Keyring::parse(&"0a".repeat(32)).unwrap();
        let flow = SignInFlow::begin(&keyring, "/projects/prj_1?a=b.c", 5).unwrap();
        let other = SignInFlow::begin(&keyring, "/", 5).unwrap();
        let secrets = flow.secrets();
        assert!(secrets.verifier.len() >= 43, "RFC 7636, section 4.1");
        assert_ne!(secrets.nonce, secrets.verifier);
        let back = SignInFlow::end(&keyring, flow.text(), secrets.state, 6).unwrap();
        assert_eq!(back.next(), "/projects/prj_1?a=b.c");
        assert_eq!(back.secrets().nonce, secrets.nonce);
        assert_eq!(back.secrets().verifier, secrets.verifier);
        let is_good =
            |text: &str, state: &str, now| SignInFlow::end(&keyring, text, state, now).is_some();
        assert!(!is_good(flow.text(), secrets.state, 5 + LENGTH));
        assert!(!is_good(flow.text(), other.secrets().state, 6));
        assert!(!is_good(other.text(), secrets.state, 6));
        assert!(!is_good(flow.text(), secrets.nonce, 6));
        assert!(!is_good("", "", 6) && !is_good("9999999999999.a.2f", "", 6));
        let longer = flow.text().replacen(char::is_numeric, "99", 1);
        assert!(!is_good(&longer, secrets.state, 6));
        let far = SignInFlow::begin(&keyring, &format!("/{}", "x".repeat(LONGEST)), 5).unwrap();
        assert_eq!(far.next(), "");
    }
}
