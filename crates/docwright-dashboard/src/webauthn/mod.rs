//! Passkeys, as [WebAuthn Level 3](https://www.w3.org/TR/webauthn-3/) has a relying party verify them (sections
//! 7.1 and 7.2). What a browser and its authenticator say is checked here, and nothing else is known: no
//! accounts, no sessions, no clock. Whose a passkey is, and that a challenge is used once, the dashboard decides.
//!
//! No attestation is asked for, and no statement of one is read: who makes an authenticator is not asked here.

mod assertion;
mod authenticator_data;
mod cbor;
mod client_data;
mod public_key;
mod registration;

#[cfg(test)]
mod tests;

use url::{Host, Url};

pub(crate) use assertion::{Assertion, UserVerification};
pub(crate) use public_key::ALGORITHMS;
pub(crate) use registration::Registration;

/// Most bytes of one thing that an authenticator says.
pub(crate) const LONGEST: usize = 16 * 1024;

/// The service, as passkeys know it: they are made for one host, and work at no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RelyingParty {
    /// The host of the service.
    pub(crate) id: String,
    /// Scheme, host and port of the service.
    pub(crate) origin: String,
}

/// A passkey, as far as verifying it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Credential {
    /// The id that the authenticator gave it.
    pub(crate) id: Vec<u8>,
    /// The public key, in COSE.
    pub(crate) public_key: Vec<u8>,
    /// How often it has signed, where the authenticator counts that.
    pub(crate) sign_count: u32,
    /// Whether the authenticator can keep a copy of it elsewhere. That never changes.
    pub(crate) is_backup_eligible: bool,
}

/// Why an answer of an authenticator is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unproven {
    /// It can't be read, is too long, or something follows it.
    #[error("the {0} is damaged")]
    Damaged(&'static str),
    /// It answers another question, such as one that makes a passkey.
    #[error("it is an answer to another kind of question")]
    Kind,
    /// It answers a challenge of another time or of another browser.
    #[error("the challenge is another one")]
    Challenge,
    /// A page of another site asked for it, or one within another site's.
    #[error("a page of another origin requested it")]
    Origin,
    /// It is for another host.
    #[error("it is for another relying party")]
    RelyingParty,
    /// Nobody touched the authenticator.
    #[error("nobody was there")]
    Absent,
    /// The authenticator did not make sure who touched it.
    #[error("the authenticator did not verify its user")]
    Unverified,
    /// What is said of copies contradicts itself, or what was said before.
    #[error("what it says of copies of the passkey can't be")]
    Backup,
    /// The key is of a kind that was not asked for, or is none.
    #[error("the public key is of no kind that was asked for")]
    Key,
    /// The signature is not that of the passkey.
    #[error("the signature is wrong")]
    Signature,
    /// The passkey has signed less often than it had before, so there are two of it.
    #[error("the counter of signatures went back")]
    Copied,
}

impl RelyingParty {
    /// The service at its public address; `None` where browsers have no passkeys: at IP addresses, and over
    /// plain HTTP elsewhere than on the same machine.
    pub(crate) fn at(address: &str) -> Option<Self> {
        let url = Url::parse(address).ok()?;
        let Host::Domain(host) = url.host()? else { return None };
        let is_local = host == "localhost" || host.ends_with(".localhost");
        let is_secure = url.scheme() == "https" || (url.scheme() == "http" && is_local);
        is_secure.then(|| Self { id: host.to_owned(), origin: url.origin().ascii_serialization() })
    }
}
