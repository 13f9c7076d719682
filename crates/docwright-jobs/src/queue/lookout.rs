//! The lookout of a process: it polls the database for work of every kind, and wakes the idle workers of that kind.
//!
//! It finds what no wake of this process announces: work that other processes queue, retries whose time has come,
//! work whose process disappeared, and releases that other processes activate. One statement covers all kinds, so an
//! idle service does next to nothing.

use std::{sync::Arc, time::Duration};

use docwright_storage::{
    Database,
    database::{DueWork, Queue},
};
use tokio::{sync::Notify, time::sleep};
use tokio_util::sync::CancellationToken;

/// How often the database is polled.
pub(super) const EVERY: Duration = Duration::from_secs(1);

/// What wakes the workers of a process.
#[derive(Debug, Clone, Default)]
pub struct Wakes {
    /// Wakes builders of releases.
    pub releases: Arc<Notify>,
    /// Wakes workers of agent jobs.
    pub agent_jobs: Arc<Notify>,
    /// Wakes pollers of repositories.
    pub polls: Arc<Notify>,
    /// Wakes reporters of releases.
    pub reports: Arc<Notify>,
    /// Wakes senders of notifications.
    pub notifications: Arc<Notify>,
    /// Wakes the sites, which follow the active releases of domains.
    pub sites: Arc<Notify>,
}

impl Wakes {
    /// What wakes the workers of a queue.
    pub const fn of(&self, queue: Queue) -> &Arc<Notify> {
        match queue {
            Queue::Releases => &self.releases,
            Queue::AgentJobs => &self.agent_jobs,
            Queue::Polls => &self.polls,
            Queue::Reports => &self.reports,
        }
    }

    /// Wakes one worker for each kind of work that is due. Each wakes the next if it found work.
    fn wake(&self, due: &DueWork) {
        for queue in &due.queues {
            self.of(*queue).notify_one();
        }
        if due.has_notifications {
            self.notifications.notify_one();
        }
    }
}

/// Finds work.
#[derive(Debug)]
pub struct Lookout {
    /// The database.
    pub database: Database,
    /// The workers and sites to wake.
    pub wakes: Wakes,
}

impl Lookout {
    /// Polls until `stop`.
    pub async fn run(self, stop: CancellationToken) {
        let (mut serving_changes, mut is_away) = (None, false);
        loop {
            tokio::select! {
                () = sleep(EVERY) => {}
                () = stop.cancelled() => return,
            }
            match self.database.due_work().await {
                Ok(due) => {
                    is_away = false;
                    self.wakes.wake(&due);
                    if serving_changes.replace(due.serving_changes) != Some(due.serving_changes) {
                        self.wakes.sites.notify_one();
                    }
                }
                Err(error) if !is_away => {
                    tracing::warn!(%error, "due work not read; retrying");
                    is_away = true;
                }
                Err(_) => {}
            }
        }
    }
}
