//! Embeds texts with a model on another host: for the compiler and for questions, which don't wait for futures.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use anyhow::Context;
use docwright_agent::models::{EmbeddingSettings, Embeddings};
use docwright_site::embedding::{Embedder, EmbeddingError};
use sha2::{Digest, Sha256};
use tokio::runtime::{Handle, Runtime};

/// How long questions go without embeddings after a failure. Readers don't wait for a host that is down.
const PAUSE: Duration = Duration::from_secs(30);

/// What texts are embedded for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A site that is built: transient errors are retried.
    Build,
    /// A question, whose reader waits.
    Question,
}

impl Purpose {
    /// How long the host can take for a request.
    pub(crate) const fn patience(self) -> Duration {
        match self {
            Self::Build => Duration::from_mins(1),
            Self::Question => Duration::from_secs(2),
        }
    }
}

/// A model on another host.
#[derive(Debug)]
pub(crate) struct RemoteEmbedder {
    client: Embeddings,
    hash: String,
    purpose: Purpose,
    handle: Handle,
    /// The runtime of a command that has none.
    _runtime: Option<Runtime>,
    /// Until then, questions have no embeddings.
    paused_until: Mutex<Option<Instant>>,
}

impl RemoteEmbedder {
    pub(crate) fn new(settings: EmbeddingSettings, purpose: Purpose) -> anyhow::Result<Self> {
        let client = Embeddings::new(settings).map_err(anyhow::Error::msg)?;
        let hash = hex::encode(Sha256::digest(client.name()));
        let (handle, runtime) = if let Ok(handle) = Handle::try_current() {
            (handle, None)
        } else {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            let runtime = builder.worker_threads(1).enable_all().build();
            let runtime = runtime.context("cannot start a thread for embeddings")?;
            (runtime.handle().clone(), Some(runtime))
        };
        Ok(Self {
            client,
            hash,
            purpose,
            handle,
            _runtime: runtime,
            paused_until: Mutex::default(),
        })
    }

    fn is_paused(&self) -> bool {
        let until = *self.paused_until.lock().unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|until| Instant::now() < until)
    }
}

impl Embedder for RemoteEmbedder {
    fn model(&self) -> &str {
        &self.hash
    }

    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        if self.is_paused() {
            return Err(EmbeddingError("the model failed a moment ago".to_owned()));
        }
        let embedded =
            self.handle.block_on(self.client.embed(texts, self.purpose == Purpose::Build));
        embedded.map_err(|error| {
            if self.purpose == Purpose::Question {
                let mut until = self.paused_until.lock().unwrap_or_else(PoisonError::into_inner);
                *until = Some(Instant::now() + PAUSE);
            }
            // The words of the host can repeat those of the texts.
            EmbeddingError(error.without_reply().to_owned())
        })
    }
}
