//! Client data of the browser: the answered challenge, and the page.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Deserialize;

use super::{LONGEST, RelyingParty, Unproven};

/// The ceremony.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    /// Create a passkey.
    Create,
    /// Sign in with a passkey.
    Get,
}

/// Client data. Browsers can add fields, so unknown ones are ignored.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClientData {
    #[serde(rename = "type")]
    kind: String,
    challenge: String,
    origin: String,
    #[serde(default)]
    cross_origin: bool,
    top_origin: Option<String>,
}

impl RelyingParty {
    /// Whether one of our pages requested this challenge.
    pub(super) fn check_client_data(
        &self,
        bytes: &[u8],
        (question, challenge): (Question, &[u8]),
    ) -> Result<(), Unproven> {
        let damaged = Unproven::Damaged("client data");
        if bytes.len() > LONGEST {
            return Err(damaged);
        }
        let data: ClientData = serde_json::from_slice(bytes).map_err(|_| damaged)?;
        let kind = match question {
            Question::Create => "webauthn.create",
            Question::Get => "webauthn.get",
        };
        if data.kind != kind {
            return Err(Unproven::Kind);
        }
        if data.challenge != URL_SAFE_NO_PAD.encode(challenge) {
            return Err(Unproven::Challenge);
        }
        // None of our pages is ever shown inside another one.
        if data.origin != self.origin || data.cross_origin || data.top_origin.is_some() {
            return Err(Unproven::Origin);
        }
        Ok(())
    }
}
