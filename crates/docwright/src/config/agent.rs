//! Settings of agent jobs.

use std::{collections::BTreeMap, fmt, path::PathBuf, time::Duration};

use anyhow::Context;
use docwright_agent::{
    edits,
    external::{Confinement, PREFIX},
    models::{PROVIDERS, check_name},
    run::Limits,
};
use docwright_jobs::propose::{ModelSettings, Provider};

use crate::sandbox;

/// Settings of agent jobs. Each flag has a variable of the same name.
#[derive(Clone, clap::Args)]
#[command(next_help_heading = "Agents")]
#[expect(clippy::struct_field_names, reason = "fields are named as their flags")]
pub(crate) struct AgentSettings {
    /// Default model of agent jobs, such as `anthropic:claude-sonnet-4-5`
    ///
    /// The form is PROVIDER:MODEL, such as `openai-chat:qwen3`; acp:AGENT for an external agent; or
    /// `builtin:edits`, which needs no model.
    #[arg(long, value_name = "NAME", env = "DOCWRIGHT_AGENT_MODEL", default_value = edits::NAME)]
    pub(crate) agent_model: String,
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
    /// Command of an external agent, as name=command
    ///
    /// The agent must speak the Agent Client Protocol.
    #[arg(
        long,
        value_name = "NAME=COMMAND",
        env = "DOCWRIGHT_AGENT_COMMANDS",
        hide_short_help = true,
        value_delimiter = ';'
    )]
    agent_commands: Vec<String>,
    /// Environment variables that external agents get, comma-separated
    ///
    /// For example, the key of their model provider.
    #[arg(
        long,
        value_name = "NAMES",
        env = "DOCWRIGHT_AGENT_ENVIRONMENT",
        hide_short_help = true,
        hide_env_values = true,
        value_delimiter = ','
    )]
    agent_environment: Vec<String>,
    /// Folders that external agents can read, comma-separated
    ///
    /// They can always read the folders of the system and of their command.
    #[arg(
        long,
        value_name = "DIRS",
        env = "DOCWRIGHT_AGENT_FOLDERS",
        hide_short_help = true,
        value_delimiter = ','
    )]
    agent_folders: Vec<PathBuf>,
    /// Author of commits, such as `docwright <docs@example.com>`
    #[arg(
        long,
        value_name = "AUTHOR",
        env = "DOCWRIGHT_AGENT_AUTHOR",
        hide_short_help = true,
        default_value = "docwright <docwright@localhost>"
    )]
    agent_author: String,
    /// Agent jobs that run at the same time
    #[arg(
        long,
        value_name = "COUNT",
        env = "DOCWRIGHT_AGENT_JOBS",
        hide_short_help = true,
        default_value_t = 4
    )]
    pub(crate) agent_jobs: usize,
    /// Model responses per agent job
    #[arg(
        long,
        value_name = "COUNT",
        env = "DOCWRIGHT_AGENT_STEPS",
        hide_short_help = true,
        default_value_t = 80
    )]
    agent_steps: u32,
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

impl fmt::Debug for AgentSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AgentSettings")
            .field("agent_model", &self.agent_model)
            .finish_non_exhaustive()
    }
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            agent_model: edits::NAME.to_owned(),
            agent_keys: Vec::new(),
            agent_urls: Vec::new(),
            agent_commands: Vec::new(),
            agent_environment: Vec::new(),
            agent_folders: Vec::new(),
            agent_author: "docwright <docwright@localhost>".to_owned(),
            agent_jobs: 4,
            agent_steps: 80,
            agent_answer_seconds: ModelSettings::SILENCE.as_secs(),
        }
    }
}

