//! Which model a job uses, and with which key.

use std::{collections::BTreeMap, fmt, path::Path, time::Duration};

use docwright_agent::{
    driver::Backend,
    edits,
    external::{Confinement, ExternalAgent, PREFIX},
    models::{Remote, Retry, Settings, find_provider},
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

/// The models of an instance.
#[derive(Debug, Clone)]
pub struct ModelSettings {
    /// The model of projects that name none.
    pub default: String,
    /// Providers by the name that stands before the colon.
    pub providers: BTreeMap<String, Provider>,
    /// External agents by the name that stands behind `acp:`.
    pub commands: BTreeMap<String, String>,
    /// What external agents can see of the machine.
    pub confinement: Confinement,
    /// How long a model's host can send nothing of an answer.
    pub silence: Duration,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            default: edits::NAME.to_owned(),
            providers: BTreeMap::new(),
            commands: BTreeMap::new(),
            confinement: Confinement::default(),
            silence: Self::SILENCE,
        }
    }
}

impl ModelSettings {
    /// How long a model's host can send nothing of an answer, unless the operator says something else.
    pub const SILENCE: Duration = Duration::from_mins(5);

    /// Who does the work of a job with this model.
    pub(super) fn backend(&self, model: &str, scratch: &Path) -> Backend {
        if model == edits::NAME {
            return Backend::Edits;
        }
        let made = match model.strip_prefix(PREFIX) {
            Some(name) => self.external(name, scratch),
            None => self.remote(model),
        };
        made.unwrap_or_else(Backend::Unusable)
    }

    /// The models that have a name of their own: the one of projects that name none, external agents, and
    /// built-in edits. Providers have more, which nobody lists.
    pub fn names(&self) -> Vec<String> {
        let agents = self.commands.keys().map(|name| format!("{PREFIX}{name}"));
        [self.default.clone()].into_iter().chain(agents).chain([edits::NAME.to_owned()]).collect()
    }

    /// Why no job can be done with a model, if none can.
    pub fn refuse(&self, model: &str) -> Result<(), String> {
        match self.backend(model, Path::new("")) {
            Backend::Unusable(reason) => Err(reason),
            _ => Ok(()),
        }
    }

    /// Whether a model is behind a host that can be asked for it: built-in edits and external agents are
    /// not.
    pub fn has_host(model: &str) -> bool {
        model != edits::NAME && !model.starts_with(PREFIX)
    }

    /// Asks a model for a word. Fails with why there was no answer; never with a key.
    pub async fn check(&self, model: &str, patience: Duration) -> Result<(), String> {
        let remote = Remote::new(&Settings { silence: patience, ..self.reach(model)? })?;
        match tokio::time::timeout(patience, remote.check()).await {
            Ok(answered) => answered.map_err(|error| error.message),
            Err(_) => Err(format!("no answer within {} seconds", patience.as_secs())),
        }
    }

    fn remote(&self, model: &str) -> Result<Backend, String> {
        Ok(Backend::Model(Box::new(Retry::new(Remote::new(&self.reach(model)?)?))))
    }

    /// How to reach a model behind a host.
    fn reach(&self, model: &str) -> Result<Settings, String> {
        let unusable = |reason: &str| format!("the model `{model}` can't be used: {reason}");
        let (provider, _) = find_provider(model).map_err(|reason| unusable(&reason))?;
        let name = provider.name;
        let given = self.providers.get(name).cloned().unwrap_or_default();
        if given.key.is_empty() && given.base_url.is_none() && provider.needs_key {
            return Err(unusable(&format!(
                "docwright has no key for `{name}`; give it one with --agent-keys, or choose `{}`",
                edits::NAME
            )));
        }
        Ok(Settings {
            name: model.to_owned(),
            base_url: given.base_url,
            key: given.key,
            silence: self.silence,
        })
    }

    fn external(&self, name: &str, scratch: &Path) -> Result<Backend, String> {
        let command = self.commands.get(name).ok_or_else(|| {
            format!(
                "the external agent `{name}` can't be used: add `{name}=COMMAND` to --agent-commands"
            )
        })?;
        let agent =
            ExternalAgent { command: command.clone(), confinement: self.confinement.clone() };
        Ok(Backend::External(agent, scratch.join("agents")))
    }
}
