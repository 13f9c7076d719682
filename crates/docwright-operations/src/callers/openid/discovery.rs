//! Metadata of a provider (OpenID Connect Discovery). It is requested again after some minutes, or after some
//! seconds if the provider didn't respond. Meanwhile, people don't wait for each other.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use reqwest::Client;
use serde::Deserialize;
use tokio::sync::Mutex;

use super::answers;

/// How long the metadata is valid.
const AGE: Duration = Duration::from_mins(5);
/// Pause after a request without a response.
const REST: Duration = Duration::from_secs(5);

/// Endpoints of the provider.
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

/// The result of the last request.
#[derive(Debug, Default)]
pub(super) struct DiscoveryCache(Mutex<Option<DiscoveryAttempt>>);

#[derive(Debug)]
struct DiscoveryAttempt {
    at: Instant,
    found: Result<Arc<Discovery>, String>,
}

impl Discovery {
    /// Requested scopes, including groups if the provider has a scope of that name.
    pub(super) fn scope(&self) -> &'static str {
        let has_groups = self.scopes_supported.iter().any(|scope| scope == "groups");
        if has_groups { "openid email profile groups" } else { "openid email profile" }
    }

    /// Whether the secret is sent with HTTP basic authentication, which is the default.
    pub(super) fn takes_basic(&self) -> bool {
        let methods = self.token_endpoint_auth_methods_supported.as_ref();
        methods.is_none_or(|methods| methods.iter().any(|method| method == "client_secret_basic"))
    }
}

impl DiscoveryCache {
    /// The metadata of the provider. Simultaneous callers wait for the same response.
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
        return Err(format!("its issuer is {}; set --oidc-issuer to that", found.issuer));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn requests_to_silent_provider_share_one_attempt() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let client = Client::builder().timeout(Duration::from_millis(300)).build().unwrap();
        let known = DiscoveryCache::default();
        let asked = (0..20).map(|_| known.get(&client, &issuer));
        let answers = futures::future::join_all(asked).await;
        assert!(answers.iter().all(Result::is_err));
        // At least one address was reachable.
        listener.accept().await.unwrap();
        let next = tokio::time::timeout(Duration::from_millis(50), listener.accept());
        assert!(next.await.is_err());
    }
}
