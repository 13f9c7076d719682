//! Publishing, agent jobs, and clean-up, configured from the settings of the service.

use std::{path::PathBuf, sync::Arc};

use anyhow::Context;
use docwright_http::metrics::{Notifications, Polls, Reports};
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
use docwright_operations::Operations;

use crate::config::Settings;

/// Folder of temporary files of processes, below that for work in progress.
const PROCESSES: &str = "processes";
/// Folder of the results of checks, beside it.
const CHECKS: &str = "checks";

/// The program that child processes run: this one.
pub(crate) fn program() -> anyhow::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        // An upgrade can replace the file; this still names the running program.
        return Ok(PathBuf::from("/proc/self/exe"));
    }
    std::env::current_exe().context("cannot find docwright's own program")
}

/// Builds releases.
pub(crate) fn publisher(
    operations: &Operations,
    settings: &Settings,
    scratch: &Scratch,
) -> anyhow::Result<Publisher> {
    Ok(Publisher {
        database: operations.database.clone(),
        objects: operations.objects.clone(),
        repositories: operations.repositories.clone(),
        launcher: Launcher::new(program()?, settings.builds.limits()),
        scratch: scratch.folder().to_owned(),
        remote_specs: remote_specs(operations, settings),
        embedder: settings
            .assistant
            .embeddings
            .section_embedder(Some(settings.store.data.join("cache/embeddings")))?,
        clock: operations.repositories.clock.clone(),
        lost_bundles: operations.lost_bundles.clone(),
    })
}

/// Runs agent jobs.
pub(crate) fn proposer(
    operations: &Operations,
    settings: &Settings,
    scratch: &Scratch,
) -> anyhow::Result<Proposer> {
    // Jobs report it too, but the operator should learn of it at the start.
    if let Err(reason) = operations.models.refuse(&operations.models.default) {
        tracing::warn!("agent jobs of projects without a model will fail: {reason}");
    }
    Ok(Proposer {
        database: operations.database.clone(),
        repositories: operations.repositories.clone(),
        launcher: Launcher::new(program()?, settings.builds.limits()),
        scratch: scratch.folder().to_owned(),
        checks: settings.store.work_folder()?.join(CHECKS),
        models: (*operations.models).clone(),
        author: settings.agent.author()?,
        limits: settings.agent.limits(),
        clock: operations.repositories.clock.clone(),
    })
}

/// Polls repositories.
pub(crate) fn poller(operations: &Operations, settings: &Settings, metrics: Polls) -> Poller {
    Poller {
        repositories: operations.repositories.clone(),
        wake: Arc::clone(&operations.wakes.releases),
        poll: settings.git_hosts.poll(),
        observe: Box::new(move |outcome| metrics.polled(outcome)),
    }
}

/// Sends notifications.
pub(crate) fn notifier(operations: &Operations, metrics: Notifications) -> Notifier {
    Notifier {
        database: operations.database.clone(),
        keyring: operations.repositories.keyring.clone(),
        network: operations.repositories.checkouts.network.clone(),
        mailer: operations.mail.as_ref().map(|mail| mail.mailer.clone()),
        text: docwright_dashboard::emails::notification,
        clock: operations.repositories.clock.clone(),
        wake: Arc::clone(&operations.wakes.notifications),
        observer: Arc::new(move |attempt| metrics.attempted(attempt)),
    }
}

/// Comments on pull requests about their previews.
pub(crate) fn preview_reporter(operations: &Operations) -> previews::PreviewCommenter {
    previews::PreviewCommenter {
        repositories: operations.repositories.clone(),
        comparer: operations.comparer.clone(),
    }
}

/// Reports releases to git hosts.
pub(crate) fn reporter(operations: &Operations, metrics: Reports) -> CommitStatusReporter {
    CommitStatusReporter {
        repositories: operations.repositories.clone(),
        pauses: Pauses::default(),
        observe: Box::new(move |outcome| metrics.reported(outcome)),
    }
}

/// Removes expired data.
pub(crate) fn cleaner(operations: &Operations, settings: &Settings) -> anyhow::Result<Cleaner> {
    let work = settings.store.work_folder()?;
    Ok(Cleaner {
        objects: operations.objects.clone(),
        repositories: operations.repositories.clone(),
        processes: work.join(PROCESSES),
        checks: work.join(CHECKS),
        remote_specs: remote_specs(operations, settings),
        retention: settings.retention.retention(settings.previews.previews_for()),
        lost_bundles: operations.lost_bundles.clone(),
    })
}

/// The folder for temporary files of this process.
pub(crate) fn scratch(settings: &Settings) -> anyhow::Result<Scratch> {
    let all = settings.store.work_folder()?.join(PROCESSES);
    Scratch::open(&all).with_context(|| format!("cannot create a folder in {}", all.display()))
}

fn remote_specs(operations: &Operations, settings: &Settings) -> Option<RemoteSpecs> {
    let (folder, network) =
        (settings.builds.remote_specs.as_ref()?, &operations.repositories.checkouts.network);
    Some(RemoteSpecs { folder: folder.clone(), network: network.clone() })
}
