//! Counts the readers of sites, by what a server sees: no script, no cookie, and no id of a reader.
//!
//! A request only adds to sums in memory. A task of its own writes them in batches. What a process that is killed
//! loses is at most what it counted since the last batch, some seconds.

mod sums;
mod user_agents;
mod visit;
mod visitors;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::response::Response;
use docwright_jobs::clock::Clock;
use docwright_storage::{Database, Keyring, StorageError, database::AnalyticsBatch};
use docwright_types::{
    analytics::Reader,
    timestamp::{DAY, Timestamp},
};

use crate::site::Shown;
use sums::Sums;
pub(crate) use visit::Visit;
use visitors::Visitors;

/// Time between two batches.
const EVERY: Duration = Duration::from_secs(5);

/// Counts readers.
#[derive(Debug)]
pub struct Analytics {
    database: Database,
    keyring: Keyring,
    clock: Clock,
    sums: Mutex<Sums>,
    visitors: Mutex<Visitors>,
    /// Batches that are being written. They keep their ids until they are.
    pending: tokio::sync::Mutex<Vec<AnalyticsBatch>>,
}

impl Analytics {
    /// Nothing is counted yet.
    pub fn new(database: Database, keyring: Keyring, clock: Clock) -> Arc<Self> {
        let (sums, visitors, pending) =
            (Mutex::default(), Mutex::default(), tokio::sync::Mutex::default());
        Arc::new(Self { database, keyring, clock, sums, visitors, pending })
    }

    /// Counts a visit to a domain, if its response shows a page or that there is none.
    pub(crate) fn count(&self, domain: &str, visit: &Visit, response: &Response) {
        let Some(shown) = response.extensions().get::<Shown>() else { return };
        let Some(counted) = visit.counted(domain, shown) else { return };
        let now = self.clock.now();
        lock(&self.sums).add(domain, &counted, now);
        if counted.page.is_some() && counted.reader != Reader::Bot {
            lock(&self.visitors).add((domain, counted.reader), visit, now);
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
            && let Some(key) = self.database.visitor_key(day, &self.keyring).await?
        {
            // Visits since the last write had no key of this day, so no sketch of the day before changed.
            lock(&self.visitors).start_day(key);
        }
        Ok(())
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
