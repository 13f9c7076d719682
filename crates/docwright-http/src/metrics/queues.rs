//! The queues, the bundles that were lost, and the database, as the database has them.

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

/// The database is asked this often at most, whoever asks for the metrics.
const AT_MOST_EVERY: Duration = Duration::from_secs(5);
/// A database that says nothing for so long is left out.
const PATIENCE: Duration = Duration::from_secs(1);

type Labels<const N: usize> = [(&'static str, &'static str); N];

/// Reads how full the queues are.
#[derive(Debug)]
pub struct Queues {
    database: Database,
    jobs: Family<Labels<2>, Gauge>,
    oldest: Family<Labels<1>, Gauge<f64, AtomicU64>>,
    lost_bundles: Family<Labels<1>, Gauge>,
    up: Gauge,
    connections: Family<Labels<1>, Gauge>,
    most_connections: Gauge,
    /// When it was read last.
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

    /// Reads them anew if they were not read just now.
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
            // An old number would look like a queue that does not move.
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
            "Jobs that have not ended, of all nodes, by kind and state",
            self.jobs.clone(),
        );
        registry.register(
            "docwright_queue_oldest_wait_seconds",
            "How long the oldest job that waits could have been started, by kind",
            self.oldest.clone(),
        );
        registry.register(
            "docwright_lost_bundles",
            "Bundles that are gone from the object store, by state",
            self.lost_bundles.clone(),
        );
        registry.register(
            "docwright_database_up",
            "1 if the database said within a second how full the queues are",
            self.up.clone(),
        );
        registry.register(
            "docwright_database_connections",
            "Connections of this process to its database, by state",
            self.connections.clone(),
        );
        registry.register(
            "docwright_database_connections_limit",
            "Connections to the database that this process can have",
            self.most_connections.clone(),
        );
    }
}
