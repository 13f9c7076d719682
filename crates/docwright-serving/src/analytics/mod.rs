//! Counts the readers of sites, by what a server sees and what scripts of pages report: no cookie, and no id of a
//! reader.
//!
//! A request only adds to sums in memory. A task of its own writes them in batches. What a process that is killed
//! loses is at most what it counted since the last batch, some seconds.

mod batches;
mod events;
mod live;
mod report;
mod senders;
mod spool;
mod sums;
mod user_agents;
mod visit;
mod visitors;
mod waiting_visitors;

use std::{
    net::IpAddr,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{extract::Request, http::StatusCode, response::Response};
use docwright_http::{client::ClientAddress, error::ApiError, metrics::AnalyticsMetrics, origin};
use docwright_jobs::clock::Clock;
use docwright_operations::{OperationError, attempts::Attempts};
use docwright_storage::{Database, Keyring, Objects, StorageError, database::VisitorKey};
use docwright_types::{
    analytics::Reader,
    network::network,
    timestamp::{DAY, MINUTE, Timestamp},
};

use crate::site::{OpenSite, Shown};
use batches::{Batches, blocking};
use events::Events;
pub(crate) use report::PATH as REPORT_PATH;
use report::Report;
use senders::{Sender, Senders};
use sums::Sums;
use tokio::time::timeout;
use visit::Counted;
pub(crate) use visit::Visit;
use visitors::{Changed, Visitors};
use waiting_visitors::WaitingVisitors;

/// Reports of one reader on a site in a minute, and of all its readers.
const OF_READER: u32 = 60;
const OF_SITE: u32 = 60_000;
/// Time between two batches.
const EVERY: Duration = Duration::from_secs(5);

/// Reports to a domain, from its own pages or from other sites, of one reader or of all of them.
type ReportsOf<'a> = (&'a str, bool, Option<Option<IpAddr>>);

/// Counts readers.
#[derive(Debug)]
pub struct Analytics {
    database: Database,
    keyring: Keyring,
    key_folder: Option<PathBuf>,
    clock: Clock,
    sums: Mutex<Sums>,
    visitors: Mutex<Visitors>,
    waiting_visitors: Arc<WaitingVisitors>,
    senders: Senders,
    reports: Attempts,
    batches: Batches,
    /// Rows of readers' events, if any are kept.
    events: Option<Events>,
}

/// Where analytics are kept besides the database.
#[derive(Debug)]
pub struct Kept {
    /// Folder of what waits for the database or for object storage.
    pub spool: PathBuf,
    /// Storage of events; `None` if none are kept.
    pub objects: Option<Objects>,
    /// Metrics of the folder.
    pub metrics: AnalyticsMetrics,
}

/// A site whose readers are counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CountedSite<'a> {
    /// The domain of its sums.
    pub(crate) domain: &'a str,
    /// The host and the base path that its readers see.
    pub(crate) address: &'a str,
    pub(crate) site: &'a OpenSite,
}

impl Analytics {
    /// Nothing is counted yet. The key of the day is in a folder, or encrypted in the database that nodes share.
    pub fn new(
        database: Database,
        (keyring, key_folder): (Keyring, Option<PathBuf>),
        clock: Clock,
        kept: Kept,
    ) -> Arc<Self> {
        let Kept { spool, objects, metrics } = kept;
        let of = (database.clone(), clock.clone());
        let batches = Batches::new(of, spool.join("sums"), metrics.clone());
        let events = objects
            .map(|objects| Events::new((database.clone(), objects), spool.join("events"), metrics));
        let (sums, visitors) = (Mutex::default(), Mutex::default());
        let waiting_visitors = Arc::new(WaitingVisitors::new(spool.join("visitors")));
        let senders = Senders::default();
        let reports = Attempts::within(MINUTE);
        Arc::new(Self {
            database,
            keyring,
            key_folder,
            clock,
            sums,
            visitors,
            waiting_visitors,
            senders,
            reports,
            batches,
            events,
        })
    }

    /// Counts a visit to a site, if its response shows a page or that there is none.
    pub(crate) fn count(&self, of: CountedSite<'_>, visit: &Visit, response: &Response) {
        let Some(shown) = response.extensions().get::<Shown>() else { return };
        if let Some(counted) = visit.counted(of.address, shown, of.site.about().views_by_script) {
            self.add(of.domain, visit, &counted);
        }
    }

    /// Counts what a script of a page of the site reports. Reports of programs, and of readers who don't want to be
    /// measured, count nothing.
    ///
    /// # Errors
    ///
    /// Fails if no page of the site or of a client-hosted one sent the report, if it is invalid, or if a limit is reached.
    pub(crate) async fn take_report(
        &self,
        of: CountedSite<'_>,
        request: Request,
    ) -> Result<StatusCode, ApiError> {
        Report::require_counts(of.site)?;
        let (domain, now) = (of.domain, self.clock.now());
        let (parts, body) = request.into_parts();
        let reader = ClientAddress::of(&parts).address.map(network);
        // Before the database is asked and the body is read. Other sites don't use up the limit of the site's own pages.
        self.limit((domain, origin::is_own(&parts), Some(reader)), OF_READER)?;
        let sender = self.senders.of((&self.database, domain), &parts, now).await?;
        let report = Report::read((of.site, &sender), &parts, body).await?;
        self.limit((domain, true, None), OF_SITE)?;
        let address = match &sender {
            Sender::Own => of.address,
            Sender::Deployment(host) => host,
        };
        let (visit, counted) = report.counted(address, of.site, &parts);
        for counted in counted {
            self.add(domain, &visit, &counted);
        }
        Ok(StatusCode::NO_CONTENT)
    }

