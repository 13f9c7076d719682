//! What a provider says of itself (OpenID Connect Discovery). It is asked again after some minutes.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use reqwest::Client;
use serde::Deserialize;
use tokio::sync::Mutex;

use super::answers;

/// How long it is believed.
const AGE: Duration = Duration::from_mins(5);

/// Where the provider has what.
#[derive(Debug, Deserialize)]
pub(super) struct Discovery {
    pub(super) issuer: String,
    pub(super) authorization_endpoint: String,
    pub(super) token_endpoint: String,
    pub(super) jwks_uri: String,
    pub(super) userinfo_endpoint: Option<String>,
    #[serde(default)]
    pub(super) scopes_supported: Vec<String>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

/// The last one that was read.
#[derive(Debug, Default)]
pub(super) struct Known(Mutex<Option<(Instant, Arc<Discovery>)>>);

impl Discovery {
    /// Whether a secret is sent as of old, by HTTP's basic scheme; it is where nothing else is said.
    pub(super) fn takes_basic(&self) -> bool {
        let methods = self.token_endpoint_auth_methods_supported.as_ref();
        methods.is_none_or(|methods| methods.iter().any(|method| method == "client_secret_basic"))
    }
}

impl Known {
    /// What the provider says; who asks at the same time waits for the same answer.
    pub(super) async fn get(
        &self,
        client: &Client,
        issuer: &str,
    ) -> Result<Arc<Discovery>, String> {
        let mut known = self.0.lock().await;
        if let Some((_, discovery)) = known.as_ref().filter(|(at, _)| at.elapsed() < AGE) {
            return Ok(Arc::clone(discovery));
        }
        let address = format!("{issuer}/.well-known/openid-configuration");
        let answer = answers::json(client.get(address)).await?;
        let discovery: Discovery =
            serde_json::from_value(answer).map_err(|error| error.to_string())?;
        if discovery.issuer.trim_end_matches('/') != issuer {
            return Err(format!("it calls itself {}; set --oidc-issuer to that", discovery.issuer));
        }
        let discovery = Arc::new(discovery);
        *known = Some((Instant::now(), Arc::clone(&discovery)));
        Ok(discovery)
    }
}
