//! Claims jobs of one kind from the queue and runs each to its end.

use std::{sync::Arc, time::Duration};

use docwright_storage::{
    Database, StorageError,
    database::{Lease, MAXIMUM_FAILURES, Queue, backoff},
};
use docwright_types::timestamp::Timestamp;
use futures::future::BoxFuture;
use tokio::{sync::Notify, task::JoinHandle};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::{
    GRACE, HeldLease, JobError, Slots, Step,
    observer::{Observer, Outcome, Watched},
};
use crate::{clock::Clock, disk::Disk};

/// A kind of job.
pub trait Job: Send + Sync + 'static {
    /// Its queue.
    const QUEUE: Queue;

    /// Runs a job to its end, which it records itself. It can be called again for the same job after any of its
    /// steps.
    fn run<'a>(&'a self, held: &'a HeldLease) -> BoxFuture<'a, Result<(), JobError>>;
}

/// How workers are stopped.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    /// No further job starts.
    pub drain: CancellationToken,
    /// Jobs that still run are requeued.
    pub abandon: CancellationToken,
}

impl Shutdown {
    /// Time limit for requeuing jobs.
    pub const GIVING_BACK: Duration = GRACE.saturating_mul(2);

    /// Starts no further job, and gives running ones until a deadline.
    pub async fn stop(&self, deadline: Duration, workers: Vec<JoinHandle<()>>) {
        self.drain.cancel();
        let all = futures::future::join_all(workers);
        tokio::pin!(all);
        if tokio::time::timeout(deadline, &mut all).await.is_ok() {
            return;
        }
        tracing::info!("deadline reached; unfinished jobs returned to the queue");
        self.abandon.cancel();
        if tokio::time::timeout(Self::GIVING_BACK, &mut all).await.is_err() {
            tracing::warn!("job didn't stop; its lease will expire");
        }
    }
}

/// A worker.
#[derive(Debug)]
pub struct Worker<J> {
    /// Runs its jobs.
    pub job: Arc<J>,
    /// The database.
    pub database: Database,
    /// The time.
    pub clock: Clock,
    /// How long a lease lasts without being renewed, in milliseconds.
    pub lease: Timestamp,
    /// The disk that jobs need. No job starts while it is low.
    pub disk: Disk,
    /// Wakes it when the queue has a job.
    pub wake: Arc<Notify>,
    /// Receives events of its jobs.
    pub observer: Observer,
    /// The slots that it shares with the other workers of its queue in this process.
    pub slots: Arc<Slots>,
    /// When to stop.
    pub shutdown: Shutdown,
}

impl<J> Clone for Worker<J> {
    fn clone(&self) -> Self {
        Self {
            job: Arc::clone(&self.job),
            database: self.database.clone(),
            clock: self.clock.clone(),
            lease: self.lease,
            disk: self.disk.clone(),
            wake: Arc::clone(&self.wake),
            observer: self.observer.clone(),
            slots: Arc::clone(&self.slots),
            shutdown: self.shutdown.clone(),
        }
    }
}

impl<J: Job> Worker<J> {
    /// Runs until it is stopped.
    pub async fn run(self) {
        while !self.shutdown.drain.is_cancelled() {
            if self.disk.is_low().await {
                self.idle().await;
                continue;
            }
            // A claim is never canceled, because its job would have no worker.
            let turn = tokio::select! {
                turn = self.slots.turn() => turn,
                () = self.shutdown.drain.cancelled() => return,
            };
            let times = (self.lease, self.clock.now());
            match self.slots.claim(turn, (&self.database, J::QUEUE), times).await {
                Ok(Some((claim, _slot))) => {
                    // There can be more jobs, for which the others were not woken.
                    self.wake.notify_one();
                    // It has the highest level, so it exists at every log level.
                    let span = tracing::error_span!(
                        "job",
                        job = claim.lease.id,
                        kind = J::QUEUE.kind(),
                        organization = claim.organization_id,
                        project = claim.project_id,
                        claim = claim.lease.number,
                        commit = tracing::field::Empty,
                    );
                    self.work(claim.lease).instrument(span).await;
                }
                Ok(None) => self.idle().await,
                Err(error) => {
                    tracing::error!(%error, "queue not read; retrying");
                    self.idle().await;
                }
            }
        }
    }

