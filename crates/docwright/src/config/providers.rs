//! Settings of the providers of models: of those that agents use, and of the one that answers readers.

use std::{collections::BTreeMap, fmt, time::Duration};

use docwright_agent::models::PROVIDERS;
use docwright_jobs::propose::{ModelSettings, Provider};

/// Access to providers of models. Each flag has a variable of the same name.
#[derive(Clone, clap::Args)]
#[command(next_help_heading = "Agents")]
#[expect(clippy::struct_field_names, reason = "fields are named as their flags")]
pub(crate) struct ProviderSettings {
    /// Keys of model providers, such as `anthropic=KEY,openai=KEY`
    #[arg(
        long,
        value_name = "PROVIDER=KEY",
        env = "DOCWRIGHT_AGENT_KEYS",
        hide_env_values = true,
        value_delimiter = ','
    )]
    agent_keys: Vec<String>,
    /// URLs of model providers, comma-separated
    ///
    /// For example: `openai-chat=http://localhost:8000/v1`.
    #[arg(
        long,
        value_name = "PROVIDER=URL",
        env = "DOCWRIGHT_AGENT_URLS",
        hide_short_help = true,
        value_delimiter = ','
    )]
    agent_urls: Vec<String>,
    /// Seconds without data before a model response times out
    #[arg(
        long,
        value_name = "SECONDS",
        env = "DOCWRIGHT_AGENT_ANSWER_SECONDS",
        hide_short_help = true,
        default_value_t = ModelSettings::SILENCE.as_secs(),
        value_parser = clap::value_parser!(u64).range(1..=3600)
    )]
    agent_answer_seconds: u64,
}

impl fmt::Debug for ProviderSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ProviderSettings").finish_non_exhaustive()
    }
}

impl Default for ProviderSettings {
    fn default() -> Self {
        let agent_answer_seconds = ModelSettings::SILENCE.as_secs();
        Self { agent_keys: Vec::new(), agent_urls: Vec::new(), agent_answer_seconds }
    }
}

impl ProviderSettings {
    /// The models of the providers, without external agents.
    pub(crate) fn models(&self) -> anyhow::Result<ModelSettings> {
        let mut providers: BTreeMap<String, Provider> = BTreeMap::new();
        for pair in &self.agent_keys {
            // The pair contains a secret, so an error can't repeat it.
            let (name, key) = pair
                .split_once('=')
                .ok_or_else(|| anyhow::anyhow!("--agent-keys must be pairs such as openai=KEY"))?;
            require_provider("--agent-keys", name)?;
            key.clone_into(&mut providers.entry(name.to_owned()).or_default().key);
        }
        for pair in &self.agent_urls {
            let (name, url) = pair.split_once('=').ok_or_else(|| {
                anyhow::anyhow!("--agent-urls must be pairs such as openai=https://…, not `{pair}`")
            })?;
            require_provider("--agent-urls", name)?;
            providers.entry(name.to_owned()).or_default().base_url = Some(url.to_owned());
        }
        let silence = Duration::from_secs(self.agent_answer_seconds);
        Ok(ModelSettings { providers, silence, ..ModelSettings::default() })
    }
}

/// A misspelled name would be ignored.
fn require_provider(flag: &str, name: &str) -> anyhow::Result<()> {
    let names: Vec<_> = PROVIDERS.iter().map(|provider| provider.name).collect();
    anyhow::ensure!(
        names.contains(&name),
        "{flag}: unknown provider `{name}`; use one of {}",
        names.join(", ")
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_providers_are_refused() {
        let agent_keys = vec!["opnai=s3cret".to_owned()];
        let settings = ProviderSettings { agent_keys, ..ProviderSettings::default() };
        let error = settings.models().unwrap_err().to_string();
        assert!(error.contains("`opnai`") && error.contains("openai-chat"), "{error}");
        assert!(
            !error.contains("s3cret") && !format!("{settings:?}").contains("s3cret"),
            "{error}"
        );
    }
}
