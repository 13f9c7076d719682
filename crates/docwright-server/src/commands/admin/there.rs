//! A service that runs elsewhere, asked over HTTP with a key.

use std::{fmt, path::Path, time::Duration};

use anyhow::{Context, ensure};
use axum::http::Method;
use docwright_domain::key::PresentedKey;
use reqwest::{Client, redirect::Policy};
use serde_json::Value;
use url::Url;

use super::client::Answer;
use crate::config::is_this_machine;

/// How long an answer may take. A deletion is the longest.
const PATIENCE: Duration = Duration::from_mins(10);
/// How long a connection may take.
const CONNECTING: Duration = Duration::from_secs(15);

/// A service, and a key for it.
pub(super) struct There {
    client: Client,
    address: Url,
    key: PresentedKey,
}

impl fmt::Debug for There {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The key shows its public id only.
        formatter
            .debug_struct("There")
            .field("address", &self.address.as_str())
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

impl There {
    /// A service at an address. The key is read from a file, or from the environment.
    pub(super) fn new(address: Url, key_file: Option<&Path>) -> anyhow::Result<Self> {
        ensure!(
            address.username().is_empty() && address.password().is_none(),
            "--server holds no key; put it into DOCWRIGHT_KEY, or into the file of --key-file"
        );
        ensure!(
            matches!(address.scheme(), "https" | "http") && address.host().is_some(),
            "--server must be an address such as https://docwright.example.com, not `{address}`"
        );
        if address.scheme() == "http" && !is_this_machine(&address) {
            eprintln!(
                "warning: {address} is not encrypted, so that others on the way can read the key; use https://"
            );
        }
        let (text, place) = if let Some(file) = key_file {
            let read = std::fs::read_to_string(file);
            (read.with_context(|| format!("cannot read {}", file.display()))?, "--key-file")
        } else {
            let read = std::env::var("DOCWRIGHT_KEY").ok();
            let missing =
                "--server needs a key; put it into DOCWRIGHT_KEY, or into the file of --key-file";
            (read.context(missing)?, "DOCWRIGHT_KEY")
        };
        let key = PresentedKey::parse(text.trim());
        let key = key.with_context(|| format!("what {place} holds is no key like dw_…_…"))?;
        // A redirect would carry the key to wherever it leads.
        let client = Client::builder().redirect(Policy::none()).connect_timeout(CONNECTING);
        Ok(Self { client: client.timeout(PATIENCE).build()?, address, key })
    }

    /// Makes a request.
    pub(super) async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> anyhow::Result<Answer> {
        let base = self.address.as_str().trim_end_matches('/');
        let mut asked = self.client.request(method, format!("{base}{path}"));
        asked = asked.bearer_auth(self.key.reveal());
        if let Some(body) = body {
            asked = asked.json(&body);
        }
        let unreachable = || format!("{} can't be reached", self.address);
        let response = asked.send().await.with_context(unreachable)?;
        let status = response.status();
        ensure!(
            !status.is_redirection(),
            "{} leads elsewhere; name the address of the service itself in --server",
            self.address
        );
        let bytes = response.bytes().await.with_context(unreachable)?;
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        Ok(Answer { status, body, cause: None })
    }
}
