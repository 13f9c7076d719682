//! Embeddings of texts by a model behind an HTTP API: the protocol of OpenAI, which most hosts support.
//! <https://platform.openai.com/docs/api-reference/embeddings>

use std::{fmt, time::Duration};

use reqwest::Url;
use serde_json::{Value, json};

use super::{
    ModelError,
    connection::{self, Connection, Taken},
    provider::without_secrets,
    reason::ModelHost,
    retry::wait,
};

/// First wait after a transient error; it doubles with each attempt.
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// A model that embeds texts, and its host.
#[derive(Clone)]
pub struct EmbeddingSettings {
    /// URL of the host, such as `http://localhost:8000/v1`.
    pub address: String,
    /// The host's name for the model.
    pub model: String,
    /// Key of the host; empty if none is needed.
    pub key: String,
    /// How long the host can take for a request.
    pub patience: Duration,
}

impl fmt::Debug for EmbeddingSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("EmbeddingSettings")
            .field("address", &without_secrets(&self.address))
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// A client of a model that embeds texts.
pub struct Embeddings {
    base: String,
    settings: EmbeddingSettings,
    client: reqwest::Client,
}

impl fmt::Debug for Embeddings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Embeddings")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl Embeddings {
    /// Creates a client, without a request.
    ///
    /// # Errors
    ///
    /// Says why the settings can't work.
    pub fn new(settings: EmbeddingSettings) -> Result<Self, String> {
        let base = base(&settings.address)?;
        Ok(Self { base, settings, client: connection::client()? })
    }

    /// What tells the model from others: its address and its name.
    pub fn name(&self) -> String {
        format!("{}\n{}", without_secrets(&self.base), self.settings.model)
    }

    /// The vectors of texts, in their order. Transient errors are retried if `retries` says so.
    ///
    /// # Errors
    ///
    /// Fails if the host returns none. Numbers and sizes aren't checked.
    pub async fn embed(
        &self,
        texts: &[String],
        retries: bool,
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        let mut attempt = 1;
        loop {
            let error = match self.ask(texts).await {
                Ok(vectors) => return Ok(vectors),
                Err(error) => error,
            };
            if !retries || attempt >= error.attempts {
                return Err(error);
            }
            let wait = wait(FIRST_WAIT, attempt, error.retry_after);
            let reason = error.without_reply();
            tracing::warn!(attempt, seconds = wait.as_secs_f64(), %reason, "embedding failed; retrying");
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    async fn ask(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, ModelError> {
        let EmbeddingSettings { model, key, patience, .. } = &self.settings;
        let body = json!({ "model": model, "input": texts, "encoding_format": "float" });
        let mut request = self.client.post(format!("{}/embeddings", self.base)).json(&body);
        if !key.is_empty() {
            request = request.bearer_auth(key);
        }
        let mut connection = Connection::new(*patience);
        let mut found = None;
        let take = |event: Value| {
            found = vectors(&event);
            Ok(if found.is_some() { Taken::All } else { Taken::Nothing })
        };
        let asked = connection.ask(request, take).await;
        let host = ModelHost { model, address: without_secrets(&self.base), key };
        asked.map_err(|failure| host.failed(&failure, *patience, &connection.reply))?;
        Ok(found.unwrap_or_default())
    }
}

/// The base URL in common forms: the host alone, or with the path of the operation.
fn base(address: &str) -> Result<String, String> {
    let shown = without_secrets(address);
    let url = Url::parse(address).map_err(|error| format!("`{shown}` isn't a URL ({error})"))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(format!(
            "`{shown}` isn't an HTTP URL; use one such as https://host.example/v1"
        ));
    }
    let base = address.trim_end_matches('/');
    let base = base.strip_suffix("/embeddings").unwrap_or(base).trim_end_matches('/');
    let is_root = Url::parse(base).is_ok_and(|url| url.path() == "/");
    Ok(if is_root { format!("{base}/v1") } else { base.to_owned() })
}

/// The vectors of a response, in the order of their texts.
fn vectors(response: &Value) -> Option<Vec<Vec<f32>>> {
    let data = response["data"].as_array()?;
    let mut vectors = vec![None; data.len()];
    for (place, each) in data.iter().enumerate() {
        let numbers = each["embedding"].as_array()?.iter();
        #[expect(clippy::cast_possible_truncation, reason = "vectors have this precision")]
        let numbers = numbers.map(|number| Some(number.as_f64()? as f32)).collect::<Option<_>>()?;
        let index = each["index"].as_u64().map_or(Some(place), |index| usize::try_from(index).ok());
        *vectors.get_mut(index?)? = Some(numbers);
    }
    vectors.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_in_the_order_of_texts() {
        let response = json!({ "object": "list", "data": [
            { "index": 1, "embedding": [0.5, -1] }, { "index": 0, "embedding": [1e-3, 2] },
        ] });
        assert_eq!(vectors(&response), Some(vec![vec![0.001, 2.0], vec![0.5, -1.0]]));
        let unnumbered = json!({ "data": [{ "embedding": [1] }, { "embedding": [2] }] });
        assert_eq!(vectors(&unnumbered), Some(vec![vec![1.0], vec![2.0]]));
        for wrong in [
            json!({}),
            json!({ "data": [{ "embedding": "AAAA" }] }),
            json!({ "data": [{ "embedding": [null] }] }),
            json!({ "data": [{ "index": 1, "embedding": [1] }] }),
            json!({ "data": [{ "index": 0, "embedding": [1] }, { "index": 0, "embedding": [1] }] }),
        ] {
            assert_eq!(vectors(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn address_must_be_a_url() {
        let new = |address: &str| {
            Embeddings::new(EmbeddingSettings {
                address: address.to_owned(),
                model: "small".to_owned(),
                key: String::new(),
                patience: Duration::from_secs(1),
            })
        };
        for address in ["http://localhost:8000", "http://localhost:8000/v1/embeddings/"] {
            assert_eq!(new(address).unwrap().name(), "http://localhost:8000/v1\nsmall");
        }
        for address in ["/models", "ftp://host.example/v1", "localhost:8000"] {
            assert!(new(address).is_err(), "{address}");
        }
    }
}
