//! Serving a bundle in a client-hosted place: fetch, verify, unpack, switch, serve.
//!
//! The version that is served changes only when another one is whole and checked. Whatever goes
//! wrong, the last good one stays.

mod fetch;
mod serve;
mod values;
mod versions;

use std::{
    path::PathBuf,
    sync::{Arc, RwLock},
};

use anyhow::{Context, bail};

pub(crate) use serve::router;
pub(crate) use values::Values;
use versions::{Version, Versions};

/// Where a bundle is put and which one is served.
#[derive(Debug, Clone)]
pub(crate) struct Deployment {
    versions: Versions,
    state: Arc<RwLock<State>>,
}

/// What is served, and what went wrong last.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    active: Option<Version>,
    problem: Option<String>,
}

impl Deployment {
    /// A deployment in a data folder, serving what was active there last.
    pub(crate) fn open(data: PathBuf) -> anyhow::Result<Self> {
        let versions = Versions::open(data)?;
        let active = versions.active();
        Ok(Self { versions, state: Arc::new(RwLock::new(State { active, problem: None })) })
    }

    /// Brings the version that the values ask for into service. An error means that nothing can be
    /// served at all.
    pub(crate) async fn update(&self, values: &Values) -> anyhow::Result<()> {
        if !values.enabled || self.has_pinned(values) {
            return self.require_active(values);
        }
        match self.replace(values).await {
            Ok(version) => {
                tracing::info!(version = version.label(), "version is active");
                self.set(State { active: Some(version), problem: None });
                Ok(())
            }
            Err(error) => {
                let problem = format!("{error:#}");
                tracing::error!(%problem, "the bundle was not taken; the last good version stays");
                let active = self.state().active;
                self.set(State { active: active.clone(), problem: Some(problem.clone()) });
                anyhow::ensure!(
                    active.is_some(),
                    "{problem}; there is no earlier version to serve"
                );
                Ok(())
            }
        }
    }

    /// What is served, and what went wrong last.
    pub(crate) fn state(&self) -> State {
        self.state.read().map(|state| state.clone()).unwrap_or_default()
    }

    fn set(&self, state: State) {
        if let Ok(mut current) = self.state.write() {
            *current = state;
        }
    }

    /// The flow: fetch, check, unpack, switch.
    async fn replace(&self, values: &Values) -> anyhow::Result<Version> {
        let archive =
            fetch::fetch(&values.bundle_url, self.versions.data(), values.maximum_bytes).await?;
        let versions = self.versions.clone();
        let pin = values.version.clone();
        tokio::task::spawn_blocking(move || {
            let version = versions.unpack(&archive, pin.as_deref())?;
            versions.switch(&version)?;
            Ok(version)
        })
        .await
        .context("unpacking broke off")?
    }

    /// A pinned version that is on disk needs no link, which may have expired long since.
    fn has_pinned(&self, values: &Values) -> bool {
        let active = self.state().active;
        values.version.is_some()
            && active.is_some_and(|active| active.manifest.about.version == values.version)
    }

    fn require_active(&self, values: &Values) -> anyhow::Result<()> {
        if self.state().active.is_some() {
            return Ok(());
        }
        anyhow::ensure!(
            values.enabled,
            "staticExport.enabled is false and no version is on disk; set it to true"
        );
        bail!("no version is on disk")
    }
}
