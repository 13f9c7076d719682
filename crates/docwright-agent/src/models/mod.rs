//! Third-party language models.
//!
//! A model is named `<provider>:<model>`, as in `anthropic:claude-sonnet-4-5` or `openai-chat:qwen3`;
//! `provider` knows the providers and where they are. [`Remote`] asks over HTTP, [`Retry`] asks again
//! after a transient error, and `reason` says why there is no answer.

mod chat;
mod connection;
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

pub use names::check_name;
pub use provider::{OPENAI_CHAT, PROVIDERS, Provider, find as find_provider};
pub use remote::{Remote, Settings};
pub use retry::Retry;

/// Why a model gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What was asked of whom, what came back, and what to do. Never a key.
    pub message: String,
    /// How often to ask in all before this counts: once for what stays as it is.
    pub attempts: u32,
    /// Seconds that the host asks to wait for.
    pub retry_after: Option<u64>,
}

/// Something that answers a conversation.
pub trait Model: fmt::Debug + Send + Sync {
    /// The next answer. Instructions come before the turns.
    fn answer<'a>(
        &'a self,
        instructions: &'a str,
        turns: &'a [Turn],
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>>;
}