    async fn idle(&self) {
        tokio::select! {
            () = self.wake.notified() => {}
            () = self.shutdown.drain.cancelled() => {}
        }
    }

    async fn work(&self, lease: Lease) {
        tracing::info!("job started");
        let abandon = &self.shutdown.abandon;
        let watched = Arc::new(Watched::new(J::QUEUE, self.observer.clone()));
        let held = HeldLease::new(
            self.database.clone(),
            lease.clone(),
            self.lease,
            abandon,
            Arc::clone(&watched),
        );
        held.reached(Step::Claimed);
        let outcome = self.run_job(Arc::new(held)).await;
        match self.finish(&lease, outcome).await {
            Ok(outcome) => {
                if outcome == Outcome::Completed {
                    watched.reached(Step::Ended);
                }
                watched.left(outcome);
            }
            Err(error) => {
                tracing::error!(%error, "job result not saved; job will run again");
                watched.left(Outcome::Unsaved);
            }
        }
    }

    /// Runs a job in a separate task: a panic ends that task, not the worker.
    async fn run_job(&self, held: Arc<HeldLease>) -> Result<(), JobError> {
        let (job, lease) = (Arc::clone(&self.job), Arc::clone(&held));
        let run = async move { job.run(&lease).await };
        let mut task = tokio::spawn(run.in_current_span());
        let ended = tokio::select! {
            ended = &mut task => ended,
            () = held.interrupted() => {
                // The job is asked to stop and ends its child processes; otherwise it is canceled.
                match tokio::time::timeout(GRACE, &mut task).await {
                    // Its result was already recorded, so there was no lease to renew.
                    Ok(Ok(Ok(()))) => return Ok(()),
                    Ok(_) => {}
                    Err(_) => task.abort(),
                }
                return Err(held.interruption());
            }
        };
        let outcome = ended.unwrap_or_else(|error| {
            tracing::error!(%error, "job panicked");
            let sentence = "internal error; see the server log";
            Err(JobError::Permanent(sentence.to_owned()))
        });
        // An error after the interruption can come from it: child processes end with the service.
        outcome.map_err(|error| if held.is_interrupted() { held.interruption() } else { error })
    }

    async fn finish(
        &self,
        lease: &Lease,
        ended: Result<(), JobError>,
    ) -> Result<Outcome, StorageError> {
        let now = self.clock.now();
        let (held, outcome) = match ended {
            Ok(()) => {
                tracing::info!("job finished");
                (true, Outcome::Completed)
            }
            Err(JobError::Lost) => (false, Outcome::Lost),
            Err(JobError::Stopped) => (self.database.requeue(lease, now).await?, Outcome::Returned),
            Err(JobError::Permanent(error)) => {
                tracing::warn!(%error, "job failed");
                (self.database.fail(lease, &error, now).await?, Outcome::Failed)
            }
            Err(JobError::Transient(error)) => {
                let failures = self.database.failures(lease).await?;
                let wait = backoff(failures + 1, rand::random());
                tracing::warn!(%error, wait, failures, "job failed; retrying");
                let is_last = failures + 1 >= MAXIMUM_FAILURES;
                let outcome = if is_last { Outcome::Failed } else { Outcome::Retried };
                (self.database.retry(lease, wait, &error, now).await?, outcome)
            }
        };
        if held {
            return Ok(outcome);
        }
        tracing::info!("lease lost; result discarded");
        Ok(Outcome::Lost)
    }
}

#[cfg(test)]
mod tests;
