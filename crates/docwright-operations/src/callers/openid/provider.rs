//! A provider of OpenID Connect (authorization code flow with PKCE), which identifies users and lists their
//! groups. It knows no accounts.

use std::{fmt, sync::Arc, time::Duration};

use anyhow::Context;
use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use docwright_types::account::Role;
use reqwest::{Client, RequestBuilder, header};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use url::{Url, form_urlencoded};

use super::{
    answers,
    claims::{self, Person},
    discovery::{Discovery, DiscoveryCache},
};

/// Time limit of a response of the provider.
const PATIENCE: Duration = Duration::from_secs(10);

/// The role that a group grants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupRole {
    /// The group, as the provider names it.
    pub group: String,
    /// Name or ID of the organization.
    pub organization: String,
    /// The role there.
    pub role: Role,
}

/// Why a sign-in failed because of the provider, for the log.
#[derive(Debug, thiserror::Error)]
pub enum OpenIdError {
    /// It didn't respond, or not as expected.
    #[error("cannot use the provider {0}: {1}")]
    Away(String, String),
    /// It responded, but its claims can't be trusted.
    #[error("the provider {0} can't be trusted: {1}")]
    Unproven(String, String),
}

/// A provider, and its configuration for this service.
#[derive(Debug, Clone)]
pub struct Provider(Arc<Shared>);

struct Shared {
    issuer: String,
    client_id: String,
    secret: Option<String>,
    groups_claim: String,
    roles: Vec<GroupRole>,
    back: String,
    client: Client,
    known: DiscoveryCache,
}

impl fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Provider").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

/// The secrets of one sign-in. They bind the provider's response to the browser.
#[derive(Clone, Copy)]
pub struct Secrets<'a> {
    /// Returned with the response.
    pub state: &'a str,
    /// Part of the signed response.
    pub nonce: &'a str,
    /// Required to get the tokens.
    pub verifier: &'a str,
}

#[derive(Deserialize)]
struct Tokens {
    id_token: String,
    access_token: String,
}

impl Provider {
    /// A provider by its URL, with the client ID and the secret of this service, the claim that contains groups,
    /// the roles that they grant, and the URL that it sends people back to.
    pub fn new(
        (issuer, client_id, secret): (&str, String, Option<String>),
        (groups_claim, roles): (String, Vec<GroupRole>),
        back: String,
    ) -> anyhow::Result<Self> {
        let client =
            Client::builder().redirect(reqwest::redirect::Policy::none()).timeout(PATIENCE);
        Ok(Self(Arc::new(Shared {
            issuer: issuer.trim_end_matches('/').to_owned(),
            client_id,
            secret,
            groups_claim,
            roles,
            back,
            client: client.build().context("there is no HTTP client for the provider")?,
            known: DiscoveryCache::default(),
        })))
    }

    /// Its host, which identifies it to people.
    pub fn name(&self) -> String {
        let host =
            Url::parse(&self.0.issuer).ok().and_then(|url| url.host_str().map(str::to_owned));
        host.unwrap_or_default()
    }

    /// Its URL, which identifies an account together with the subject.
    pub fn issuer(&self) -> &str {
        &self.0.issuer
    }

    /// The roles that groups grant.
    pub fn roles_of(&self, groups: &[String]) -> impl Iterator<Item = &GroupRole> {
        self.0.roles.iter().filter(|role| groups.contains(&role.group))
    }

    /// The URL where someone signs in.
    pub async fn sign_in_address(&self, secrets: Secrets<'_>) -> Result<String, OpenIdError> {
        let discovery = self.discovery().await?;
        let endpoint = Url::parse(&discovery.authorization_endpoint);
        let mut address = endpoint.map_err(|error| self.away(error))?;
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(secrets.verifier.as_bytes()));
        address.query_pairs_mut().extend_pairs([
            ("response_type", "code"),
            ("client_id", &self.0.client_id),
            ("redirect_uri", &self.0.back),
            ("scope", discovery.scope()),
            ("state", secrets.state),
            ("nonce", secrets.nonce),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ]);
        Ok(address.into())
    }

    /// The user that the provider sent back with a code.
    pub async fn person(&self, code: &str, secrets: Secrets<'_>) -> Result<Person, OpenIdError> {
        let discovery = self.discovery().await?;
        let tokens = self.tokens(&discovery, code, secrets.verifier).await?;
        let keys = self.get(&discovery.jwks_uri, None).await?;
        let expected = (discovery.issuer.as_str(), self.0.client_id.as_str(), secrets.nonce);
        let mut claims =
            claims::verify(&tokens.id_token, &keys, expected).map_err(|why| self.unproven(why))?;
        if let Some(endpoint) = &discovery.userinfo_endpoint {
            let more = self.get(endpoint, Some(&tokens.access_token)).await?;
            claims::add(&mut claims, more).map_err(|why| self.unproven(why))?;
        }
        Person::of(&claims, &self.0.groups_claim).map_err(|why| self.unproven(why))
    }

    async fn tokens(
        &self,
        discovery: &Discovery,
        code: &str,
        verifier: &str,
    ) -> Result<Tokens, OpenIdError> {
        let request = self.token_request(discovery, code, verifier);
        let answer = answers::json(request).await.map_err(|error| {
            if error.is_of_code { self.unproven(error) } else { self.away(error) }
        });
        serde_json::from_value(answer?).map_err(|error| self.away(error))
    }

    fn token_request(&self, discovery: &Discovery, code: &str, verifier: &str) -> RequestBuilder {
        let shared = &self.0;
        let mut body = form_urlencoded::Serializer::new(String::new());
        body.extend_pairs([
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &shared.back),
            ("code_verifier", verifier),
        ]);
        let mut request = shared.client.post(&discovery.token_endpoint);
        match &shared.secret {
            Some(secret) if discovery.takes_basic() => {
                let encoded = |text: &str| -> String {
                    form_urlencoded::byte_serialize(text.as_bytes()).collect()
                };
                let login = format!("{}:{}", encoded(&shared.client_id), encoded(secret));
                let login = format!("Basic {}", STANDARD.encode(login));
                request = request.header(header::AUTHORIZATION, login);
            }
            Some(secret) => {
                body.extend_pairs([("client_id", &shared.client_id), ("client_secret", secret)]);
            }
            None => {
                body.append_pair("client_id", &shared.client_id);
            }
        }
        let kind = "application/x-www-form-urlencoded";
        request.header(header::CONTENT_TYPE, kind).body(body.finish())
    }

    async fn get(
        &self,
        address: &str,
        token: Option<&str>,
    ) -> Result<serde_json::Value, OpenIdError> {
        let mut request = self.0.client.get(address);
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        answers::json(request).await.map_err(|error| self.away(error))
    }

    async fn discovery(&self) -> Result<Arc<Discovery>, OpenIdError> {
        let shared = &self.0;
        let found = shared.known.get(&shared.client, &shared.issuer).await;
        found.map_err(|error| self.away(error))
    }

    fn unproven(&self, why: impl fmt::Display) -> OpenIdError {
        OpenIdError::Unproven(self.0.issuer.clone(), why.to_string())
    }

    fn away(&self, why: impl fmt::Display) -> OpenIdError {
        OpenIdError::Away(self.0.issuer.clone(), why.to_string())
    }
}
