//! Counts the readers of sites, by what a server sees and what scripts of pages report: no cookie, and no id of a
//! reader.
//!
//! A request only adds to sums in memory. A task of its own writes them in batches. What a process that is killed
//! loses is at most what it counted since the last batch, some seconds.

mod live;
mod report;
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
use docwright_http::{client::ClientAddress, error::ApiError};
use docwright_jobs::clock::Clock;
use docwright_operations::{OperationError, attempts::Attempts};
use docwright_storage::{
    Database, Keyring, StorageError,
    database::{AnalyticsBatch, VisitorKey},
};
use docwright_types::{
    analytics::Reader,
    network::network,
    timestamp::{DAY, MINUTE, Timestamp},
};

use crate::site::{OpenSite, Shown};
use live::LiveSums;
pub(crate) use report::PATH as REPORT_PATH;
use report::Report;
use sums::Sums;
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
    live: Mutex<LiveSums>,
    visitors: Mutex<Visitors>,
    reports: Attempts,
    /// Batches that are being written. They keep their ids until they are.
    pending: tokio::sync::Mutex<Vec<AnalyticsBatch>>,
}

impl Analytics {
    /// Nothing is counted yet. The key of the day is in a folder, or encrypted in the database that nodes share.
    pub fn new(
        database: Database,
        (keyring, key_folder): (Keyring, Option<PathBuf>),
        clock: Clock,
    ) -> Arc<Self> {
        let (sums, live, visitors) = (Mutex::default(), Mutex::default(), Mutex::default());
        let (reports, pending) = (Attempts::within(MINUTE), tokio::sync::Mutex::default());
        Arc::new(Self {
            database,
            keyring,
            key_folder,
            clock,
            sums,
            live,
            visitors,
            reports,
            pending,
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
        lock(&self.live).add(domain, counted, now);
        if let Some(reader) = counted.view.filter(|reader| *reader != Reader::Bot) {
            lock(&self.visitors).add((domain, reader), visit, now);
        }
    }

    /// Writes sums until the task is aborted: readers are served, and counted, until the service ends.
    pub async fn run(self: Arc<Self>) {
        let mut is_away = false;
        loop {
            match self.write().await {
                Ok(()) => is_away = false,
                Err(error) if !is_away => {
                    tracing::warn!(%error, "analytics not written; kept in memory; retrying");
                    is_away = true;
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

    /// Writes everything that was counted. Errors keep it.
    ///
    /// # Errors
    ///
    /// Fails if the database does.
    pub async fn write(&self) -> Result<(), StorageError> {
        let mut pending = self.pending.lock().await;
        if pending.is_empty() {
            *pending = lock(&self.sums).take();
            pending.extend(lock(&self.live).take());
        }
        while let Some(batch) = pending.last() {
            self.database.add_analytics(batch, self.clock.now()).await?;
            pending.pop();
        }
        drop(pending);
        self.write_visitors().await?;
        self.start_day().await
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
