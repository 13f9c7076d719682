//! Runs queued static exports, one at a time.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use docwright_domain::{export_job::ExportJob, timestamp::Timestamp};
use docwright_site::build::Progress;
use docwright_storage::{Database, LocalObjects, StorageError};
use tokio::sync::{Notify, watch};

use super::{HEARTBEAT, IDLE, MAXIMUM_TRIES, RETRY_AFTER};
use crate::{
    clock::Clock,
    publish::{Publication, PublishError, Published, publish},
    repositories::Repositories,
};

/// Rendering ends here; packing and storing take the rest.
const RENDERED_PERCENT: i64 = 90;

/// A worker of static exports.
#[derive(Debug, Clone)]
pub struct ExportWorker {
    /// The database.
    pub database: Database,
    /// Where bundles go.
    pub objects: LocalObjects,
    /// Where work in progress may be put.
    pub scratch: PathBuf,
    /// Where projects have their files.
    pub repositories: Repositories,
    /// Folder for copies of API descriptions on other hosts; `None` if they may not be fetched.
    pub remote_specs: Option<PathBuf>,
    /// Whether sites load the analytics that their authors configured.
    pub analytics: bool,
    /// How long a lease lasts without being renewed.
    pub lease: Timestamp,
    /// The time.
    pub clock: Clock,
    /// Told when there is something new in the queue.
    pub nudge: Arc<Notify>,
}

impl ExportWorker {
    /// Works until `stop` becomes true. The job at hand is then given back to the queue.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        let owner = format!("worker_{}", uuid::Uuid::now_v7().simple());
        while !*stop.borrow() {
            match self.database.claim_export(&owner, self.clock.now(), self.lease).await {
                Ok(Some(job)) => self.run_export(job, &owner, &mut stop).await,
                Ok(None) => {
                    tokio::select! {
                        () = self.nudge.notified() => {}
                        () = tokio::time::sleep(IDLE) => {}
                        _ = stop.changed() => {}
                    }
                }
                Err(error) => {
                    tracing::error!(%error, "the queue can't be read; trying again");
                    tokio::time::sleep(IDLE).await;
                }
            }
        }
    }

    async fn run_export(&self, job: ExportJob, owner: &str, stop: &mut watch::Receiver<bool>) {
        let id = job.id.clone();
        let attempts = job.attempts;
        tracing::info!(job = %id, attempt = attempts, "export begins");
        let done = Arc::new(Counter::default());
        let outcome = tokio::select! {
            outcome = self.publish(job, Arc::clone(&done)) => outcome,
            () = self.keep_lease(&id, owner, &done) => {
                tracing::warn!(job = %id, "the lease was lost; another worker has the job");
                return;
            }
            _ = stop.changed() => {
                let now = self.clock.now();
                log_failure(&id, self.database.release_export(&id, owner, now, now).await);
                return;
            }
        };
        log_failure(&id, self.finish(&id, owner, attempts, outcome).await);
    }

    async fn publish(&self, job: ExportJob, done: Arc<Counter>) -> Result<Published, PublishError> {
        let project = self.database.project(&job.project_id).await?;
        let project =
            project.ok_or_else(|| PublishError::Broken("the project is gone".to_owned()))?;
        let publication = Publication {
            job,
            project,
            repositories: self.repositories.clone(),
            objects: self.objects.clone(),
            scratch: self.scratch.clone(),
            remote_specs: self.remote_specs.clone(),
            analytics: self.analytics,
        };
        publish(publication, Arc::new(move |step| done.note(step))).await
    }

    /// Renews the lease until it is lost.
    async fn keep_lease(&self, id: &str, owner: &str, done: &Counter) {
        loop {
            tokio::time::sleep(HEARTBEAT).await;
            let now = self.clock.now();
            match self
                .database
                .renew_export(id, owner, done.progress(), now + self.lease, now)
                .await
            {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    tracing::warn!(job = %id, %error, "the lease can't be renewed; trying again");
                }
            }
        }
    }

    async fn finish(
        &self,
        id: &str,
        owner: &str,
        attempts: i64,
        outcome: Result<Published, PublishError>,
    ) -> Result<bool, StorageError> {
        let now = self.clock.now();
        match outcome {
            Ok(published) => {
                tracing::info!(job = %id, pages = published.page_count, "export completed");
                let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
                let result = (
                    count(published.page_count),
                    published.warnings.as_slice(),
                    count(published.warning_count),
                );
                self.database.complete_export(id, owner, result, &published.bundle, now).await
            }
            Err(error) if error.may_pass() && attempts < MAXIMUM_TRIES => {
                tracing::warn!(job = %id, %error, "export will be tried again");
                self.database.release_export(id, owner, now + RETRY_AFTER * attempts, now).await
            }
            Err(error) => {
                tracing::warn!(job = %id, %error, "export failed");
                self.database.fail_export(id, owner, &error.to_string(), now).await
            }
        }
    }
}

fn log_failure(id: &str, outcome: Result<bool, StorageError>) {
    match outcome {
        Ok(true) => {}
        Ok(false) => tracing::warn!(job = %id, "the lease was lost; another worker has the job"),
        Err(error) => {
            tracing::error!(job = %id, %error, "the state of the job can't be saved; it will run again");
        }
    }
}

/// How far a job is, told by many threads.
#[derive(Debug, Default)]
struct Counter {
    rendered: AtomicI64,
    total: AtomicI64,
}

impl Counter {
    fn note(&self, step: Progress) {
        self.total.store(i64::try_from(step.total).unwrap_or(0), Ordering::Relaxed);
        self.rendered.fetch_max(i64::try_from(step.rendered).unwrap_or(0), Ordering::Relaxed);
    }

    /// Percent and pages.
    fn progress(&self) -> (i64, i64) {
        let (rendered, total) =
            (self.rendered.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed).max(1));
        (rendered * RENDERED_PERCENT / total, rendered)
    }
}
