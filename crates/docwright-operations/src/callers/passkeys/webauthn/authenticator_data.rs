//! Authenticator data: the host, user presence, and the key of a new passkey.

use sha2::{Digest, Sha256};

use super::{LONGEST, RelyingParty, Unproven, assertion::UserVerification, cbor};

/// The user was present.
const PRESENT: u8 = 1;
/// The user was verified, by a PIN or a fingerprint.
const VERIFIED: u8 = 1 << 2;
/// The passkey can be copied to other devices of its owner.
const BACKUP_ELIGIBLE: u8 = 1 << 3;
/// It was copied.
const BACKED_UP: u8 = 1 << 4;
/// A new passkey follows.
const HAS_CREDENTIAL: u8 = 1 << 6;
/// Extension outputs follow.
const HAS_EXTENSIONS: u8 = 1 << 7;
/// Longest ID of a passkey.
const LONGEST_ID: usize = 1023;

/// The data without extension outputs, since no extension is requested.
#[derive(Debug)]
pub(super) struct AuthenticatorData<'a> {
    host_hash: &'a [u8],
    flags: u8,
    pub(super) sign_count: u32,
    /// ID and public key of a new passkey.
    pub(super) credential: Option<(&'a [u8], &'a [u8])>,
}

impl<'a> AuthenticatorData<'a> {
    /// Parses it. Trailing bytes are an error.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, Unproven> {
        Self::parts(bytes).ok_or(Unproven::Damaged("authenticator data"))
    }

    fn parts(bytes: &'a [u8]) -> Option<Self> {
        if bytes.len() > LONGEST {
            return None;
        }
        let (host_hash, rest) = bytes.split_at_checked(32)?;
        let (flags, rest) = rest.split_first()?;
        let (sign_count, mut rest) = rest.split_first_chunk::<4>()?;
        let mut credential = None;
        if flags & HAS_CREDENTIAL != 0 {
            let (_model, after) = rest.split_at_checked(16)?;
            let (length, after) = after.split_first_chunk::<2>()?;
            let (id, after) = after.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
            let (_, end) = cbor::first(after)?;
            let key = &after[..after.len() - end.len()];
            if !(1..=LONGEST_ID).contains(&id.len()) {
                return None;
            }
            (credential, rest) = (Some((id, key)), end);
        }
        if flags & HAS_EXTENSIONS != 0 {
            rest = cbor::first(rest)?.1;
        }
        let sign_count = u32::from_be_bytes(*sign_count);
        rest.is_empty().then_some(Self { host_hash, flags: *flags, sign_count, credential })
    }

    /// Whether it is for this host, with the required user verification.
    pub(super) fn check(
        &self,
        party: &RelyingParty,
        verification: UserVerification,
    ) -> Result<(), Unproven> {
        let has = |flag| self.flags & flag != 0;
        if self.host_hash != Sha256::digest(&party.id).as_slice() {
            return Err(Unproven::RelyingParty);
        }
        if !has(PRESENT) {
            return Err(Unproven::Absent);
        }
        if verification == UserVerification::Required && !has(VERIFIED) {
            return Err(Unproven::Unverified);
        }
        if has(BACKED_UP) && !has(BACKUP_ELIGIBLE) {
            return Err(Unproven::Backup);
        }
        Ok(())
    }

    /// Whether the passkey can be copied.
    pub(super) const fn is_backup_eligible(&self) -> bool {
        self.flags & BACKUP_ELIGIBLE != 0
    }
}
