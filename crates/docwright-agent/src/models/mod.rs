//! Third-party language models.
//!
//! A model is named `<provider>:<model>`, such as `anthropic:claude-sonnet-4-5` or `openai-chat:qwen3`; `provider`
//! has the providers and their hosts. [`Remote`] sends requests over HTTP, [`Retry`] repeats them after transient
//! errors, and `reason` explains failures.

mod chat;
mod connection;
mod embeddings;
mod messages;
mod names;
mod protocol;
mod provider;
mod reason;
mod remote;
mod retry;
#[cfg(test)]
mod tests;

use std::fmt;

use futures::future::BoxFuture;

use crate::run::{ModelResponse, Turn};

pub use embeddings::{EmbeddingSettings, Embeddings};
pub use names::check_name;
pub use provider::{OPENAI_CHAT, PROVIDERS, Provider, find as find_provider};
pub use remote::{Remote, Settings};
pub use retry::Retry;

/// Why a model did not respond.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// The request, the response, and the remedy. Never a key.
    pub message: String,
    /// Total number of attempts for this error: one if it is permanent.
    pub attempts: u32,
    /// Seconds to wait, as the host requested.
    pub retry_after: Option<u64>,
    /// What is wrong with the model itself; `None` if another request could succeed now.
    pub outage: Option<Outage>,
}

/// Why a model doesn't respond to any request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outage {
    /// Its provider refuses the key.
    Key,
    /// Its provider's limit is used up.
    Quota,
    /// Its provider doesn't know it, or isn't at the address.
    Unknown,
    /// Its host can't be reached.
    Unreachable,
    /// Its host fails.
    Failing,
}

impl Outage {
    /// What is wrong, without a period at the end. It names no address.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Key => "its provider refuses the key",
            Self::Quota => "its provider's limit is used up",
            Self::Unknown => "its provider doesn't know it",
            Self::Unreachable => "its host doesn't respond",
            Self::Failing => "its host fails",
        }
    }
}

impl ModelError {
    /// The message without the words of the host, which can repeat those of the request.
    pub fn without_reply(&self) -> &str {
        self.message.split('“').next().unwrap_or_default().trim_end_matches([':', ' '])
    }
}

/// A model that continues a conversation.
pub trait Model: fmt::Debug + Send + Sync {
    /// The next response. Instructions precede the turns.
    fn answer<'a>(
        &'a self,
        instructions: &'a str,
        turns: &'a [Turn],
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>>;
}

/// A model that writes a text without tools, and passes it on while it writes.
pub trait Writer: fmt::Debug + Send + Sync {
    /// Writes the next text. Instructions precede the turns. `pieces` gets each piece when it arrives; a text that
    /// reaches the limit of tokens ends there. Dropping the future ends the request.
    fn write<'a>(
        &'a self,
        instructions: &'a str,
        turns: &'a [Turn],
        maximum_tokens: u64,
        pieces: &'a mut (dyn FnMut(&str) + Send),
    ) -> BoxFuture<'a, Result<(), ModelError>>;
}
