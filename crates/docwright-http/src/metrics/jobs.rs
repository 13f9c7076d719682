//! Jobs of this process: started, left, and how long their steps took.

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

/// Counts the jobs of a process.
#[derive(Debug, Clone)]
pub struct Jobs {
    started: Family<Labels<1>, Counter>,
    ended: Family<Labels<2>, Counter>,
    steps: Family<Labels<2>, Seconds, OfBounds>,
}

impl Default for Jobs {
    /// All that can be counted is there from the beginning, so that the first one shows as a change.
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
    /// Something happened to a job.
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
            "Jobs that workers of this process began, by kind; a job that is retried begins again",
            self.started.clone(),
        );
        registry.register(
            "docwright_jobs_ended",
            "Jobs that workers of this process left, by kind and outcome",
            self.ended.clone(),
        );
        registry.register(
            "docwright_job_step_seconds",
            "Time from the step before, by kind of job and step",
            self.steps.clone(),
        );
    }
}

fn kind(queue: Queue) -> (&'static str, &'static str) {
    ("kind", queue.kind())
}
