//! Third-party language models.
//!
//! A model is named `<provider>:<model>`, as in `anthropic:claude-sonnet-4-5`, `openai:gpt-5.2`,
//! `gemini:…` or `ollama:…`. Any host that speaks `OpenAI`'s protocol is `openai` with a base URL.

mod names;
mod remote;
mod retry;

use std::fmt;

use futures::future::BoxFuture;

use crate::run::{Answer, Turn};

pub use names::check_name;
pub use remote::{Remote, Settings};
pub use retry::Retry;

/// Why a model gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What is wrong and what to do. Never a key.
    pub message: String,
    /// Whether asking again may help.
    pub may_pass: bool,
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
    ) -> BoxFuture<'a, Result<Answer, ModelError>>;
}
