//! Batches of sums on their way to the database. While the database is away, they wait in files, so a process that is
//! killed doesn't lose them. A batch keeps its id, so it counts once, in whichever process it is written.

use std::{
    io::{self, ErrorKind},
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use docwright_http::metrics::{AnalyticsMetrics, WaitingAnalytics};
use docwright_jobs::clock::Clock;
use docwright_storage::{Database, StorageError, database::AnalyticsBatch};
use tokio::{task::spawn_blocking, time::timeout};

use super::{
    lock,
    spool::{Limits, Spool, Waiting},
    sums::Sums,
};

/// Limits of waiting batches.
const LIMITS: Limits =
    Limits { bytes: 256 * 1024 * 1024, file_bytes: 1024 * 1024, is_synced: true };
/// Files that are written at a time. Then new batches come first.
const FILES: usize = 16;
/// Time limit of the database for a batch. An unresponsive one must not keep other batches from their file.
const PATIENCE: Duration = Duration::from_secs(30);

/// Batches that aren't in the database yet.
#[derive(Debug)]
pub(super) struct Batches {
    database: Database,
    clock: Clock,
    spool: Arc<Spool>,
    metrics: AnalyticsMetrics,
    /// Batches that are being written. Beyond these, sums grow.
    pending: tokio::sync::Mutex<Vec<AnalyticsBatch>>,
    /// Whether the last write failed.
    is_away: AtomicBool,
    /// Whether batches were dropped, or stayed in memory, since the database was away.
    is_full: AtomicBool,
}

impl Batches {
    /// Batches that wait in a folder.
    pub(super) fn new(
        (database, clock): (Database, Clock),
        folder: PathBuf,
        metrics: AnalyticsMetrics,
    ) -> Self {
        Self {
            database,
            clock,
            spool: Arc::new(Spool::new(folder, LIMITS)),
            metrics,
            pending: tokio::sync::Mutex::default(),
            is_away: AtomicBool::default(),
            is_full: AtomicBool::default(),
        }
    }

    /// Writes sums, and then waiting batches. If the database is away, the sums wait.
    pub(super) async fn write(&self, sums: &Mutex<Sums>) -> Result<(), StorageError> {
        let mut pending = self.pending.lock().await;
        let are_left = !pending.is_empty();
        if !are_left {
            *pending = lock(sums).take();
        }
        // A database that doesn't respond can take a while to show it.
        if self.is_away.load(Relaxed) {
            self.wait(&mut pending).await;
        }
        let mut written = self.write_pending(&mut pending).await;
        // Batches were left by a write that failed or was dropped. The sums since then come after them.
        if are_left && written.is_ok() {
            *pending = lock(sums).take();
            written = self.write_pending(&mut pending).await;
        }
        if written.is_ok() {
            written = self.write_files().await;
        }
        if written.is_err() {
            self.wait(&mut pending).await;
        } else {
            self.is_full.store(false, Relaxed);
        }
        self.is_away.store(written.is_err(), Relaxed);
        if let Ok(bytes) = self.spool.bytes() {
            self.metrics.waits(WaitingAnalytics::Sums, bytes);
        }
        written
    }

    /// Lets sums wait in a file, for a process that ends. Returns whether they do.
    pub(super) async fn keep(&self, sums: &Mutex<Sums>) -> bool {
        let mut pending = self.pending.lock().await;
        pending.extend(lock(sums).take());
        self.wait(&mut pending).await;
        pending.is_empty()
    }

    async fn write_pending(&self, pending: &mut Vec<AnalyticsBatch>) -> Result<(), StorageError> {
        while let Some(batch) = pending.last() {
            self.add(batch).await?;
            pending.pop();
        }
        Ok(())
    }

    /// Writes the batches of some files.
    async fn write_files(&self) -> Result<(), StorageError> {
        // Files are closed when they are written, so they grow until the database is back.
        if self.is_away.load(Relaxed) {
            within(self.database.now()).await?;
        }
        for _ in 0..FILES {
            let spool = Arc::clone(&self.spool);
            let Some(waiting) = blocking(move || spool.oldest(true)).await? else { break };
            self.write_waiting(waiting).await?;
        }
        Ok(())
    }

    /// Writes the batches of a file. After an error, those before it are known to the database.
    async fn write_waiting(&self, mut waiting: Waiting) -> Result<(), StorageError> {
        let (waiting, lines) =
            blocking(move || waiting.lines().map(|lines| (waiting, lines))).await?;
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice(line) {
                Ok(batch) => self.add(&batch).await?,
                Err(error) => tracing::warn!(
                    file = waiting.name(), %error, "waiting batch of analytics damaged; left out"
                ),
            }
        }
        Ok(blocking(move || waiting.remove()).await?)
    }

    async fn add(&self, batch: &AnalyticsBatch) -> Result<(), StorageError> {
        within(self.database.add_analytics(batch, self.clock.now())).await.map(drop)
    }

    /// Lets batches wait in a file. If they can't, they stay in memory.
    async fn wait(&self, pending: &mut Vec<AnalyticsBatch>) {
        if pending.is_empty() {
            return;
        }
        let lines = match lines_of(pending) {
            Ok(lines) => lines,
            Err(error) => return tracing::error!(%error, "analytics not serialized"),
        };
        let spool = Arc::clone(&self.spool);
        match blocking(move || spool.add(&lines)).await {
            Ok(dropped) => {
                pending.clear();
                self.metrics.dropped(WaitingAnalytics::Sums, dropped);
                if dropped > 0 && !self.is_full.swap(true, Relaxed) {
                    tracing::warn!(
                        "too many sums of analytics wait on the disk; the oldest are dropped"
                    );
                }
            }
            Err(error) => {
                if !self.is_full.swap(true, Relaxed) {
                    tracing::warn!(%error, "analytics can't wait on the disk; kept in memory");
                }
            }
        }
    }
}

