//! An instance on another machine, over HTTP with a key.

use std::{fmt, path::Path, time::Duration};

use anyhow::{Context, bail, ensure};
use docwright_http::this_machine::is_this_machine;
use docwright_types::key::PresentedKey;
use reqwest::{Client, Method, RequestBuilder, StatusCode, redirect::Policy};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use url::Url;

use super::{NextPage, lower_case};

/// Time limit of a response. A deletion takes longest.
const TIMEOUT: Duration = Duration::from_mins(10);
/// Time limit of connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// An instance on another machine, and a key for it.
pub(in crate::commands::admin) struct Remote {
    client: Client,
    address: Url,
    key: PresentedKey,
}

impl fmt::Debug for Remote {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Only the public ID of the key is shown.
        formatter
            .debug_struct("Remote")
            .field("address", &self.address.as_str())
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

impl Remote {
    /// The instance at an address. The key is read from a file, or from the environment.
    pub(super) fn new(address: Url, key_file: Option<&Path>) -> anyhow::Result<Self> {
        ensure!(
            address.username().is_empty() && address.password().is_none(),
            "--server needs an API key; set DOCWRIGHT_KEY or --key-file"
        );
        ensure!(
            matches!(address.scheme(), "https" | "http") && address.host().is_some(),
            "--server must be an address such as https://docwright.example.com, not `{address}`"
        );
        if address.scheme() == "http" && !is_this_machine(&address) {
            eprintln!(
                "warning: {address} isn't encrypted, so others on the network can read the key; use https://"
            );
        }
        let (text, place) = if let Some(file) = key_file {
            let read = std::fs::read_to_string(file);
            (read.with_context(|| format!("cannot read {}", file.display()))?, "--key-file")
        } else {
            let read = std::env::var("DOCWRIGHT_KEY").ok();
            let missing = "--server needs an API key; set DOCWRIGHT_KEY or --key-file";
            (read.context(missing)?, "DOCWRIGHT_KEY")
        };
        let key = PresentedKey::parse(text.trim());
        let key =
            key.with_context(|| format!("{place} doesn't contain an API key such as dw_…_…"))?;
        // A redirect would send the key to its target.
        let client = Client::builder().redirect(Policy::none()).connect_timeout(CONNECT_TIMEOUT);
        Ok(Self { client: client.timeout(TIMEOUT).build()?, address, key })
    }

    /// Reads a resource.
    pub(super) async fn get<T: DeserializeOwned>(&self, path: &str) -> anyhow::Result<T> {
        self.ask(Method::GET, path).await
    }

    /// Reads a resource; `None` if it doesn't exist.
    pub(super) async fn find<T: DeserializeOwned>(&self, path: &str) -> anyhow::Result<Option<T>> {
        let (status, body) = self.answer(self.request(Method::GET, path)).await?;
        if status == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        self.read(status, &body).map(Some)
    }

    /// Reads a page of a list.
    pub(super) async fn list<T: DeserializeOwned>(
        &self,
        path: &str,
        filter: &impl Serialize,
        page: &NextPage,
    ) -> anyhow::Result<T> {
        self.get(&with_query(path, &ListQuery { filter, page })?).await
    }

    /// Sends a request without a body.
    pub(super) async fn ask<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
    ) -> anyhow::Result<T> {
        let (status, body) = self.answer(self.request(method, path)).await?;
        self.read(status, &body)
    }

    /// Sends a request with an input.
    pub(super) async fn send<I: Serialize, T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        input: &I,
    ) -> anyhow::Result<T> {
        let (status, body) = self.answer(self.request(method, path).json(input)).await?;
        self.read(status, &body)
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let base = self.address.as_str().trim_end_matches('/');
        self.client.request(method, format!("{base}{path}")).bearer_auth(self.key.reveal())
    }

    async fn answer(&self, request: RequestBuilder) -> anyhow::Result<(StatusCode, Vec<u8>)> {
        let unreachable = || format!("{} can't be reached", self.address);
        let response = request.send().await.with_context(unreachable)?;
        let status = response.status();
        ensure!(
            !status.is_redirection(),
            "{} redirects; set --server to the URL of the service itself",
            self.address
        );
        let body = response.bytes().await.with_context(unreachable)?;
        Ok((status, body.into()))
    }

    /// Reads a response; the error is the sentence of the API, in the form of a command's errors.
    fn read<T: DeserializeOwned>(&self, status: StatusCode, body: &[u8]) -> anyhow::Result<T> {
        if !status.is_success() {
            let error: Result<ErrorBody, _> = serde_json::from_slice(body);
            let ErrorBody { error } =
                error.ok().with_context(|| format!("{} returned {status}", self.address))?;
            bail!("{}", lower_case(&error));
        }
        // An operation without an output returns no body.
        let body = if body.is_empty() { b"null" } else { body };
        serde_json::from_slice(body).with_context(|| {
            format!(
                "cannot read the response of {}; check that it is docwright {}",
                self.address,
                env!("CARGO_PKG_VERSION")
            )
        })
    }
}

/// The body of an error. Its code follows from the status.
#[derive(Debug, Deserialize)]
struct ErrorBody {
    error: String,
}

/// A path with a query. Fields that are `None` are left out.
pub(super) fn with_query(path: &str, fields: &impl Serialize) -> anyhow::Result<String> {
    let fields: Map<String, Value> = serde_json::from_value(serde_json::to_value(fields)?)?;
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in fields {
        match value {
            Value::Null => {}
            Value::String(text) => drop(query.append_pair(&name, &text)),
            other => drop(query.append_pair(&name, &other.to_string())),
        }
    }
    Ok(format!("{path}?{}", query.finish()))
}

/// The query of a page of a list.
#[derive(Debug, Serialize)]
struct ListQuery<'a, F> {
    #[serde(flatten)]
    filter: &'a F,
    #[serde(flatten)]
    page: &'a NextPage,
}
