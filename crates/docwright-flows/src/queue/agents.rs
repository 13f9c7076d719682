//! Runs agent jobs. Several workers run side by side, since models take their time.

use std::sync::Arc;

use docwright_domain::agent_job::AgentJob;
use docwright_storage::{StorageError, database::AgentResult};
use tokio::sync::{Notify, watch};

use super::{HEARTBEAT, IDLE, MAXIMUM_TRIES, RETRY_AFTER};
use crate::propose::{Install, ProposeError, propose};

/// A worker of agent jobs.
#[derive(Debug, Clone)]
pub struct AgentWorker {
    /// What it works with.
    pub install: Install,
    /// Told when there is something new in the queue.
    pub nudge: Arc<Notify>,
}

impl AgentWorker {
    /// Works until `stop` becomes true. The job at hand is then given back to the queue.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        let owner = format!("worker_{}", uuid::Uuid::now_v7().simple());
        let Install { database, clock, lease, .. } = &self.install;
        while !*stop.borrow() {
            match database.claim_agent_job(&owner, clock.now(), *lease).await {
                Ok(Some(job)) => self.run_job(&job, &owner, &mut stop).await,
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

    async fn run_job(&self, job: &AgentJob, owner: &str, stop: &mut watch::Receiver<bool>) {
        let id = job.id.as_str();
        let Install { database, clock, .. } = &self.install;
        tracing::info!(job = %id, attempt = job.attempts, model = %job.model, "agent job begins");
        let outcome = tokio::select! {
            outcome = self.propose(job, owner) => outcome,
            () = self.keep_lease(id, owner) => Err(ProposeError::Lost),
            _ = stop.changed() => {
                log_failure(id, database.release_agent_job(id, owner, clock.now()).await);
                return;
            }
        };
        match outcome {
            Ok(()) => tracing::info!(job = %id, "agent job ended"),
            Err(ProposeError::Lost) => tracing::info!(job = %id, "the job is not ours any more"),
            Err(ProposeError::Fault(error)) if job.attempts < MAXIMUM_TRIES => {
                tracing::warn!(job = %id, %error, "the job will be tried again");
                let run_after = clock.now() + RETRY_AFTER * job.attempts;
                log_failure(id, database.release_agent_job(id, owner, run_after).await);
            }
            Err(ProposeError::Fault(error) | ProposeError::Impossible(error)) => {
                tracing::warn!(job = %id, %error, "agent job failed");
                let usage = job.usage.clone();
                let result = AgentResult {
                    outcome: Err(&error),
                    usage: &usage,
                    files_changed: &job.files_changed,
                };
                log_failure(id, database.end_agent_job(id, owner, result, None, clock.now()).await);
            }
        }
    }

    async fn propose(&self, job: &AgentJob, owner: &str) -> Result<(), ProposeError> {
        let project = self.install.database.project(&job.project_id).await?;
        let gone = || ProposeError::Impossible("the project is gone".to_owned());
        propose(job, &project.ok_or_else(gone)?, owner, &self.install).await
    }

    /// Renews the lease until it is lost.
    async fn keep_lease(&self, id: &str, owner: &str) {
        let Install { database, clock, lease, .. } = &self.install;
        loop {
            tokio::time::sleep(HEARTBEAT).await;
            match database.renew_agent_job(id, owner, clock.now() + lease).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    tracing::warn!(job = %id, %error, "the lease can't be renewed; trying again");
                }
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
