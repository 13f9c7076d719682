//! Tokens of a GitHub App: a signed claim of its identity, then a token for the repository.
//! <https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app>

use std::{
    fmt,
    sync::{Arc, Mutex},
    time::{SystemTime, UNIX_EPOCH},
};

use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use reqwest::Method;
use serde_json::json;

use super::{GitHostError, hosted_repository::HostedRepository, http::Http};

/// Age in seconds at which a new token is requested. Tokens are valid for an hour.
const KEPT: u64 = 50 * 60;

/// A GitHub App of the service.
#[derive(Clone)]
pub struct GitHubApp {
    id: String,
    key: Arc<EncodingKey>,
    /// Tokens by repository, with the time of their creation.
    tokens: Arc<Mutex<Vec<(String, u64, String)>>>,
}

impl fmt::Debug for GitHubApp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("GitHubApp").field("id", &self.id).finish_non_exhaustive()
    }
}

impl GitHubApp {
    /// An app by its id (or client id) and its private key in PEM.
    pub fn new(id: &str, private_key: &[u8]) -> Result<Self, String> {
        let key = EncodingKey::from_rsa_pem(private_key)
            .map_err(|_| "the private key of the GitHub App isn't an RSA key in PEM".to_owned())?;
        Ok(Self { id: id.to_owned(), key: Arc::new(key), tokens: Arc::default() })
    }

    fn claim(&self, now: u64) -> Result<String, GitHostError> {
        // A minute back, since clocks differ; GitHub accepts at most ten minutes.
        let claims = json!({ "iss": self.id, "iat": now.saturating_sub(60), "exp": now + 540 });
        encode(&Header::new(Algorithm::RS256), &claims, &self.key).map_err(|error| {
            GitHostError::of(format!("the claim of the GitHub App can't be signed: {error}"), false)
        })
    }
}

/// A token for a repository.
pub(super) async fn token(
    app: &GitHubApp,
    http: &Http,
    at: &HostedRepository,
) -> Result<String, GitHostError> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let name = format!("{}/{}/{}", at.host, at.owner, at.name);
    if let Ok(mut tokens) = app.tokens.lock() {
        tokens.retain(|(_, given, _)| now < given + KEPT);
        if let Some((.., token)) = tokens.iter().find(|(each, ..)| *each == name) {
            return Ok(token.clone());
        }
    }
    let claim = format!("Bearer {}", app.claim(now)?);
    let http = Http { token: Some(("authorization", claim)), ..http.clone() };
    let path = format!("/repos/{}/{}/installation", at.owner, at.name);
    let installation = http.send(Method::GET, &path, None, &[]).await?.body["id"].to_string();
    let path = format!("/app/installations/{installation}/access_tokens");
    let body = json!({ "repositories": [at.name] });
    let answer = http.send(Method::POST, &path, Some(body), &[]).await?;
    let token = answer.body["token"].as_str().unwrap_or_default().to_owned();
    if let Ok(mut tokens) = app.tokens.lock() {
        tokens.push((name, now, token.clone()));
    }
    Ok(token)
}
