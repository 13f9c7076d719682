//! The values file, read again when it changes or the process gets SIGHUP.

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

/// A values file is no longer. Bytes.
const MAXIMUM_LENGTH: u64 = 1024 * 1024;
/// Whoever writes a file in several steps gets so much time for them.
const SETTLING: Duration = Duration::from_millis(100);

/// A values file, and what tells that it changed.
///
/// Folders are watched rather than the file: editors put another file in its place, and Kubernetes changes
/// a `ConfigMap` by another symbolic link in its folder. What counts is the text.
#[derive(Debug)]
pub struct ValuesFile {
    path: PathBuf,
    text: String,
    changes: mpsc::Receiver<()>,
    watcher: Option<RecommendedWatcher>,
    folders: BTreeSet<PathBuf>,
    #[cfg(unix)]
    hangups: tokio::signal::unix::Signal,
}

impl ValuesFile {
    /// Begins to watch a values file, then reads it. From now on, SIGHUP does not end the process.
    pub fn open(path: PathBuf) -> anyhow::Result<(Self, Values)> {
        let (sender, changes) = mpsc::channel(1);
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.is_ok_and(|event| !event.kind.is_access()) {
                // One pending change stands for several.
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
            #[cfg(unix)]
            hangups: {
                use tokio::signal::unix::{SignalKind, signal};
                signal(SignalKind::hangup()).context("cannot listen for SIGHUP")?
            },
        };
        file.watch();
        file.text = file.read()?;
        let values = file.parse(&file.text)?;
        Ok((file, values))
    }

    /// Tells a deployment of every change, for ever.
    pub async fn follow(mut self, deployment: &Deployment) -> ! {
        loop {
            let asked = self.changed().await;
            self.watch();
            let text = match self.read() {
                Ok(text) if !asked && text == self.text => continue,
                Ok(text) => text,
                Err(error) => {
                    refuse(deployment, &error);
                    // Whatever comes next is a change.
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

    /// Waits for a change, or for someone to ask; the latter is `true`.
    async fn changed(&mut self) -> bool {
        #[cfg(unix)]
        let hangup = self.hangups.recv();
        #[cfg(not(unix))]
        let hangup = std::future::pending::<Option<()>>();
        let changed = async {
            // Without a watcher nobody sends.
            if self.changes.recv().await.is_none() {
                std::future::pending::<()>().await;
            }
            tokio::time::sleep(SETTLING).await;
            // Changes in the meantime are read together with it.
            while self.changes.try_recv().is_ok() {}
        };
        tokio::select! {
            _ = hangup => true,
            () = changed => false,
        }
    }

    /// Watches the folder of the file, and the one of the file that it links to.
    fn watch(&mut self) {
        let Some(watcher) = &mut self.watcher else { return };
        let real = self.path.canonicalize().ok();
        let paths = [Some(self.path.as_path()), real.as_deref()];
        let folder = |path: &Path| match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        // By one name each: a folder that is watched by two is not watched at all once one of them goes.
        let folder = |path: &Path| folder(path).canonicalize().ok();
        let folders: BTreeSet<PathBuf> = paths.into_iter().flatten().filter_map(folder).collect();
        for gone in self.folders.difference(&folders) {
            // It might not exist anymore.
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
