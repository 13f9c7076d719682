//! Settings of agent jobs.

use std::{collections::BTreeMap, fmt, path::PathBuf};

use anyhow::Context;
use docwright_agent::{
    edits,
    external::{Confinement, PREFIX},
    models::check_name,
    run::Limits,
};
use docwright_jobs::propose::ModelSettings;

use super::ProviderSettings;
use crate::sandbox;

/// Settings of agent jobs. Each flag has a variable of the same name.
#[derive(Clone, clap::Args)]
#[command(next_help_heading = "Agents")]
pub(crate) struct AgentSettings {
    /// Default model of agent jobs, such as `anthropic:claude-sonnet-4-5`
    ///
    /// The form is PROVIDER:MODEL, such as `openai-chat:qwen3`; acp:AGENT for an external agent; or
    /// `builtin:edits`, which needs no model.
    #[arg(long, value_name = "NAME", env = "DOCWRIGHT_AGENT_MODEL", default_value = edits::NAME)]
    pub(crate) agent_model: String,
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
    #[command(flatten)]
    pub(crate) providers: ProviderSettings,
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
            agent_commands: Vec::new(),
            agent_environment: Vec::new(),
            agent_folders: Vec::new(),
            agent_author: "docwright <docwright@localhost>".to_owned(),
            agent_jobs: 4,
            agent_steps: 80,
            providers: ProviderSettings::default(),
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
        let mut commands = BTreeMap::new();
        for pair in &self.agent_commands {
            let (name, command) = pair.split_once('=').ok_or_else(|| {
                anyhow::anyhow!("--agent-commands must be pairs such as name=command, not `{pair}`")
            })?;
            commands.insert(name.to_owned(), command.to_owned());
        }
        Ok(ModelSettings {
            default: self.agent_model.clone(),
            commands,
            confinement: self.confinement()?,
            ..self.providers.models()?
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_model_is_refused() {
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
