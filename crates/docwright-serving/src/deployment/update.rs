//! Updates the active version to the values.

use std::time::Duration;

use anyhow::{anyhow, bail};
use backon::{BackoffBuilder, ExponentialBuilder};
use docwright_http::metrics::Update;
use tokio::sync::watch;

use super::{
    Deployment, DesiredValues,
    fetch::Download,
    poll::Memory,
    source::BundleSource,
    update_error::UpdateError,
    values::{Pin, Values},
    versions::{Check, Version},
};

/// If there is nothing to serve, this many consecutive failures end the process.
const TRIES: u32 = 4;

/// The waits between attempts: they double each time, plus up to the same length at random, so that many
/// deployments don't send requests at once.
fn waits() -> impl Iterator<Item = Duration> {
    ExponentialBuilder::new()
        .with_min_delay(Duration::from_millis(200))
        .with_max_delay(Duration::from_mins(5))
        .without_max_times()
        .with_jitter()
        .build()
}

impl Deployment {
    /// Applies the values whenever they change, and polls if they name a service. Ends with an error if there is
    /// nothing to serve.
    pub async fn run(&self) -> anyhow::Result<()> {
        let mut wanted = self.wanted.subscribe();
        let mut memory = Memory::default();
        self.set_problem(None);
        loop {
            let next = self.update(&mut wanted, &mut memory).await?;
            let poll = async {
                match next {
                    Some(time) => tokio::time::sleep(time).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                changed = wanted.changed() => {
                    changed?;
                    memory = Memory::default();
                    self.set_problem(None);
                }
                () = poll => {}
            }
        }
    }

    /// Applies the values once.
    pub async fn update_once(&self) -> anyhow::Result<()> {
        self.update(&mut self.wanted.subscribe(), &mut Memory::default()).await.map(|_| ())
    }

    /// Tries until it succeeds, fails permanently, or the values change. Returns the time until the next poll, if
    /// there is one.
    async fn update(
        &self,
        wanted: &mut watch::Receiver<DesiredValues>,
        memory: &mut Memory,
    ) -> anyhow::Result<Option<Duration>> {
        let values = wanted.borrow_and_update().values.clone();
        let poll = values.poll();
        let mut download = Download::new(values.maximum_bytes, self.versions.download());
        let (mut waits, mut tries, mut furthest) = (waits(), 0, 0);
        loop {
            let attempt = self.attempt(&values, &mut download, memory, Newer(wanted.clone())).await;
            let failure = match attempt {
                Ok(next) => return Ok(next),
                Err(failure) => failure,
            };
            self.report(&failure);
            if download.received() > furthest {
                (waits, tries, furthest) = (self::waits(), 0, download.received());
            }
            tries += 1;
            let is_last = tries >= TRIES && self.active().is_none();
            let is_over = is_last || !matches!(failure, UpdateError::Transient(_));
            self.metrics.updated(if is_over { Update::Failed } else { Update::Retried });
            if is_over {
                download.discard().await;
                return self.require_active(&failure).map(|()| poll);
            }
            let wait = waits.next().unwrap_or_default();
            let wait = poll.map_or(wait, |poll| wait.min(poll));
            let mut newer = wanted.clone();
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                _ = newer.changed() => return Ok(None),
            }
        }
    }

    /// One attempt. It ends early if the values change while a service is asked or the bundle is fetched.
    async fn attempt(
        &self,
        values: &Values,
        download: &mut Download,
        memory: &mut Memory,
        mut newer: Newer,
    ) -> Result<Option<Duration>, UpdateError> {
        if values.pin.is_set() && self.switch_on_disk(&values.pin).await? {
            return Ok(None);
        }
        if !values.enabled {
            return self.stay(values).map(|()| None);
        }
        match &values.source {
            BundleSource::Link(link) => {
                let Some(fetched) = newer.unless(download.attempt(link)).await else {
                    download.discard().await;
                    return Ok(None);
                };
                fetched?;
                self.take(download, Check::of(values)).await.map(|()| None)
            }
            BundleSource::Service(source) => {
                let next = self.follow((values, source), download, memory, &mut newer).await?;
                if next.is_none() {
                    download.discard().await;
                }
                Ok(next)
            }
            BundleSource::Folder(folder) => {
                let (values, carried) = ((values, folder.as_path()), &mut memory.carried);
                let next = self.take_carried(values, download, carried, &mut newer).await?;
                if next.is_none() {
                    download.discard().await;
                }
                Ok(next)
            }
        }
    }

    /// Checks a download and activates it. This isn't interrupted: files that are checked or moved must not be
    /// touched.
    pub(super) async fn take(
        &self,
        download: &mut Download,
        check: Check,
    ) -> Result<(), UpdateError> {
        let versions = self.versions.clone();
        let taken = in_background(move || versions.take(&check)).await;
        if taken.is_err() {
            download.discard().await;
        }
        self.announce(taken?).await;
        Ok(())
    }

    /// Switches to the pinned version if it is on disk; its link might have expired.
    pub(super) async fn switch_on_disk(&self, pin: &Pin) -> Result<bool, UpdateError> {
        let active = self.active();
        if active.is_some_and(|active| active.differs_from(pin).is_none()) {
            return Ok(true);
        }
        let (versions, pin) = (self.versions.clone(), pin.clone());
        let switched = in_background(move || {
            let pinned = versions.good().into_iter().find(|each| each.differs_from(&pin).is_none());
            pinned.map(|version| versions.switch(&version).map(|()| version)).transpose()
        });
        let Some(version) = switched.await? else { return Ok(false) };
        self.announce(version).await;
        Ok(true)
    }

    /// The version on disk must be enough.
    fn stay(&self, values: &Values) -> Result<(), UpdateError> {
        let reason = match self.active() {
            None => "no version is on disk",
            Some(active) => match active.differs_from(&values.pin) {
                None => return Ok(()),
                Some(_) => "the pinned version is not on disk",
            },
        };
        Err(UpdateError::Permanent(anyhow!(
            "{reason}, and staticExport.enabled is false, so nothing is fetched; set it to true"
        )))
    }

    async fn announce(&self, version: Version) {
        self.readers.prepare(&version).await;
        tracing::info!(version = version.label(), sha256 = version.sha256, "version activated");
        self.metrics.updated(Update::Switched);
        self.activate(version);
    }

    fn report(&self, failure: &UpdateError) {
        let problem = failure.describe();
        let again = matches!(failure, UpdateError::Transient(_));
        // A service that is away is reported once, not with each poll.
        if self.state().problem.as_ref() != Some(&problem) {
            tracing::error!(%problem, again, "values not applied; earlier version kept");
        }
        self.set_problem(Some(problem));
    }

    fn require_active(&self, failure: &UpdateError) -> anyhow::Result<()> {
        if self.active().is_some() {
            return Ok(());
        }
        bail!("{}; there is no earlier version to serve", failure.describe())
    }
}

/// Tells whether the values changed.
pub(super) struct Newer(watch::Receiver<DesiredValues>);

impl Newer {
    /// Does something unless the values change before it is done.
    pub(super) async fn unless<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            done = work => Some(done),
            _ = self.0.changed() => None,
        }
    }
}

/// Runs blocking work away from the threads that answer requests.
pub(super) async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, UpdateError> + Send + 'static,
) -> Result<T, UpdateError> {
    let ended = tokio::task::spawn_blocking(work).await;
    ended.unwrap_or_else(|error| Err(UpdateError::Permanent(error.into())))
}
