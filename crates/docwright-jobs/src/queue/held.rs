//! The lease of a running job. A separate task renews it, so blocking work can't lose it.

use std::{sync::Arc, time::Duration};

use docwright_storage::{Database, database::Lease};
use docwright_types::timestamp::Timestamp;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::{JobError, Step, observer::Watched};

/// Renewals before a lease could expire.
const RENEWALS: u32 = 6;

/// A lease that is renewed until this is dropped.
#[derive(Debug)]
pub struct HeldLease {
    database: Database,
    lease: Lease,
    /// Milliseconds.
    duration: Timestamp,
    lost: CancellationToken,
    interrupted: CancellationToken,
    watched: Arc<Watched>,
    heartbeat: AbortHandle,
}

impl HeldLease {
    /// Renews a lease that was claimed for `duration` milliseconds. `abandon` ends the job early.
    pub(super) fn new(
        database: Database,
        lease: Lease,
        duration: Timestamp,
        abandon: &CancellationToken,
        watched: Arc<Watched>,
    ) -> Self {
        let interrupted = abandon.child_token();
        let lost = CancellationToken::new();
        let beat = Heartbeat {
            database: database.clone(),
            lease: lease.clone(),
            duration,
            lost: lost.clone(),
            interrupted: interrupted.clone(),
        };
        let heartbeat = tokio::spawn(beat.run().in_current_span()).abort_handle();
        Self { database, lease, duration, lost, interrupted, watched, heartbeat }
    }

    /// The lease: every write of the job names it.
    pub const fn lease(&self) -> &Lease {
        &self.lease
    }

    /// Id of the job.
    pub fn id(&self) -> &str {
        &self.lease.id
    }

    /// Fails unless the job still belongs to this worker. Called right before every visible effect.
    pub async fn confirm(&self) -> Result<(), JobError> {
        if self.interrupted.is_cancelled() && !self.lost.is_cancelled() {
            return Err(JobError::Stopped);
        }
        if self.database.renew(&self.lease, self.duration).await? {
            return Ok(());
        }
        self.lost.cancel();
        self.interrupted.cancel();
        Err(JobError::Lost)
    }

    /// Ends when the job must stop: its lease is lost, or the service stops.
    pub fn interrupted(&self) -> impl Future<Output = ()> + Send + 'static {
        self.interrupted.clone().cancelled_owned()
    }

    /// Whether the job must stop.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.is_cancelled()
    }

    /// Why the job must stop.
    pub fn interruption(&self) -> JobError {
        if self.lost.is_cancelled() { JobError::Lost } else { JobError::Stopped }
    }

    /// Notifies observers that a step is done.
    pub fn reached(&self, step: Step) {
        tracing::debug!(%step, "step");
        self.watched.reached(step);
    }
}

impl Drop for HeldLease {
    fn drop(&mut self) {
        self.heartbeat.abort();
    }
}

/// Renews a lease until it is lost. An unresponsive database loses nothing: a claim by another worker in the
/// meantime is detected at the next response.
struct Heartbeat {
    database: Database,
    lease: Lease,
    duration: Timestamp,
    lost: CancellationToken,
    interrupted: CancellationToken,
}

impl Heartbeat {
    async fn run(self) {
        let milliseconds = u64::try_from(self.duration).unwrap_or(0);
        let every = (Duration::from_millis(milliseconds) / RENEWALS).max(Duration::from_millis(50));
        loop {
            tokio::time::sleep(every).await;
            match self.database.renew(&self.lease, self.duration).await {
                Ok(true) => {}
                Ok(false) => {
                    self.lost.cancel();
                    self.interrupted.cancel();
                    return;
                }
                Err(error) => {
                    tracing::warn!(%error, "lease not renewed; retrying");
                }
            }
        }
    }
}
