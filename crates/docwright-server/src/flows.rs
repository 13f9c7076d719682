//! The two flows, and what cleans up behind them, as the settings of the service have them.

use std::{path::PathBuf, sync::Arc};

use anyhow::Context;
use docwright_jobs::{
    child::Launcher,
    notify::Notifier,
    poll::Poller,
    previews,
    propose::Proposer,
    publish::Publisher,
    remote_specs::RemoteSpecs,
    report::{CommitStatusReporter, Pauses},
    scratch::Scratch,
    upkeep::Cleaner,
};

use crate::{
    config::Settings,
    dashboard,
    metrics::{Notifications, Polls, Reports},
    state::AppState,
};

/// Folder of temporary files of processes, below that for work in progress.
const PROCESSES: &str = "processes";
/// Folder of the results of checks, beside it.
const CHECKS: &str = "checks";

/// The program that child processes run: this one.
pub(crate) fn program() -> anyhow::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        // An upgrade may replace the file; this still names what runs.
        return Ok(PathBuf::from("/proc/self/exe"));
    }
    std::env::current_exe().context("cannot find docwright's own program")
}

/// Builds releases.
pub(crate) fn publisher(
    app: &AppState,
    settings: &Settings,
    scratch: &Scratch,
) -> anyhow::Result<Publisher> {
    Ok(Publisher {
        database: app.database.clone(),
        objects: app.objects.clone(),
        repositories: app.repositories.clone(),
        launcher: Launcher::new(program()?, settings.builds.limits()),
        scratch: scratch.folder().to_owned(),
        remote_specs: remote_specs(app, settings),
        analytics: settings.builds.analytics,
        clock: app.repositories.clock.clone(),
        lost_bundles: app.lost_bundles.clone(),
    })
}

/// Does agent jobs.
pub(crate) fn proposer(
    app: &AppState,
    settings: &Settings,
    scratch: &Scratch,
) -> anyhow::Result<Proposer> {
    // Jobs say it too, but whoever starts the service should not have to wait for one.
    if let Err(reason) = app.models.refuse(&app.models.default) {
        tracing::warn!("agent jobs of projects that name no model will fail: {reason}");
    }
    Ok(Proposer {
        database: app.database.clone(),
        repositories: app.repositories.clone(),
        launcher: Launcher::new(program()?, settings.builds.limits()),
        scratch: scratch.folder().to_owned(),
        checks: settings.store.work_folder()?.join(CHECKS),
        models: (*app.models).clone(),
        author: settings.agent.author()?,
        limits: settings.agent.limits(),
        clock: app.repositories.clock.clone(),
    })
}

/// Polls repositories.
pub(crate) fn poller(app: &AppState, settings: &Settings, metrics: Polls) -> Poller {
    Poller {
        repositories: app.repositories.clone(),
        wake: Arc::clone(&app.release_wake),
        poll: settings.git_hosts.poll(),
        observe: Box::new(move |outcome| metrics.polled(outcome)),
    }
}

/// Sends notifications.
pub(crate) fn notifier(app: &AppState, metrics: Notifications) -> Notifier {
    Notifier {
        database: app.database.clone(),
        keyring: app.repositories.keyring.clone(),
        network: app.repositories.checkouts.network.clone(),
        mailer: app.mail.as_ref().map(|mail| mail.mailer.clone()),
        text: dashboard::emails::notification,
        clock: app.repositories.clock.clone(),
        observer: Arc::new(move |attempt| metrics.attempted(attempt)),
    }
}

/// Says on pull requests how their previews stand.
pub(crate) fn preview_reporter(app: &AppState) -> previews::PreviewCommenter {
    previews::PreviewCommenter {
        repositories: app.repositories.clone(),
        comparer: app.comparer.clone(),
    }
}

/// Tells hosts of releases.
pub(crate) fn reporter(app: &AppState, metrics: Reports) -> CommitStatusReporter {
    CommitStatusReporter {
        repositories: app.repositories.clone(),
        pauses: Pauses::default(),
        observe: Box::new(move |outcome| metrics.reported(outcome)),
    }
}

/// Removes what is older than it has to be.
pub(crate) fn cleaner(app: &AppState, settings: &Settings) -> anyhow::Result<Cleaner> {
    let work = settings.store.work_folder()?;
    Ok(Cleaner {
        objects: app.objects.clone(),
        repositories: app.repositories.clone(),
        processes: work.join(PROCESSES),
        checks: work.join(CHECKS),
        remote_specs: remote_specs(app, settings),
        retention: settings.retention.retention(settings.previews.previews_for()),
        lost_bundles: app.lost_bundles.clone(),
    })
}

/// The folder for temporary files of this process.
pub(crate) fn scratch(settings: &Settings) -> anyhow::Result<Scratch> {
    let all = settings.store.work_folder()?.join(PROCESSES);
    Scratch::open(&all).with_context(|| format!("cannot make a folder in {}", all.display()))
}

fn remote_specs(app: &AppState, settings: &Settings) -> Option<RemoteSpecs> {
    let (folder, network) =
        (settings.builds.remote_specs.as_ref()?, &app.repositories.checkouts.network);
    Some(RemoteSpecs { folder: folder.clone(), network: network.clone() })
}
