//! Live events of agent jobs, as any node records them.

use std::{
    collections::VecDeque,
    sync::LazyLock,
    time::{Duration, Instant},
};

use docwright_storage::StorageError;
use docwright_types::agent_job::{AgentEvent, AgentStatus};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::find;
use crate::{
    Allowed, OperationError, Operations, can,
    fair_limiter::{FairLimiter, Turn},
};

/// How often the database is polled for events. Any node can write them.
const EVERY: Duration = Duration::from_millis(300);
/// How often the key is checked again.
const CONFIRM: Duration = Duration::from_secs(1);
/// Open streams, in all and of one organization.
static STREAMS: LazyLock<FairLimiter<String>> = LazyLock::new(|| FairLimiter::new(200, 20));

/// Watches a job from the event after the one that was `seen`; 0 for all of them.
pub async fn watch(
    operations: &Operations,
    caller: &Allowed<can::WatchAgentJob>,
    (project_id, id): (&str, &str),
    seen: i64,
    stopping: CancellationToken,
) -> Result<Watch, OperationError> {
    let (project, _) = find(operations, caller, (project_id, id)).await?;
    let turn = STREAMS.take(&project.organization_id, Duration::ZERO).await.ok_or_else(|| {
        let sentence = "Too many open event streams. Close some, or poll the job.";
        OperationError::Busy(sentence.to_owned())
    })?;
    Ok(Watch {
        access: Access {
            operations: operations.clone(),
            key_id: caller.key_id().map(str::to_owned),
            confirmed: Instant::now(),
        },
        project_id: project.id,
        id: id.to_owned(),
        seen,
        waiting: VecDeque::new(),
        stopping,
        ended: false,
        _turn: turn,
    })
}

/// The events of a job, one by one.
#[derive(Debug)]
pub struct Watch {
    access: Access,
    project_id: String,
    id: String,
    /// Number of the last read event.
    seen: i64,
    waiting: VecDeque<AgentEvent>,
    /// The service stops.
    stopping: CancellationToken,
    /// The job had ended at the last read, so there are no more events.
    ended: bool,
    _turn: Turn<String>,
}

/// State that a stream needs to continue: operations, and a valid key.
#[derive(Debug)]
struct Access {
    operations: Operations,
    /// `None` for members and the CLI, which have no key.
    key_id: Option<String>,
    /// When the key was last checked.
    confirmed: Instant,
}

impl Access {
    /// Whether the key is still valid.
    async fn confirm(&mut self) -> Result<bool, StorageError> {
        if self.confirmed.elapsed() < CONFIRM {
            return Ok(true);
        }
        self.confirmed = Instant::now();
        let Some(key_id) = &self.key_id else { return Ok(true) };
        let key = self.operations.database.key(key_id).await?;
        Ok(key.is_some_and(|(key, _)| key.check_validity(self.operations.now()).is_ok()))
    }
}

impl Watch {
    /// The next event; `None` when the job has ended, the key isn't valid any more, or the service stops.
    pub async fn next(&mut self) -> Option<AgentEvent> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                self.seen = event.number;
                return Some(event);
            }
            if self.ended {
                return None;
            }
            let stopping = self.stopping.clone();
            // The client reconnects with the number of the last event that it saw.
            if stopping.is_cancelled()
                || !matches!(self.access.confirm().await, Ok(true))
                || self.refill().await.is_err()
            {
                return None;
            }
            if self.waiting.is_empty() && !self.ended {
                // When the service stops, the stream ends at the next read.
                drop(timeout(EVERY, stopping.cancelled()).await);
            }
        }
    }

    /// The state is read first, so all events from before the end are included.
    async fn refill(&mut self) -> Result<(), StorageError> {
        let database = &self.access.operations.database;
        let job = database.agent_job(&self.project_id, &self.id).await?;
        let active = job.is_some_and(|job| job.status == AgentStatus::Active);
        self.waiting = database.agent_events(&self.id, self.seen).await?.into();
        self.ended = !active && self.waiting.is_empty();
        Ok(())
    }
}
