//! Signing in with a passkey (section 7.2).

use sha2::{Digest, Sha256};

use super::{
    Credential, RelyingParty, Unproven, authenticator_data::AuthenticatorData,
    client_data::Question, public_key,
};

/// What a browser sends when someone signs in with a passkey.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Assertion<'a> {
    /// What the browser says.
    pub(crate) client_data: &'a [u8],
    /// What the authenticator says.
    pub(crate) authenticator_data: &'a [u8],
    /// Its signature of both.
    pub(crate) signature: &'a [u8],
}

/// Whether the authenticator has to make sure who touches it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UserVerification {
    /// It has to.
    Required,
    /// They showed who they are in another way.
    Unneeded,
}

impl RelyingParty {
    /// Whether a passkey signed a challenge; the count of its signatures since.
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
        // Some never count, and say 0 each time.
        let (before, after) = (credential.sign_count, data.sign_count);
        if (before, after) != (0, 0) && after <= before {
            return Err(Unproven::Copied);
        }
        Ok(after)
    }
}
