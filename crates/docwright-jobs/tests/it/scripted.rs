//! Jobs scripted by tests, and workers for them.

use std::sync::Arc;

use docwright_jobs::{
    clock::Clock,
    disk::Disk,
    queue::{HeldLease, Job, JobError, Observer, Shutdown, Worker},
};
use docwright_storage::{
    Database,
    database::{BuildResult, Lease, Queue},
};
use docwright_types::export_job::StoredBundle;
use futures::future::BoxFuture;
use tokio::sync::Notify;

use crate::instance::{Instance, soon};

/// A lease that outlasts any test.
pub(crate) const LEASE: i64 = 3_600_000;

pub(crate) struct Scripted<F>(F);

impl<F> Job for Scripted<F>
where
    F: for<'a> Fn(&'a HeldLease) -> BoxFuture<'a, Result<(), JobError>> + Send + Sync + 'static,
{
    const QUEUE: Queue = Queue::Releases;

    fn run<'a>(&'a self, held: &'a HeldLease) -> BoxFuture<'a, Result<(), JobError>> {
        (self.0)(held)
    }
}

/// A worker whose jobs run a function.
pub(crate) fn worker<F>(instance: &Instance, script: F) -> Worker<Scripted<F>>
where
    F: for<'a> Fn(&'a HeldLease) -> BoxFuture<'a, Result<(), JobError>> + Send + Sync + 'static,
{
    Worker {
        job: Arc::new(Scripted(script)),
        database: instance.database.clone(),
        clock: Clock::default(),
        lease: LEASE,
        disk: Disk::default(),
        wake: Arc::new(Notify::new()),
        observer: Observer::default(),
        slots: Arc::default(),
        shutdown: Shutdown::default(),
    }
}

/// Runs one job to its end. The worker starts no other one.
pub(crate) async fn run_one<J: Job>(mut worker: Worker<J>) {
    let drain = worker.shutdown.drain.clone();
    worker.observer = Observer::of_steps(move |_| drain.cancel());
    soon(worker.run()).await;
}

/// Makes the release of a lease ready. Returns whether the lease held.
pub(crate) async fn complete(database: &Database, lease: &Lease) -> bool {
    let bundle = StoredBundle { key: "k".into(), size: 1, sha256: "s".into(), commit: None };
    let result = BuildResult { page_count: 1, warnings: &[], warning_count: 0, bundle: &bundle };
    database.complete_build(lease, result, 1).await.unwrap()
}