    /// Counts a report of something. Fails if there were too many in this minute.
    fn limit(&self, of: ReportsOf<'_>, most: u32) -> Result<(), OperationError> {
        let sentence = "Too many reports. Try again in a minute.";
        let counted = self.reports.count(&[(of, most)], self.clock.now()).map(drop);
        counted.ok_or_else(|| OperationError::Busy(sentence.to_owned()))
    }

    fn add(&self, domain: &str, visit: &Visit, counted: &Counted) {
        let now = self.clock.now();
        lock(&self.sums).add(domain, counted, now);
        if let Some(events) = &self.events {
            events.add(domain, counted, now);
        }
        if let Some(reader) = counted.view.filter(|reader| *reader != Reader::Bot) {
            lock(&self.visitors).add((domain, reader), visit, now);
        }
    }

    /// Writes sums until the task is aborted: readers are served, and counted, until the service ends.
    pub async fn run(self: Arc<Self>) {
        let (mut is_away, mut has_events_left) = (false, false);
        loop {
            match self.write().await {
                Ok(()) => is_away = false,
                Err(error) if !is_away => {
                    tracing::warn!(%error, "analytics not written; waiting on the disk; retrying");
                    is_away = true;
                }
                Err(_) => {}
            }
            match self.write_events().await {
                Ok(()) => has_events_left = false,
                Err(error) if !has_events_left => {
                    tracing::warn!(%error, "events of readers not stored; waiting on the disk; retrying");
                    has_events_left = true;
                }
                Err(_) => {}
            }
            let dropped = std::mem::take(&mut lock(&self.sums).dropped);
            if dropped > 0 {
                tracing::warn!(
                    dropped,
                    "too many sums of analytics in memory; some views not counted"
                );
            }
            tokio::time::sleep(EVERY.min(self.rest_of_day())).await;
        }
    }

    /// Writes everything that was counted. After an error, it waits on the disk.
    ///
    /// # Errors
    ///
    /// Fails if the database does.
    pub async fn write(&self) -> Result<(), StorageError> {
        let changed = lock(&self.visitors).take_changed();
        let mut written = self.batches.write(&self.sums).await;
        if written.is_ok() {
            written = self.write_visitors(&changed).await;
        }
        if let Err(error) = written {
            lock(&self.visitors).put_back(&changed);
            self.keep_visitors(changed).await;
            return Err(error);
        }
        self.start_day().await
    }

    /// Writes everything that was counted within a time, or lets it wait on the disk. Returns whether nothing is lost.
    /// [`Analytics::run`] must be over.
    pub async fn finish(&self, patience: Duration) -> bool {
        let written = timeout(patience / 2, self.write()).await;
        let is_written = matches!(written, Ok(Ok(())));
        let is_kept = is_written || {
            let all = lock(&self.visitors).all();
            let are_visitors_kept = self.keep_visitors(all).await;
            self.batches.keep(&self.sums).await && are_visitors_kept
        };
        let Some(events) = &self.events else { return is_kept };
        let stored = timeout(patience / 2, events.finish()).await;
        (matches!(stored, Ok(Ok(()))) || events.keep().await.is_ok()) && is_kept
    }

    async fn write_events(&self) -> Result<(), StorageError> {
        match &self.events {
            Some(events) => events.write(self.clock.now()).await,
            None => Ok(()),
        }
    }

    /// Writes sketches, and those that wait on the disk.
    async fn write_visitors(&self, changed: &[Changed]) -> Result<(), StorageError> {
        self.merge_visitors(changed).await?;
        loop {
            let waiting = Arc::clone(&self.waiting_visitors);
            let Some(taken) = blocking(move || waiting.take()).await? else { return Ok(()) };
            self.merge_visitors(&taken.sketches).await?;
            blocking(move || taken.remove()).await?;
        }
    }

    async fn merge_visitors(&self, sketches: &[Changed]) -> Result<(), StorageError> {
        for ((domain, day, reader), sketch) in sketches {
            self.database.merge_visitors((domain, *day, *reader), sketch).await?;
        }
        Ok(())
    }

    /// Lets sketches wait on the disk. Otherwise, they stay in memory. Returns whether they wait.
    async fn keep_visitors(&self, sketches: Vec<Changed>) -> bool {
        if sketches.is_empty() {
            return true;
        }
        let waiting = Arc::clone(&self.waiting_visitors);
        let kept = blocking(move || waiting.keep(&sketches)).await;
        kept.inspect_err(|error| tracing::debug!(%error, "visitors don't wait on the disk")).is_ok()
    }

    /// Reads the key of a new day.
    async fn start_day(&self) -> Result<(), StorageError> {
        let day = day_of(self.clock.now());
        if lock(&self.visitors).needs_key(day)
            && let Some(key) = self.key_of(day).await?
        {
            // Visits since the last write had no key of this day, so no sketch of the day before changed.
            lock(&self.visitors).start_day(key);
        }
        Ok(())
    }

    async fn key_of(&self, day: Timestamp) -> Result<Option<VisitorKey>, StorageError> {
        let Some(folder) = &self.key_folder else {
            return self.database.visitor_key(day, &self.keyring).await;
        };
        VisitorKey::in_folder(folder, day).map_err(|error| {
            StorageError::Value(format!("the key of the day in {}: {error}", folder.display()))
        })
    }

    /// The time until the next day. The key of the day is read as soon as it begins.
    fn rest_of_day(&self) -> Duration {
        let now = self.clock.now();
        Duration::from_millis((day_of(now) + DAY - now).unsigned_abs())
    }
}

fn day_of(time: Timestamp) -> Timestamp {
    time - time.rem_euclid(DAY)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