/// The answer of the database within its time limit.
async fn within<T>(
    answer: impl Future<Output = Result<T, StorageError>>,
) -> Result<T, StorageError> {
    let answer = timeout(PATIENCE, answer).await;
    answer.unwrap_or_else(|_| Err(io::Error::from(ErrorKind::TimedOut).into()))
}

/// Batches as lines.
fn lines_of(batches: &[AnalyticsBatch]) -> serde_json::Result<Vec<u8>> {
    let mut lines = Vec::new();
    for batch in batches {
        serde_json::to_writer(&mut lines, batch)?;
        lines.push(b'\n');
    }
    Ok(lines)
}

/// Runs what waits for the disk on a thread of its own.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    spawn_blocking(work).await.unwrap_or_else(|error| Err(io::Error::other(error)))
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use docwright_storage::database::{AnalyticsFilter, AnalyticsRange};
    use docwright_testing::database::{TestDatabase, sqlite_url};
    use docwright_types::{
        analytics::Reader,
        timestamp::{DAY, Timestamp},
    };

    use super::{super::visit::Counted, *};

    /// A database with a domain, and what happens to its batches.
    struct Place {
        folder: tempfile::TempDir,
        database: TestDatabase,
        project: String,
        domain: String,
        clock: Clock,
    }

    impl Place {
        async fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let database = TestDatabase::sqlite(folder.path()).await;
            let (site, domain) = database.site("read").await;
            let (project, domain) = (site.project_id, domain.as_str().to_owned());
            Self { folder, database, project, domain, clock: Clock::default() }
        }

        /// A process, and its connection to the database.
        async fn process(&self) -> (Batches, Database) {
            let database = Database::open(&sqlite_url(self.folder.path())).await.unwrap();
            let of = (database.clone(), self.clock.clone());
            (Batches::new(of, self.spool(), AnalyticsMetrics::default()), database)
        }

        fn spool(&self) -> PathBuf {
            self.folder.path().join("spool/sums")
        }

        fn sums(&self, pages: &[&str]) -> Mutex<Sums> {
            let mut sums = Sums::default();
            for page in pages {
                let (view, page) = (Some(Reader::Human), Some((*page).to_owned()));
                let counted = Counted { view, page, values: Vec::new() };
                sums.add(&self.domain, &counted, self.clock.now());
            }
            Mutex::new(sums)
        }

        /// The views of all days.
        async fn views(&self) -> i64 {
            let range = AnalyticsRange::new((0, 100_000 * DAY), self.clock.now()).days();
            let filter = AnalyticsFilter::new(&self.project, range);
            let series = self.database.database.analytics_series(filter).await.unwrap();
            series.iter().map(|(_, views): &(Timestamp, _)| views[0]).sum()
        }
    }

    fn files(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten();
        let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }

    #[tokio::test]
    async fn batches_wait_on_disk_and_count_once() {
        let place = Place::new().await;
        let (batches, database) = place.process().await;
        batches.write(&place.sums(&["a"])).await.unwrap();
        database.close().await;
        for pages in [&["a", "b"][..], &["c"], &[]] {
            batches.write(&place.sums(pages)).await.unwrap_err();
        }
        assert_eq!((place.views().await, files(&place.spool()).len()), (1, 1));
        // The database had stored the first batch, but couldn't say so before the process was killed.
        let text = fs::read_to_string(&files(&place.spool())[0]).unwrap();
        let first = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        place.database.database.add_analytics(&first, place.clock.now()).await.unwrap();
        drop(batches);
        let (batches, database) = place.process().await;
        batches.write(&place.sums(&["d"])).await.unwrap();
        assert_eq!((place.views().await, files(&place.spool()).len()), (5, 0));
        // An interruption in the middle of a file.
        fs::write(place.spool().join("0000000009-0000000000000000.lines"), &text).unwrap();
        batches.write(&place.sums(&[])).await.unwrap();
        database.close().await;
        assert_eq!((place.views().await, files(&place.spool()).len()), (5, 0));
    }

    #[tokio::test]
    async fn clock_that_jumps_changes_no_sum() {
        let place = Place::new().await;
        for (jump, views) in [(40 * DAY, 2), (-80 * DAY, 4)] {
            let (batches, database) = place.process().await;
            database.close().await;
            batches.write(&place.sums(&["a", "b"])).await.unwrap_err();
            place.clock.advance(jump);
            let (next, _database) = place.process().await;
            // A process that still runs keeps its file.
            next.write(&place.sums(&[])).await.unwrap();
            assert_eq!((place.views().await, files(&place.spool()).len()), (views - 2, 1));
            drop(batches);
            next.write(&place.sums(&[])).await.unwrap();
            assert_eq!((place.views().await, files(&place.spool()).len()), (views, 0));
        }
    }

    #[tokio::test]
    async fn batches_stay_in_memory_without_a_disk() {
        let place = Place::new().await;
        let (batches, database) = place.process().await;
        database.close().await;
        // A file is where the folder should be.
        fs::write(place.folder.path().join("spool"), "").unwrap();
        batches.write(&place.sums(&["a"])).await.unwrap_err();
        let sums = place.sums(&["b"]);
        batches.write(&sums).await.unwrap_err();
        assert!(!batches.keep(&sums).await);
        fs::remove_file(place.folder.path().join("spool")).unwrap();
        assert!(batches.keep(&place.sums(&["c"])).await);
        drop(batches);
        let (batches, _database) = place.process().await;
        batches.write(&place.sums(&[])).await.unwrap();
        assert_eq!(place.views().await, 3);
    }

    #[tokio::test]
    async fn write_after_a_dropped_one_writes_later_sums_too() {
        let place = Place::new().await;
        let (batches, _database) = place.process().await;
        let left = lock(&place.sums(&["a"])).take();
        *batches.pending.lock().await = left;
        batches.write(&place.sums(&["b"])).await.unwrap();
        assert_eq!(place.views().await, 2);
    }

    #[tokio::test]
    async fn damaged_batch_keeps_no_other_from_the_database() {
        let place = Place::new().await;
        let (batches, database) = place.process().await;
        database.close().await;
        for page in ["a", "b", "c"] {
            batches.write(&place.sums(&[page])).await.unwrap_err();
        }
        drop(batches);
        let path = &files(&place.spool())[0];
        let text = fs::read_to_string(path).unwrap();
        // Views by minute are batches of their own.
        let lines: Vec<_> = text.lines().filter(|line| !line.contains("\"views\":[]")).collect();
        assert_eq!(lines.len(), 3);
        // Of the second line a part is missing, and the third was cut.
        let damaged = format!("{}\n{}\n{}", lines[0], &lines[1][9..], &lines[2][..30]);
        fs::write(path, damaged).unwrap();
        let (batches, _database) = place.process().await;
        batches.write(&place.sums(&["d"])).await.unwrap();
        assert_eq!((place.views().await, files(&place.spool()).len()), (2, 0));
    }
}
