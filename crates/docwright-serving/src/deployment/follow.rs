//! The values file, which is read again when it changes or the process gets SIGHUP.

use std::{
    collections::BTreeSet,
    io::Read,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, ensure};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;

use super::{Deployment, Values};

/// Largest size of a values file, in bytes.
const MAXIMUM_LENGTH: u64 = 1024 * 1024;
/// Time for a program that writes a file in several steps.
const SETTLING: Duration = Duration::from_millis(100);

/// A values file, and its watcher.
///
/// Folders are watched instead of the file: editors replace the file, and Kubernetes changes a `ConfigMap` with
/// another symbolic link in its folder. Only a changed text counts.
#[derive(Debug)]
pub struct ValuesFile {
    path: PathBuf,
    text: String,
    changes: mpsc::Receiver<()>,
    watcher: Option<RecommendedWatcher>,
    folders: BTreeSet<PathBuf>,
    hangups: Hangups,
}

/// The signal SIGHUP. From its creation on, it does not end the process.
#[derive(Debug)]
pub struct Hangups {
    #[cfg(unix)]
    signal: tokio::signal::unix::Signal,
}

impl Hangups {
    /// Starts to listen.
    pub fn listen() -> anyhow::Result<Self> {
        #[cfg(unix)]
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            #[cfg(unix)]
            signal: signal(SignalKind::hangup()).context("cannot listen for SIGHUP")?,
        })
    }

    /// Applies the values of a deployment again with each signal, forever.
    pub async fn follow(mut self, deployment: &Deployment) -> ! {
        loop {
            self.next().await;
            deployment.want_again();
        }
    }

    async fn next(&mut self) {
        #[cfg(unix)]
        let _hangup = self.signal.recv().await;
        #[cfg(not(unix))]
        std::future::pending::<()>().await;
    }
}

impl ValuesFile {
    /// Starts to watch a values file, then reads it. From now on, SIGHUP does not end the process.
    pub fn open(path: PathBuf) -> anyhow::Result<(Self, Values)> {
        let (sender, changes) = mpsc::channel(1);
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.is_ok_and(|event| !event.kind.is_access()) {
                // One pending signal covers several changes.
                let _waiting = sender.try_send(());
            }
        });
        let watcher = watcher.inspect_err(|error| warn(&path, error)).ok();
        let mut file = Self {
            path,
            text: String::new(),
            changes,
            watcher,
            folders: BTreeSet::new(),
            hangups: Hangups::listen()?,
        };
        file.watch();
        file.text = file.read()?;
        let values = file.parse(&file.text)?;
        Ok((file, values))
    }

    /// Passes every change to a deployment, forever.
    pub async fn follow(mut self, deployment: &Deployment) -> ! {
        loop {
            let asked = self.changed().await;
            self.watch();
            let text = match self.read() {
                Ok(text) if !asked && text == self.text => continue,
                Ok(text) => text,
                Err(error) => {
                    refuse(deployment, &error);
                    // Everything after this is a change.
                    self.text.clear();
                    continue;
                }
            };
            match self.parse(&text) {
                Ok(values) => {
                    tracing::info!(path = %self.path.display(), "values file reloaded");
                    deployment.want(values, asked);
                }
                Err(error) => refuse(deployment, &error),
            }
            self.text = text;
        }
    }

    /// Waits for a change, or for SIGHUP, which returns `true`.
    async fn changed(&mut self) -> bool {
        let hangup = self.hangups.next();
        let changed = async {
            // Without a watcher nothing is sent.
            if self.changes.recv().await.is_none() {
                std::future::pending::<()>().await;
            }
            tokio::time::sleep(SETTLING).await;
            // Further changes are read together with this one.
            while self.changes.try_recv().is_ok() {}
        };
        tokio::select! {
            () = hangup => true,
            () = changed => false,
        }
    }

    /// Watches the folder of the file, and the folder of the file that it links to.
    fn watch(&mut self) {
        let Some(watcher) = &mut self.watcher else { return };
        let real = self.path.canonicalize().ok();
        let paths = [Some(self.path.as_path()), real.as_deref()];
        let folder = |path: &Path| match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        // Each has one name: a folder that is watched under two names isn't watched at all once one of them is
        // removed.
        let folder = |path: &Path| folder(path).canonicalize().ok();
        let folders: BTreeSet<PathBuf> = paths.into_iter().flatten().filter_map(folder).collect();
        for gone in self.folders.difference(&folders) {
            // It might not exist any more.
            let _gone = watcher.unwatch(gone);
        }
        for new in folders.difference(&self.folders) {
            if let Err(error) = watcher.watch(new, RecursiveMode::NonRecursive) {
                warn(&self.path, &error);
            }
        }
        self.folders = folders;
    }

    fn read(&self) -> anyhow::Result<String> {
        let failed = || format!("cannot read {}", self.path.display());
        let file = std::fs::File::open(&self.path).with_context(failed)?;
        let mut text = String::new();
        file.take(MAXIMUM_LENGTH + 1).read_to_string(&mut text).with_context(failed)?;
        ensure!(
            text.len() as u64 <= MAXIMUM_LENGTH,
            "{} is longer than {MAXIMUM_LENGTH} bytes; is it a values file?",
            self.path.display()
        );
        Ok(text)
    }

    fn parse(&self, text: &str) -> anyhow::Result<Values> {
        Values::parse(text).with_context(|| format!("{} is not right", self.path.display()))
    }
}

fn warn(path: &Path, error: &notify::Error) {
    tracing::warn!(
        path = %path.display(), %error,
        "values file not watched; send SIGHUP after each change"
    );
}

fn refuse(deployment: &Deployment, error: &anyhow::Error) {
    let problem = format!("{error:#}");
    tracing::error!(%problem, "values file not watched; its earlier state kept");
    deployment.keep_wanting(problem);
}
