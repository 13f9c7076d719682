//! A new passkey (section 7.1).

use cbor4ii::core::Value;

use super::{
    Credential, LONGEST, RelyingParty, Unproven, assertion::UserVerification,
    authenticator_data::AuthenticatorData, cbor, client_data::Question, public_key,
};

/// The browser's response with a new passkey.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Registration<'a> {
    /// Client data from the browser.
    pub(crate) client_data: &'a [u8],
    /// Data from the authenticator.
    pub(crate) attestation: &'a [u8],
}

impl RelyingParty {
    /// The passkey that answers a challenge. Its authenticator must have verified the user, since the passkey can
    /// sign in alone.
    pub(crate) fn register(
        &self,
        challenge: &[u8],
        registration: Registration<'_>,
    ) -> Result<Credential, Unproven> {
        self.check_client_data(registration.client_data, (Question::Create, challenge))?;
        let damaged = Unproven::Damaged("attestation");
        if registration.attestation.len() > LONGEST {
            return Err(damaged);
        }
        let object = cbor::only(registration.attestation).ok_or(damaged)?;
        let data = cbor::bytes(&object, &Value::Text("authData".to_owned())).ok_or(damaged)?;
        let data = AuthenticatorData::read(data)?;
        data.check(self, UserVerification::Required)?;
        let (id, key) = data.credential.ok_or(damaged)?;
        public_key::read(key)?;
        Ok(Credential {
            id: id.to_vec(),
            public_key: key.to_vec(),
            sign_count: data.sign_count,
            is_backup_eligible: data.is_backup_eligible(),
        })
    }
}
