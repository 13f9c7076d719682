//! Requests to the API of a service, and whether their errors can pass.

use std::time::Duration;

use anyhow::{Context, anyhow};
use docwright_serving::deployment::UpdateError;
use docwright_types::key::PresentedKey;
use reqwest::{Client, Method, RequestBuilder, StatusCode, redirect::Policy};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use url::Url;

/// Time limit of a request.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A service, and a key for it.
#[derive(Debug)]
pub(super) struct Api<'a> {
    pub(super) client: &'a Client,
    pub(super) address: &'a Url,
    pub(super) key: PresentedKey,
}

/// The body of an error.
#[derive(Debug, Deserialize)]
struct ErrorBody {
    error: String,
}

/// A client for requests with a key. It follows no redirect, which would send the key to its target.
pub(super) fn client() -> anyhow::Result<Client> {
    Client::builder()
        .redirect(Policy::none())
        .timeout(TIMEOUT)
        .build()
        .context("cannot prepare requests to the service; install the certificates of authorities, such as the package ca-certificates, or name them in SSL_CERT_FILE")
}

impl Api<'_> {
    /// Reads a resource.
    pub(super) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, UpdateError> {
        self.read(&self.answer(self.request(Method::GET, path)).await?)
    }

    /// Reads a resource; `None` if it doesn't exist.
    pub(super) async fn find<T: DeserializeOwned>(
        &self,
        path: &str,
    ) -> Result<Option<T>, UpdateError> {
        let answer = self.answer(self.request(Method::GET, path)).await?;
        if answer.0 == StatusCode::NOT_FOUND { Ok(None) } else { self.read(&answer).map(Some) }
    }

    /// Calls an operation. Repeated calls with the same key and body have one effect.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: Option<(&Value, &str)>,
    ) -> Result<T, UpdateError> {
        let request = self.request(Method::POST, path);
        let request = match body {
            Some((body, once)) => request.header("idempotency-key", once).json(body),
            None => request,
        };
        self.read(&self.answer(request).await?)
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let base = self.address.as_str().trim_end_matches('/');
        self.client.request(method, format!("{base}{path}")).bearer_auth(self.key.reveal())
    }

    async fn answer(&self, request: RequestBuilder) -> Result<(StatusCode, Vec<u8>), UpdateError> {
        let unreachable = |error: reqwest::Error| {
            let error = anyhow::Error::new(error.without_url());
            UpdateError::Transient(error.context(format!("{} can't be reached", self.address)))
        };
        let response = request.send().await.map_err(unreachable)?;
        let status = response.status();
        Ok((status, response.bytes().await.map_err(unreachable)?.into()))
    }

    fn read<T: DeserializeOwned>(
        &self,
        (status, body): &(StatusCode, Vec<u8>),
    ) -> Result<T, UpdateError> {
        if status.is_success() {
            let read = serde_json::from_slice(body);
            return read.map_err(|error| {
                UpdateError::Permanent(anyhow!(
                    "the response of {} can't be read: {error}; check that `url` is that of docwright {}",
                    self.address,
                    env!("CARGO_PKG_VERSION")
                ))
            });
        }
        let sentence = serde_json::from_slice(body).map(|ErrorBody { error }| error);
        let sentence = sentence.map_or(String::new(), |sentence| format!(": {sentence}"));
        let error = anyhow!("{} returned {status}{sentence}", self.address);
        let can_pass = status.is_server_error()
            || matches!(
                *status,
                StatusCode::CONFLICT
                    | StatusCode::REQUEST_TIMEOUT
                    | StatusCode::TOO_EARLY
                    | StatusCode::TOO_MANY_REQUESTS
            );
        Err(match *status {
            _ if can_pass => UpdateError::Transient(error),
            StatusCode::UNAUTHORIZED => UpdateError::Permanent(error.context(
                "the service refuses the key of staticExport.source; create a new one with the scope `write`",
            )),
            _ => UpdateError::Permanent(error),
        })
    }
}
