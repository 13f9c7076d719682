//! Sign-in with a passkey (section 7.2).

use sha2::{Digest, Sha256};

use super::{
    Credential, RelyingParty, Unproven, authenticator_data::AuthenticatorData,
    client_data::Question, public_key,
};

/// The browser's response when someone signs in with a passkey.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Assertion<'a> {
    /// Client data from the browser.
    pub(crate) client_data: &'a [u8],
    /// Data from the authenticator.
    pub(crate) authenticator_data: &'a [u8],
    /// Its signature of both.
    pub(crate) signature: &'a [u8],
}

/// Whether the authenticator must verify the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserVerification {
    /// It must.
    Required,
    /// The user was identified in another way.
    Unneeded,
}

impl RelyingParty {
    /// Whether a passkey signed a challenge; returns the new signature counter.
    pub(crate) fn verify(
        &self,
        (challenge, verification): (&[u8], UserVerification),
        assertion: Assertion<'_>,
        credential: &Credential,
    ) -> Result<u32, Unproven> {
        self.check_client_data(assertion.client_data, (Question::Get, challenge))?;
        let data = AuthenticatorData::read(assertion.authenticator_data)?;
        data.check(self, verification)?;
        if data.is_backup_eligible() != credential.is_backup_eligible {
            return Err(Unproven::Backup);
        }
        let client_hash = Sha256::digest(assertion.client_data);
        let signed = [assertion.authenticator_data, client_hash.as_slice()].concat();
        let key = public_key::read(&credential.public_key)?;
        key.verify_sig(&signed, assertion.signature).map_err(|_| Unproven::Signature)?;
        // Some authenticators don't count, and always send 0.
        let (before, after) = (credential.sign_count, data.sign_count);
        if (before, after) != (0, 0) && after <= before {
            return Err(Unproven::Copied);
        }
        Ok(after)
    }
}
