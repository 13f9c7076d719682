//! The two flows as the settings of the service have them.

use std::path::PathBuf;

use anyhow::Context;
use docwright_flows::{
    child::Launcher, propose::Proposer, publish::Publisher, remote_specs::RemoteSpecs,
};

use crate::{config::Settings, state::AppState};

/// The program that child processes run: this one.
pub(crate) fn program() -> anyhow::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        // An upgrade may replace the file; this still names what runs.
        return Ok(PathBuf::from("/proc/self/exe"));
    }
    std::env::current_exe().context("cannot find docwright's own program")
}

/// Builds releases.
pub(crate) fn publisher(app: &AppState, settings: &Settings) -> anyhow::Result<Publisher> {
    let network = &app.repositories.checkouts.network;
    let remote_specs = settings.remote_specs.as_ref();
    Ok(Publisher {
        database: app.database.clone(),
        objects: app.objects.clone(),
        repositories: app.repositories.clone(),
        launcher: Launcher::new(program()?, settings.builds.limits()),
        scratch: app.scratch.clone(),
        remote_specs: remote_specs
            .map(|folder| RemoteSpecs { folder: folder.clone(), network: network.clone() }),
        analytics: settings.analytics,
        clock: app.repositories.clock.clone(),
    })
}

/// Does agent jobs.
pub(crate) fn proposer(app: &AppState, settings: &Settings) -> anyhow::Result<Proposer> {
    Ok(Proposer {
        database: app.database.clone(),
        repositories: app.repositories.clone(),
        launcher: Launcher::new(program()?, settings.builds.limits()),
        scratch: app.scratch.clone(),
        models: settings.agent.models()?,
        author: settings.agent.author()?,
        limits: settings.agent.limits(),
        clock: app.repositories.clock.clone(),
    })
}
