//! Metrics of the jobs of this process: starts, ends, and durations of steps.

use docwright_jobs::queue::{Event, Observed, Outcome, Step};
use docwright_storage::database::Queue;
use prometheus_client::{
    metrics::{counter::Counter, family::Family},
    registry::Registry,
};

use super::{
    exposition::Part,
    seconds::{OfBounds, STEP, Seconds},
};

type Labels<const N: usize> = [(&'static str, &'static str); N];

/// Counters of the jobs of a process.
#[derive(Debug, Clone)]
pub struct Jobs {
    started: Family<Labels<1>, Counter>,
    ended: Family<Labels<2>, Counter>,
    steps: Family<Labels<2>, Seconds, OfBounds>,
}

impl Default for Jobs {
    /// All counters exist from the start, so the first event shows as a change.
    fn default() -> Self {
        let jobs = Self {
            started: Family::default(),
            ended: Family::default(),
            steps: Family::new_with_constructor(OfBounds(STEP)),
        };
        for queue in Queue::ALL {
            drop(jobs.started.get_or_create(&[kind(queue)]));
            for outcome in Outcome::ALL {
                drop(jobs.ended.get_or_create(&[kind(queue), ("outcome", outcome.name())]));
            }
        }
        jobs
    }
}

impl Jobs {
    /// Counts a step of a job.
    pub fn observe(&self, observed: Observed) {
        let kind = kind(observed.queue);
        match observed.event {
            Event::Reached(Step::Claimed, _) => {
                self.started.get_or_create(&[kind]).inc();
            }
            Event::Reached(step, time) => {
                self.steps.get_or_create(&[kind, ("step", step.name())]).observe(time);
            }
            Event::Left(outcome) => {
                self.ended.get_or_create(&[kind, ("outcome", outcome.name())]).inc();
            }
        }
    }
}

impl Part for Jobs {
    fn register(&self, registry: &mut Registry) {
        registry.register(
            "docwright_jobs_started",
            "Jobs started by workers of this process, by kind; each retry counts",
            self.started.clone(),
        );
        registry.register(
            "docwright_jobs_ended",
            "Jobs ended by workers of this process, by kind and outcome",
            self.ended.clone(),
        );
        registry.register(
            "docwright_job_step_seconds",
            "Time since the previous step, by kind of job and step",
            self.steps.clone(),
        );
    }
}

fn kind(queue: Queue) -> (&'static str, &'static str) {
    ("kind", queue.kind())
}
