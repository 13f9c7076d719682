//! Observers of jobs: metrics that count them, and tests that end the process at a step.
//!
//! They receive events and durations, and change nothing.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use docwright_storage::database::Queue;

use super::Step;

/// An event of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Observed {
    /// The queue of the job.
    pub queue: Queue,
    /// The event.
    pub event: Event,
}

/// Kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A step is done, with the time since the previous step.
    Reached(Step, Duration),
    /// Its worker has left it.
    Left(Outcome),
}

/// How a worker left a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It finished.
    Completed,
    /// It failed permanently.
    Failed,
    /// It had a transient error, and is retried.
    Retried,
    /// The service stops; the job is unchanged.
    Returned,
    /// The lease was lost; another worker can have it.
    Lost,
    /// Its result could not be saved; it waits until its lease expires.
    Unsaved,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 6] =
        [Self::Completed, Self::Failed, Self::Retried, Self::Returned, Self::Lost, Self::Unsaved];

    /// Its name in metrics and logs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Retried => "retried",
            Self::Returned => "returned",
            Self::Lost => "lost",
            Self::Unsaved => "unsaved",
        }
    }
}

/// Called with every event of a worker's jobs.
#[derive(Clone)]
pub struct Observer(Arc<dyn Fn(Observed) + Send + Sync>);

impl Observer {
    /// An observer that calls a function.
    pub fn new(observe: impl Fn(Observed) + Send + Sync + 'static) -> Self {
        Self(Arc::new(observe))
    }

    /// An observer that is called only for finished steps.
    pub fn of_steps(observe: impl Fn(Step) + Send + Sync + 'static) -> Self {
        Self::new(move |observed| {
            if let Event::Reached(step, _) = observed.event {
                observe(step);
            }
        })
    }
}

impl Default for Observer {
    fn default() -> Self {
        Self::new(|_| {})
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Observer")
    }
}

/// An observed job, with the times of its steps.
#[derive(Debug)]
pub(super) struct Watched {
    queue: Queue,
    observer: Observer,
    /// Time of the last step.
    last: Mutex<Instant>,
}

impl Watched {
    /// A job of a queue that was just claimed.
    pub(super) fn new(queue: Queue, observer: Observer) -> Self {
        Self { queue, observer, last: Mutex::new(Instant::now()) }
    }

    /// A step is done.
    pub(super) fn reached(&self, step: Step) {
        let now = Instant::now();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let elapsed = now.duration_since(std::mem::replace(&mut *last, now));
        drop(last);
        self.tell(Event::Reached(step, elapsed));
    }

    /// The worker has left the job.
    pub(super) fn left(&self, outcome: Outcome) {
        self.tell(Event::Left(outcome));
    }

    fn tell(&self, event: Event) {
        (self.observer.0)(Observed { queue: self.queue, event });
    }
}
