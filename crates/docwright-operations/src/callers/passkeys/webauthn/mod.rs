//! Passkeys, verified as by a relying party in [WebAuthn Level 3](https://www.w3.org/TR/webauthn-3/)
//! (sections 7.1 and 7.2). This module checks the data of a browser and its authenticator and knows nothing
//! else: no accounts, no sessions, no clock. Its parent decides whose a passkey is, and uses each challenge
//! once.
//!
//! No attestation is requested, and none is read: the maker of an authenticator doesn't matter.

mod assertion;
mod authenticator_data;
mod cbor;
mod client_data;
mod public_key;
mod registration;

#[cfg(test)]
mod tests;

use url::{Host, Url};

pub(crate) use assertion::Assertion;
pub use assertion::UserVerification;
pub use public_key::ALGORITHMS;
pub(crate) use registration::Registration;

/// Limit of a single item from an authenticator, in bytes.
pub(crate) const LONGEST: usize = 16 * 1024;

/// The relying party. Passkeys belong to one host, and work at no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelyingParty {
    /// The host of the service.
    pub id: String,
    /// Scheme, host, and port of the service.
    pub origin: String,
}

/// A passkey, with the data to verify it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// The credential ID.
    pub id: Vec<u8>,
    /// The public key, in COSE.
    pub public_key: Vec<u8>,
    /// The signature counter, if the authenticator counts.
    pub sign_count: u32,
    /// Whether the authenticator can copy it to other devices. This never changes.
    pub is_backup_eligible: bool,
}

/// Why an answer is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unproven {
    /// It is malformed, too long, or has trailing bytes.
    #[error("the {0} is damaged")]
    Damaged(&'static str),
    /// It belongs to another ceremony, such as creating a passkey.
    #[error("it is an answer to another kind of question")]
    Kind,
    /// It belongs to another or expired challenge, or to another browser.
    #[error("the challenge is another one")]
    Challenge,
    /// A page of another site requested it, or a page inside another site.
    #[error("a page of another origin requested it")]
    Origin,
    /// It is for another host.
    #[error("it is for another relying party")]
    RelyingParty,
    /// The user wasn't present.
    #[error("nobody was there")]
    Absent,
    /// The authenticator didn't verify the user.
    #[error("the authenticator did not verify its user")]
    Unverified,
    /// The backup flags contradict each other, or the stored ones.
    #[error("what it says of copies of the passkey can't be")]
    Backup,
    /// The key is of another type than requested, or invalid.
    #[error("the public key is of no kind that was asked for")]
    Key,
    /// The signature doesn't belong to the passkey.
    #[error("the signature is wrong")]
    Signature,
    /// The signature counter decreased, so there are two copies of the passkey.
    #[error("the counter of signatures went back")]
    Copied,
}

impl RelyingParty {
    /// The relying party at the public URL; `None` where browsers don't support passkeys: at IP addresses, and
    /// over plain HTTP except on the same machine.
    pub fn at(address: &str) -> Option<Self> {
        let url = Url::parse(address).ok()?;
        let Host::Domain(host) = url.host()? else { return None };
        let is_local = host == "localhost" || host.ends_with(".localhost");
        let is_secure = url.scheme() == "https" || (url.scheme() == "http" && is_local);
        is_secure.then(|| Self { id: host.to_owned(), origin: url.origin().ascii_serialization() })
    }
}
