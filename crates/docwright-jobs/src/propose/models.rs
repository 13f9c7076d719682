//! Selects the model of a job, and its key.

use std::{collections::BTreeMap, fmt, path::Path, time::Duration};

use docwright_agent::{
    driver::Backend,
    edits,
    external::{Confinement, ExternalAgent, PREFIX},
    models::{Outage, Remote, Retry, Settings, find_provider},
};
use docwright_storage::DependencyWatch;

/// What agent jobs can use without a provider.
const INSTEAD: &str = ", or choose `builtin:edits`";

/// Access to a provider of models.
#[derive(Clone, Default)]
pub struct Provider {
    /// Its key; empty if none is needed.
    pub key: String,
    /// Another base URL than the provider's.
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
    /// The default model of projects.
    pub default: String,
    /// Providers by the name before the colon.
    pub providers: BTreeMap<String, Provider>,
    /// External agents by the name after `acp:`.
    pub commands: BTreeMap<String, String>,
    /// Environment of external agents.
    pub confinement: Confinement,
    /// How long a model's host can be silent.
    pub silence: Duration,
    /// The model of the assistant, if it has one.
    pub assistant: Option<String>,
    /// Notices models that don't work.
    pub watch: DependencyWatch,
}

/// What is wrong with a model, without a period at the end.
pub fn failure(model: &str, reason: &str) -> String {
    format!("the model `{model}` doesn't respond: {reason}")
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            default: edits::NAME.to_owned(),
            providers: BTreeMap::new(),
            commands: BTreeMap::new(),
            confinement: Confinement::default(),
            silence: Self::SILENCE,
            assistant: None,
            watch: DependencyWatch::default(),
        }
    }
}

impl ModelSettings {
    /// Default time that a model's host can be silent.
    pub const SILENCE: Duration = Duration::from_mins(5);

    /// The backend for a model.
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

    /// The named models: the default of projects, external agents, and built-in edits. Providers have more, which
    /// are not listed.
    pub fn names(&self) -> Vec<String> {
        let agents = self.commands.keys().map(|name| format!("{PREFIX}{name}"));
        [self.default.clone()].into_iter().chain(agents).chain([edits::NAME.to_owned()]).collect()
    }

    /// Why a model is unusable, if it is.
    pub fn refuse(&self, model: &str) -> Result<(), String> {
        match self.backend(model, Path::new("")) {
            Backend::Unusable(reason) => Err(reason),
            _ => Ok(()),
        }
    }

    /// Whether a model has a host that can be tested: built-in edits and external agents have none.
    pub fn has_host(model: &str) -> bool {
        model != edits::NAME && !model.starts_with(PREFIX)
    }

    /// Requests one word from a model. Fails with a reason; never with a key.
    pub async fn check(&self, model: &str, patience: Duration) -> Result<(), String> {
        let remote = Remote::new(&Settings { silence: patience, ..self.reach(model, INSTEAD)? })?;
        match tokio::time::timeout(patience, remote.check()).await {
            Ok(answered) => answered.map_err(|error| error.message),
            Err(_) => Err(format!("no answer within {} seconds", patience.as_secs())),
        }
    }

    /// Requests one word from a model. Returns what is wrong with it; `None` if it works.
    pub async fn failure(&self, model: &str, patience: Duration) -> Option<String> {
        let settings = match self.refuse(model).and_then(|()| self.reach(model, INSTEAD)) {
            Ok(settings) => Settings { silence: patience, ..settings },
            Err(reason) => return Some(reason),
        };
        let remote = match Remote::new(&settings) {
            Ok(remote) => remote,
            Err(reason) => return Some(reason),
        };
        match tokio::time::timeout(patience, remote.check()).await {
            Ok(answered) => answered.err()?.outage.map(|outage| failure(model, outage.reason())),
            Err(_) => Some(failure(model, Outage::Unreachable.reason())),
        }
    }

    /// A model behind a host that writes texts. Its host can be silent for `patience` at most.
    pub fn writer(&self, model: &str, patience: Duration) -> Result<Retry<Remote>, String> {
        let access = self.reach(model, "")?;
        let silence = access.silence.min(patience);
        Ok(Retry::new(Remote::new(&Settings { silence, ..access })?))
    }

    fn remote(&self, model: &str) -> Result<Backend, String> {
        Ok(Backend::Model(Box::new(Retry::new(Remote::new(&self.reach(model, INSTEAD)?)?))))
    }

    /// Access to a model behind a host. Errors end with what to choose instead of it.
    fn reach(&self, model: &str, instead: &str) -> Result<Settings, String> {
        let unusable = |reason: &str| format!("the model `{model}` can't be used: {reason}");
        let (provider, _) = find_provider(model).map_err(|reason| unusable(&reason))?;
        let name = provider.name;
        let given = self.providers.get(name).cloned().unwrap_or_default();
        if given.key.is_empty() && given.base_url.is_none() && provider.needs_key {
            return Err(unusable(&format!(
                "docwright has no key for `{name}`; set one with --agent-keys{instead}"
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
