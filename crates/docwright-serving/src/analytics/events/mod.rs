//! What readers did, one row for each view and each thing that a script reports, in objects that analytics programs
//! read. Nothing in a row identifies a reader or leads to another row: there is no address, no user agent, and no id,
//! times are whole minutes, and the order of rows is that of their contents.
//!
//! Rows wait in files until an hour is over or there are many. Then they become objects. A file has the same objects
//! whenever it is stored, so it is stored again after an interruption.

mod columns;
mod row;

use std::{
    collections::BTreeMap,
    io,
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicI64, Ordering::Relaxed},
    },
};

use docwright_http::metrics::{AnalyticsMetrics, WaitingAnalytics};
use docwright_storage::{Database, Objects, StorageError, event_key::event_key};
use docwright_types::{
    domain_address::DomainAddress,
    timestamp::{HOUR, Timestamp},
};

use super::{
    batches::blocking,
    lock,
    spool::{Limits, Spool, Waiting},
    visit::Counted,
};
use row::Row;

/// Limits of waiting rows.
const LIMITS: Limits =
    Limits { bytes: 1024 * 1024 * 1024, file_bytes: 32 * 1024 * 1024, is_synced: false };
/// Bytes of rows in memory, which are some seconds.
const MEMORY: usize = 64 * 1024 * 1024;

/// Rows on their way to object storage.
#[derive(Debug)]
pub(super) struct Events {
    database: Database,
    objects: Objects,
    spool: Arc<Spool>,
    metrics: AnalyticsMetrics,
    /// Rows as lines that aren't on the disk yet.
    lines: Mutex<Vec<u8>>,
    /// The hour of the last rows.
    hour: AtomicI64,
    is_full: AtomicBool,
}

impl Events {
    /// Rows that wait in a folder.
    pub(super) fn new(
        (database, objects): (Database, Objects),
        folder: PathBuf,
        metrics: AnalyticsMetrics,
    ) -> Self {
        Self {
            database,
            objects,
            spool: Arc::new(Spool::new(folder, LIMITS)),
            metrics,
            lines: Mutex::default(),
            hour: AtomicI64::default(),
            is_full: AtomicBool::default(),
        }
    }

    /// Adds what counts of a visit to a domain.
    pub(super) fn add(&self, domain: &str, counted: &Counted, now: Timestamp) {
        let mut lines = lock(&self.lines);
        for row in Row::all(domain, counted, now) {
            if lines.len() >= MEMORY {
                self.metrics.dropped(WaitingAnalytics::Events, row.size());
            } else if serde_json::to_writer(&mut *lines, &row).is_ok() {
                lines.push(b'\n');
            }
        }
    }

    /// Writes rows to their file, and stores the files that are complete. After the end of an hour, all are.
    pub(super) async fn write(&self, now: Timestamp) -> Result<(), StorageError> {
        let hour = now - now.rem_euclid(HOUR);
        let is_over = self.hour.swap(hour, Relaxed) != hour;
        if is_over {
            // Files of earlier processes, too.
            self.store(true).await?;
        }
        self.keep().await?;
        self.store(false).await
    }

    /// Stores everything, for a process that ends.
    pub(super) async fn finish(&self) -> Result<(), StorageError> {
        self.keep().await?;
        self.store(true).await
    }

    /// Writes rows to their file.
    pub(super) async fn keep(&self) -> io::Result<()> {
        let lines = std::mem::take(&mut *lock(&self.lines));
        if lines.is_empty() {
            return Ok(());
        }
        let spool = Arc::clone(&self.spool);
        let (lines, added) = blocking(move || {
            let added = spool.add(&lines);
            Ok((lines, added))
        })
        .await?;
        match added {
            Ok(dropped) => {
                self.metrics.dropped(WaitingAnalytics::Events, dropped);
                if dropped > 0 && !self.is_full.swap(true, Relaxed) {
                    tracing::warn!(
                        "too many events of readers wait on the disk; the oldest are dropped"
                    );
                }
                Ok(())
            }
            Err(error) => {
                lock(&self.lines).splice(..0, lines);
                Err(error)
            }
        }
    }

    async fn store(&self, is_over: bool) -> Result<(), StorageError> {
        loop {
            let spool = Arc::clone(&self.spool);
            let waiting = blocking(move || spool.oldest(is_over)).await?;
            let Some(waiting) = waiting else { break };
            self.store_file(waiting).await?;
            self.is_full.store(false, Relaxed);
        }
        let spool = Arc::clone(&self.spool);
        self.metrics.waits(WaitingAnalytics::Events, blocking(move || spool.bytes()).await?);
        Ok(())
    }

    /// Stores the rows of a file: an object for each domain and hour. Rows of domains that are gone are left out. Those
    /// of a domain that was renamed since keep the name that they were counted under.
    async fn store_file(&self, mut waiting: Waiting) -> Result<(), StorageError> {
        let (waiting, parts) = blocking(move || {
            let lines = waiting.lines()?;
            Ok((waiting, parts_of(&lines)?))
        })
        .await?;
        for ((domain, hour), bytes) in parts {
            let former = self.database.former_domain(&domain).await?;
            let today = former.as_ref().map_or(domain.as_str(), |former| &former.domain);
            let Ok(address) = DomainAddress::parse(today) else { continue };
            let Some(project) = self.database.project_of_domain(&address).await? else { continue };
            let key = event_key(&project.id, &domain, hour, waiting.name());
            let mut upload = self.objects.upload(&key).await?;
            upload.write(&bytes).await?;
            upload.finish().await?;
        }
        Ok(blocking(move || waiting.remove()).await?)
    }
}

/// The rows of lines as columns, by domain and hour.
fn parts_of(lines: &[u8]) -> io::Result<BTreeMap<(String, Timestamp), Vec<u8>>> {
    let mut parts: BTreeMap<_, Vec<Row<'_>>> = BTreeMap::new();
    let mut damaged = 0;
    for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match serde_json::from_slice::<Row<'_>>(line) {
            Ok(row) => {
                let hour = row.time - row.time.rem_euclid(HOUR);
                parts.entry((row.domain.to_string(), hour)).or_default().push(row);
            }
            Err(_) => damaged += 1,
        }
    }
    if damaged > 0 {
        tracing::warn!(damaged, "waiting events of readers damaged; left out");
    }
    let encoded = parts.into_iter().map(|(part, mut rows)| {
        rows.sort_unstable();
        Ok((part, columns::encode(&rows).map_err(io::Error::other)?))
    });
    encoded.collect()
}
