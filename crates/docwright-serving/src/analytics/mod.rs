//! Counts the readers of sites, by what a server sees and what scripts of pages report: no cookie, and no id of a
//! reader.
//!
//! A request only adds to sums in memory. A task of its own writes them in batches. What a process that is killed
//! loses is at most what it counted since the last batch, some seconds.

mod batches;
mod events;
mod live;
mod report;
mod spool;
mod sums;
mod user_agents;
mod visit;
mod visitors;

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{extract::Request, http::StatusCode, response::Response};
use docwright_http::{client::ClientAddress, error::ApiError, metrics::AnalyticsMetrics};
use docwright_jobs::clock::Clock;
use docwright_operations::{OperationError, attempts::Attempts};
use docwright_storage::{Database, Keyring, Objects, StorageError, database::VisitorKey};
use docwright_types::{
    analytics::Reader,
    network::network,
    timestamp::{DAY, MINUTE, Timestamp},
};

use crate::site::{OpenSite, Shown};
use batches::Batches;
use events::Events;
pub(crate) use report::PATH as REPORT_PATH;
use report::Report;
use sums::Sums;
use tokio::time::timeout;
use visit::Counted;
pub(crate) use visit::Visit;
use visitors::Visitors;

/// Reports of one reader on a site in a minute, and of all its readers.
const OF_READER: u32 = 60;
const OF_SITE: u32 = 60_000;
/// Time between two batches.
const EVERY: Duration = Duration::from_secs(5);

/// Counts readers.
#[derive(Debug)]
pub struct Analytics {
    database: Database,
    keyring: Keyring,
    key_folder: Option<PathBuf>,
    clock: Clock,
    sums: Mutex<Sums>,
    visitors: Mutex<Visitors>,
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
        let reports = Attempts::within(MINUTE);
        Arc::new(Self {
            database,
            keyring,
            key_folder,
            clock,
            sums,
            visitors,
            reports,
            batches,
            events,
        })
    }

    /// Counts a visit to a domain, if its response shows a page or that there is none.
    pub(crate) fn count(&self, domain: &str, site: &OpenSite, visit: &Visit, response: &Response) {
        let Some(shown) = response.extensions().get::<Shown>() else { return };
        if let Some(counted) = visit.counted(domain, shown, site.about().views_by_script) {
            self.add(domain, visit, &counted);
        }
    }

    /// Counts what a script of a domain's page reports. Reports of programs, and of readers who don't want to be
    /// measured, count nothing.
    ///
    /// # Errors
    ///
    /// Fails if no page of the site sent the report, if it is invalid, or if a limit is reached.
    pub(crate) async fn take_report(
        &self,
        (domain, site): (&str, &OpenSite),
        request: Request,
    ) -> Result<StatusCode, ApiError> {
        let (parts, report) = Report::read(site, request).await?;
        let reader = ClientAddress::of(&parts).address.map(network);
        let bounds = [((domain, Some(reader)), OF_READER), ((domain, None), OF_SITE)];
        if self.reports.count(&bounds, self.clock.now()).is_none() {
            let sentence = "Too many reports. Try again in a minute.";
            return Err(OperationError::Busy(sentence.to_owned()).into());
        }
        let (visit, counted) = report.counted(domain, site, &parts);
        for counted in counted {
            self.add(domain, &visit, &counted);
        }
        Ok(StatusCode::NO_CONTENT)
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
        self.batches.write(&self.sums).await?;
        self.write_visitors().await?;
        self.start_day().await
    }

    /// Writes everything that was counted within a time, or lets it wait on the disk. Returns whether nothing is lost.
    /// [`Analytics::run`] must be over.
    pub async fn finish(&self, patience: Duration) -> bool {
        let written = timeout(patience / 2, self.write()).await;
        let is_kept = matches!(written, Ok(Ok(()))) || self.batches.keep(&self.sums).await;
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

    async fn write_visitors(&self) -> Result<(), StorageError> {
        let changed = lock(&self.visitors).take_changed();
        for (place, ((domain, day, reader), sketch)) in changed.iter().enumerate() {
            let merged = self.database.merge_visitors((domain, *day, *reader), sketch).await;
            if merged.is_err() {
                lock(&self.visitors).put_back(&changed[place..]);
            }
            merged?;
        }
        Ok(())
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
