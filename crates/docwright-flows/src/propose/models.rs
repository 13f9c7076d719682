//! Which model a job uses, and with which key.

use std::{collections::BTreeMap, fmt, path::Path};

use docwright_agent::{
    driver::Backend,
    edits,
    external::{Confinement, ExternalAgent, PREFIX},
    models::{Remote, Retry, Settings},
};

/// How to reach a provider of models.
#[derive(Clone, Default)]
pub struct Provider {
    /// Its key; empty where none is needed.
    pub key: String,
    /// Another address than its own.
    pub base_url: Option<String>,
}

impl fmt::Debug for Provider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Provider").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}

/// The models of an install.
#[derive(Debug, Clone)]
pub struct ModelSettings {
    /// The model of projects that name none.
    pub default: String,
    /// Providers by the name that stands before the colon.
    pub providers: BTreeMap<String, Provider>,
    /// External agents by the name that stands behind `acp:`.
    pub commands: BTreeMap<String, String>,
    /// What external agents may see of the machine.
    pub confinement: Confinement,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            default: edits::NAME.to_owned(),
            providers: BTreeMap::new(),
            commands: BTreeMap::new(),
            confinement: Confinement::default(),
        }
    }
}

/// Providers that run at home and need no key.
const KEYLESS: &[&str] = &["ollama", "llamacpp"];

impl ModelSettings {
    /// Who does the work of a job with this model.
    pub(super) fn backend(&self, model: &str, scratch: &Path) -> Backend {
        if model == edits::NAME {
            return Backend::Edits;
        }
        if let Some(name) = model.strip_prefix(PREFIX) {
            return self.external(name, scratch);
        }
        let name = model.split([':', '/']).next().unwrap_or_default();
        let provider = self.providers.get(name).cloned().unwrap_or_default();
        if provider.key.is_empty() && provider.base_url.is_none() && !KEYLESS.contains(&name) {
            return Backend::Unusable(format!(
                "the model `{model}` can't be used: docwright has no key for `{name}`; give it one, or choose `{}`",
                edits::NAME
            ));
        }
        let settings =
            Settings { name: model.to_owned(), base_url: provider.base_url, key: provider.key };
        match Remote::new(&settings) {
            Ok(remote) => Backend::Model(Box::new(Retry::new(remote))),
            Err(reason) => Backend::Unusable(reason),
        }
    }

    fn external(&self, name: &str, scratch: &Path) -> Backend {
        let Some(command) = self.commands.get(name) else {
            return Backend::Unusable(format!(
                "the external agent `{name}` can't be used: add `{name}=COMMAND` to --agent-commands"
            ));
        };
        let agent =
            ExternalAgent { command: command.clone(), confinement: self.confinement.clone() };
        Backend::External(agent, scratch.join("agents"))
    }
}
