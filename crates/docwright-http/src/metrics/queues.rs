//! Metrics of the queues, lost bundles, and the database, from the database.

use std::{
    sync::atomic::AtomicU64,
    time::{Duration, Instant},
};

use docwright_storage::{
    Database, StorageError,
    database::{Queue, QueueDepth},
};
use prometheus_client::{
    metrics::{family::Family, gauge::Gauge},
    registry::Registry,
};
use tokio::{sync::Mutex, time::timeout};

use super::exposition::Part;

/// The database is read at most this often, for all requests of metrics.
const AT_MOST_EVERY: Duration = Duration::from_secs(5);
/// A database that does not respond within this time is left out.
const PATIENCE: Duration = Duration::from_secs(1);

type Labels<const N: usize> = [(&'static str, &'static str); N];

/// Reads the depth of the queues.
#[derive(Debug)]
pub struct Queues {
    database: Database,
    jobs: Family<Labels<2>, Gauge>,
    oldest: Family<Labels<1>, Gauge<f64, AtomicU64>>,
    lost_bundles: Family<Labels<1>, Gauge>,
    up: Gauge,
    connections: Family<Labels<1>, Gauge>,
    most_connections: Gauge,
    /// When it was last read.
    last: Mutex<Option<Instant>>,
}

impl Queues {
    /// The queues of a database.
    pub fn new(database: Database) -> Self {
        Self {
            database,
            jobs: Family::default(),
            oldest: Family::default(),
            lost_bundles: Family::default(),
            up: Gauge::default(),
            connections: Family::default(),
            most_connections: Gauge::default(),
            last: Mutex::default(),
        }
    }

    /// Reads them again unless they were just read.
    pub(super) async fn read(&self) {
        self.read_connections();
        let mut last = self.last.lock().await;
        if last.is_some_and(|last| last.elapsed() < AT_MOST_EVERY) {
            return;
        }
        let read = async {
            Ok::<_, StorageError>((self.depths().await?, self.database.lost_bundles().await?))
        };
        let read = timeout(PATIENCE, read).await;
        *last = Some(Instant::now());
        let Ok(Ok((depths, lost))) = read else {
            // An old number would look like a blocked queue.
            self.up.set(0);
            self.jobs.clear();
            self.oldest.clear();
            self.lost_bundles.clear();
            return;
        };
        self.up.set(1);
        for (queue, depth) in &depths {
            self.set(*queue, depth);
        }
        for (state, bundles) in [("rebuilding", lost.rebuilding), ("failed", lost.failed)] {
            self.lost_bundles.get_or_create(&[("state", state)]).set(bundles);
        }
    }

    async fn depths(&self) -> Result<Vec<(Queue, QueueDepth)>, StorageError> {
        let mut depths = Vec::new();
        for queue in Queue::ALL {
            depths.push((queue, self.database.queue_depth(queue).await?));
        }
        Ok(depths)
    }

    fn set(&self, queue: Queue, depth: &QueueDepth) {
        let kind = ("kind", queue.kind());
        let states =
            [("waiting", depth.waiting), ("delayed", depth.delayed), ("running", depth.running)];
        for (state, jobs) in states {
            self.jobs.get_or_create(&[kind, ("state", state)]).set(jobs);
        }
        #[expect(
            clippy::cast_precision_loss,
            reason = "a wait is no longer than thousands of years"
        )]
        let seconds = depth.oldest_wait as f64 / 1000.0;
        self.oldest.get_or_create(&[kind]).set(seconds);
    }

    fn read_connections(&self) {
        let (open, idle) = self.database.connections();
        let (open, idle) = (i64::from(open), i64::try_from(idle).unwrap_or(i64::MAX));
        for (state, connections) in [("idle", idle), ("used", (open - idle).max(0))] {
            self.connections.get_or_create(&[("state", state)]).set(connections);
        }
        self.most_connections.set(self.database.maximum_connections().into());
    }
}

impl Part for Queues {
    fn register(&self, registry: &mut Registry) {
        registry.register(
            "docwright_queue_jobs",
            "Unfinished jobs of all nodes, by kind and state",
            self.jobs.clone(),
        );
        registry.register(
            "docwright_queue_oldest_wait_seconds",
            "Time that the oldest waiting job could have been started, by kind",
            self.oldest.clone(),
        );
        registry.register(
            "docwright_lost_bundles",
            "Bundles missing in the object store, by state",
            self.lost_bundles.clone(),
        );
        registry.register(
            "docwright_database_up",
            "1 if the database returned the depth of the queues within a second",
            self.up.clone(),
        );
        registry.register(
            "docwright_database_connections",
            "Connections of this process to its database, by state",
            self.connections.clone(),
        );
        registry.register(
            "docwright_database_connections_limit",
            "Limit of connections of this process to its database",
            self.most_connections.clone(),
        );
    }
}