impl AgentSettings {
    /// Fails if the model of the instance can't exist.
    pub(crate) fn check_model(&self) -> anyhow::Result<()> {
        let checked = check_name(&self.agent_model);
        checked.map_err(|reason| anyhow::anyhow!("--agent-model: {reason}"))?;
        let Some(agent) = self.agent_model.strip_prefix(PREFIX) else { return Ok(()) };
        anyhow::ensure!(
            self.agent_commands
                .iter()
                .any(|pair| pair.split_once('=').is_some_and(|(name, _)| name == agent)),
            "--agent-model: unknown external agent `{agent}`; add `{agent}=COMMAND` to --agent-commands"
        );
        Ok(())
    }

    /// Models and their keys.
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
        let mut commands = BTreeMap::new();
        for pair in &self.agent_commands {
            let (name, command) = pair.split_once('=').ok_or_else(|| {
                anyhow::anyhow!("--agent-commands must be pairs such as name=command, not `{pair}`")
            })?;
            commands.insert(name.to_owned(), command.to_owned());
        }
        Ok(ModelSettings {
            default: self.agent_model.clone(),
            providers,
            commands,
            confinement: self.confinement()?,
            silence: Duration::from_secs(self.agent_answer_seconds),
        })
    }

    /// Environment of external agents.
    fn confinement(&self) -> anyhow::Result<Confinement> {
        let is_name = |name: &&String| !name.is_empty() && !name.contains('=');
        anyhow::ensure!(
            self.agent_environment.iter().all(|name| is_name(&name)),
            // Text after `=` can be a secret, so an error can't repeat it.
            "--agent-environment must be names of variables, without `=` and values"
        );
        if !self.agent_commands.is_empty() && !sandbox::is_supported() {
            tracing::warn!(
                "this kernel has no Landlock: external agents can read and change every file that docwright can access"
            );
        }
        if !self.agent_commands.is_empty() {
            // Landlock restricts ports, not addresses, and a separate network would have no route to the model.
            tracing::warn!(
                "the kernel can't keep external agents from loopback and link-local addresses: they can use services on this machine that need no password"
            );
        }
        Ok(Confinement {
            program: std::env::current_exe().context("cannot find docwright's own program")?,
            environment: self.agent_environment.clone(),
            folders: self.agent_folders.clone(),
        })
    }

    /// Name and address of the author of commits.
    pub(crate) fn author(&self) -> anyhow::Result<(String, String)> {
        let parts =
            self.agent_author.trim().strip_suffix('>').and_then(|text| text.split_once('<'));
        let (name, address) = parts.ok_or_else(|| {
            anyhow::anyhow!(
                "--agent-author must have the form `Name <address>`, not `{}`",
                self.agent_author
            )
        })?;
        Ok((name.trim().to_owned(), address.trim().to_owned()))
    }

    /// Limits of a job.
    pub(crate) fn limits(&self) -> Limits {
        Limits { steps: self.agent_steps, ..Limits::default() }
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
        let keys = vec!["opnai=s3cret".to_owned()];
        let settings = AgentSettings { agent_keys: keys, ..AgentSettings::default() };
        let error = settings.models().unwrap_err().to_string();
        assert!(error.contains("`opnai`") && error.contains("openai-chat"), "{error}");
        assert!(!error.contains("s3cret"), "{error}");
        let settings =
            AgentSettings { agent_model: "bogus:x".to_owned(), ..AgentSettings::default() };
        let error = settings.check_model().unwrap_err().to_string();
        assert!(error.contains("--agent-model") && error.contains("`bogus`"), "{error}");
    }

    #[test]
    fn values_of_variables_are_refused_and_not_repeated() {
        let settings = |name: &str| AgentSettings {
            agent_environment: vec![name.to_owned()],
            ..AgentSettings::default()
        };
        let confinement = settings("MODEL_KEY").models().unwrap().confinement;
        assert_eq!(confinement.environment, ["MODEL_KEY"]);
        let error = settings("MODEL_KEY=s3cret").models().unwrap_err().to_string();
        assert!(error.contains("--agent-environment") && !error.contains("s3cret"), "{error}");
    }
}
