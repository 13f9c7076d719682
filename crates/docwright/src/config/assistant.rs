//! Settings of the assistant for readers.

use std::{sync::Arc, time::Duration};

use docwright_assistant::{Assistant, Limits};
use docwright_jobs::propose::ModelSettings;

use super::EmbeddingOptions;
use crate::embedder::Purpose;

/// How long the host of the model can be silent. Readers wait for it.
const SILENCE: Duration = Duration::from_secs(15);

/// Settings of the assistant. Each flag has a variable of the same name.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Sites")]
pub(crate) struct AssistantSettings {
    /// Model that answers readers' questions, such as `openai-chat:qwen3`
    ///
    /// The form is PROVIDER:MODEL. Keys and URLs of providers are those of the agents.
    /// Without a model, answers are passages of the pages.
    #[arg(long, value_name = "NAME", env = "DOCWRIGHT_ASSISTANT_MODEL")]
    assistant_model: Option<String>,
    /// Tokens that the answers of an organization can use in a day; then answers are passages of the pages
    ///
    /// docwright estimates tokens: four bytes of the texts that a model reads and writes. The day is that of UTC.
    /// Without this option, there is no limit.
    #[arg(
        long,
        value_name = "NUMBER",
        env = "DOCWRIGHT_ASSISTANT_TOKENS_A_DAY",
        hide_short_help = true
    )]
    assistant_tokens_a_day: Option<u64>,
    #[command(flatten)]
    pub(crate) embeddings: EmbeddingOptions,
}

impl AssistantSettings {
    /// The assistant, with its model if one is set, and the tokens that an organization can use in a day. Fails if the
    /// model can't be used.
    pub(crate) fn assistant(
        &self,
        models: &ModelSettings,
    ) -> anyhow::Result<(Assistant, Option<u64>)> {
        let embedder = self.embeddings.embedder(Purpose::Question)?;
        let assistant = Assistant { embedder, ..self.with_model(models)? };
        Ok((assistant, self.assistant_tokens_a_day))
    }

    /// The name of its model, if it has one.
    pub(crate) fn model(&self) -> Option<&str> {
        self.assistant_model.as_deref().filter(|name| !name.is_empty())
    }

    fn with_model(&self, models: &ModelSettings) -> anyhow::Result<Assistant> {
        let Some(name) = self.model() else { return Ok(Assistant::default()) };
        let writer = models.writer(name, SILENCE);
        let writer = writer.map_err(|reason| anyhow::anyhow!("--assistant-model: {reason}"))?;
        Ok(Assistant { model: Some(Arc::new(writer)), limits: Limits::default(), embedder: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_needs_a_provider_with_a_key() {
        let assistant = |name: &str| {
            let settings = AssistantSettings {
                assistant_model: Some(name.to_owned()),
                ..AssistantSettings::default()
            };
            settings.with_model(&ModelSettings::default())
        };
        assert!(assistant("").unwrap().model.is_none());
        assert!(assistant("ollama:qwen3").unwrap().model.is_some());
        for (name, expected) in [
            ("qwen3", "isn't a model"),
            ("bogus:x", "unknown provider `bogus`"),
            ("builtin:edits", "unknown provider `builtin`"),
            ("openai:gpt-5", "no key for `openai`; set one with --agent-keys"),
            ("openai-chat:x", "--agent-urls"),
        ] {
            let error = assistant(name).unwrap_err().to_string();
            let starts = error.starts_with("--assistant-model: the model `");
            assert!(starts && error.contains(expected) && !error.contains("or choose"), "{error}");
        }
    }
}
