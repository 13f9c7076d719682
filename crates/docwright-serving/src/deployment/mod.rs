//! Serves a bundle of a client-hosted deployment: fetch, check, switch, serve.
//!
//! The active version changes only when another one is complete and checked. After any failure, the last valid
//! version stays. Nothing is unpacked.

mod exports;
mod fetch;
mod folder;
mod follow;
mod poll;
mod readers;
mod serve;
mod source;
mod update;
mod update_error;
mod values;
mod versions;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, RwLock},
};

use docwright_http::metrics::{Connections, DeploymentMetrics, Exposition};
use docwright_types::timestamp::Timestamp;
use tokio::sync::watch;

pub use exports::{CompletedExport, ExportPoll, ExportRequest, Exports, LinkedBundle, NoExports};
pub use follow::{Hangups, ValuesFile};
pub use readers::{CountedReaders, Readers};
pub use serve::{health, site};
pub use source::{BundleSource, Link, ServiceSource};
pub use update_error::UpdateError;
pub use values::{Pin, Values, parse_sha256};
use versions::{Version, Versions};

/// The storage of bundles, the wanted bundle, and the active one.
#[derive(Debug, Clone)]
pub struct Deployment {
    versions: Arc<Versions>,
    exports: Arc<dyn Exports>,
    wanted: Arc<watch::Sender<DesiredValues>>,
    state: Arc<RwLock<State>>,
    metrics: DeploymentMetrics,
    readers: Readers,
}

/// The values in effect.
#[derive(Debug)]
struct DesiredValues {
    values: Values,
    /// The error of the values file since these were read from it.
    problem: Option<String>,
}

/// The active version, and the last error on the way to another one.
#[derive(Debug, Clone, Default)]
struct State {
    active: Option<Version>,
    problem: Option<String>,
    /// What the last successful poll found to need attention.
    warning: Option<String>,
    /// The time of that poll.
    polled_at: Option<Timestamp>,
}

/// Whether the deployment matches the values.
#[derive(Debug)]
struct Readiness {
    ready: bool,
    active: Option<Version>,
    problem: Option<String>,
    warning: Option<String>,
    polled_at: Option<Timestamp>,
}

impl Deployment {
    /// A deployment in a data folder, which serves the last active version until it is updated.
    pub fn open(data: PathBuf, values: Values, exports: Arc<dyn Exports>) -> anyhow::Result<Self> {
        let metrics = DeploymentMetrics::default();
        let readers = Readers::new(&data, metrics.analytics.clone());
        let versions = Versions::open(data)?;
        let state = State { active: versions.good().into_iter().next(), ..State::default() };
        if let Some(version) = &state.active {
            metrics.serves(version.label(), version.sha256.clone());
        }
        Ok(Self {
            versions: Arc::new(versions),
            exports,
            wanted: Arc::new(watch::Sender::new(DesiredValues { values, problem: None })),
            state: Arc::new(RwLock::new(state)),
            metrics,
            readers,
        })
    }

    /// Counts its connections.
    pub fn connections(&self) -> Connections {
        self.metrics.connections.clone()
    }

    /// Its readers.
    pub const fn readers(&self) -> &Readers {
        &self.readers
    }

    /// The file that the values name for the password of the page of web analytics.
    pub fn analytics_password_file(&self) -> Option<PathBuf> {
        self.wanted.borrow().values.analytics_password_file.clone()
    }

    /// Prepares to count readers, if the last active version has analytics.
    pub async fn prepare_readers(&self) {
        if let Some(active) = self.active() {
            self.readers.prepare(&active).await;
        }
    }

    /// Counts readers while versions with analytics are active.
    pub async fn count_readers(&self) -> ! {
        self.readers.run(self).await
    }

    /// All metrics of the deployment.
    pub fn exposition(&self, data: &Path) -> Arc<Exposition> {
        let deployment = self.clone();
        self.metrics.exposition(data, move || deployment.readiness().ready)
    }

    /// Sets the values. With `anew`, equal values are applied again.
    fn want(&self, values: Values, anew: bool) {
        self.wanted.send_if_modified(|wanted| {
            let changed = wanted.values != values;
            *wanted = DesiredValues { values, problem: None };
            changed || anew
        });
    }

    /// Applies the values again.
    fn want_again(&self) {
        self.wanted.send_modify(|_| {});
    }

    /// Records that the values file can't be read; its earlier values stay in effect.
    fn keep_wanting(&self, problem: String) {
        self.wanted.send_if_modified(|wanted| {
            wanted.problem = Some(problem);
            false
        });
    }

    fn active(&self) -> Option<Version> {
        self.state().active
    }

    fn state(&self) -> State {
        self.state.read().map(|state| state.clone()).unwrap_or_default()
    }

    fn activate(&self, version: Version) {
        self.metrics.serves(version.label(), version.sha256.clone());
        if let Ok(mut state) = self.state.write() {
            (state.active, state.problem) = (Some(version), None);
        }
    }

    fn set_problem(&self, problem: Option<String>) {
        if let Ok(mut state) = self.state.write() {
            state.problem = problem;
        }
    }

    /// A deployment is ready if it has a version, and the pinned one if one is pinned.
    fn readiness(&self) -> Readiness {
        let State { active, problem, warning, polled_at } = self.state();
        let wanted = self.wanted.borrow();
        let missing = match &active {
            Some(active) => active
                .differs_from(&wanted.values.pin)
                .map(|reason| format!("the active version is not the wanted one: {reason}")),
            None => Some("no version is active yet".to_owned()),
        };
        let problems: Vec<_> =
            [missing.clone(), problem, wanted.problem.clone()].into_iter().flatten().collect();
        let problem = Some(problems.join("; ")).filter(|text| !text.is_empty());
        Readiness { ready: missing.is_none(), active, problem, warning, polled_at }
    }
}
