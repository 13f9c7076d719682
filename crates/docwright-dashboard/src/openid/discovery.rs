//! What a provider says of itself (OpenID Connect Discovery). It is asked again after some minutes, and one that
//! did not answer after some seconds: so people who come meanwhile don't wait for each other.

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
/// How long a provider is left alone that did not answer.
const REST: Duration = Duration::from_secs(5);

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

/// What came of the last time that it was asked.
#[derive(Debug, Default)]
pub(super) struct DiscoveryCache(Mutex<Option<DiscoveryAttempt>>);

#[derive(Debug)]
struct DiscoveryAttempt {
    at: Instant,
    found: Result<Arc<Discovery>, String>,
}

impl Discovery {
    /// What is asked for: groups too, where the provider has a scope of that name.
    pub(super) fn scope(&self) -> &'static str {
        let has_groups = self.scopes_supported.iter().any(|scope| scope == "groups");
        if has_groups { "openid email profile groups" } else { "openid email profile" }
    }

    /// Whether a secret is sent as of old, by HTTP's basic scheme; it is where nothing else is said.
    pub(super) fn takes_basic(&self) -> bool {
        let methods = self.token_endpoint_auth_methods_supported.as_ref();
        methods.is_none_or(|methods| methods.iter().any(|method| method == "client_secret_basic"))
    }
}

impl DiscoveryCache {
    /// What the provider says; the caller at the same time waits for the same answer.
    pub(super) async fn get(
        &self,
        client: &Client,
        issuer: &str,
    ) -> Result<Arc<Discovery>, String> {
        let mut known = self.0.lock().await;
        if let Some(asked) = known.as_ref() {
            let age = if asked.found.is_ok() { AGE } else { REST };
            if asked.at.elapsed() < age {
                return asked.found.clone();
            }
        }
        let found = discover(client, issuer).await.map(Arc::new);
        *known = Some(DiscoveryAttempt { at: Instant::now(), found: found.clone() });
        found
    }
}

async fn discover(client: &Client, issuer: &str) -> Result<Discovery, String> {
    let address = format!("{issuer}/.well-known/openid-configuration");
    let answer = answers::json(client.get(address)).await.map_err(|error| error.to_string())?;
    let found: Discovery = serde_json::from_value(answer).map_err(|error| error.to_string())?;
    if found.issuer.trim_end_matches('/') != issuer {
        return Err(format!("it calls itself {}; set --oidc-issuer to that", found.issuer));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn nobody_waits_for_others_who_ask_a_provider_that_is_silent() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let client = Client::builder().timeout(Duration::from_millis(300)).build().unwrap();
        let known = DiscoveryCache::default();
        let asked = (0..20).map(|_| known.get(&client, &issuer));
        let answers = futures::future::join_all(asked).await;
        assert!(answers.iter().all(Result::is_err));
        // Of all of them one reached it.
        listener.accept().await.unwrap();
        let next = tokio::time::timeout(Duration::from_millis(50), listener.accept());
        assert!(next.await.is_err());
    }
}
