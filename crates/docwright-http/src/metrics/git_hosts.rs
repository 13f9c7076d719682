//! What comes from git hosts, and what is reported to them.

use docwright_jobs::{poll::PollOutcome, report::ReportOutcome};
use prometheus_client::{
    metrics::{counter::Counter, family::Family},
    registry::Registry,
};

use super::exposition::Part;

type Labels = [(&'static str, &'static str); 1];

/// Polls repositories, by outcome.
#[derive(Debug, Clone, Default)]
pub struct Polls(Family<Labels, Counter>);

impl Polls {
    /// A repository was polled.
    pub fn polled(&self, outcome: PollOutcome) {
        self.0.get_or_create(&[("outcome", outcome.name())]).inc();
    }
}

impl Part for Polls {
    fn register(&self, registry: &mut Registry) {
        for outcome in PollOutcome::ALL {
            drop(self.0.get_or_create(&[("outcome", outcome.name())]));
        }
        registry.register(
            "docwright_polls",
            "Polls of repositories, by outcome: a branch has a new head, all heads are the same, or the repository could not be read",
            self.0.clone(),
        );
    }
}

/// What became of a request to the address of a project's webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookOutcome {
    /// The repository will be polled.
    Accepted,
    /// It had come before.
    Known,
    /// Its signature is missing or wrong, or there is no such project.
    Refused,
    /// Its client had been refused too often, or too many came at once.
    Limited,
}

impl WebhookOutcome {
    const ALL: [Self; 4] = [Self::Accepted, Self::Known, Self::Refused, Self::Limited];

    const fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Known => "known",
            Self::Refused => "refused",
            Self::Limited => "limited",
        }
    }
}

/// Webhooks that came, by outcome.
#[derive(Debug, Clone, Default)]
pub struct Webhooks(Family<Labels, Counter>);

impl Webhooks {
    /// A webhook came.
    pub fn came(&self, outcome: WebhookOutcome) {
        self.0.get_or_create(&[("outcome", outcome.name())]).inc();
    }
}

impl Part for Webhooks {
    fn register(&self, registry: &mut Registry) {
        for outcome in WebhookOutcome::ALL {
            drop(self.0.get_or_create(&[("outcome", outcome.name())]));
        }
        registry.register(
            "docwright_webhooks",
            "Webhooks that git hosts sent, by outcome",
            self.0.clone(),
        );
    }
}

/// Reports to git hosts, by outcome.
#[derive(Debug, Clone, Default)]
pub struct Reports(Family<Labels, Counter>);

impl Reports {
    /// A release was to be reported to its host.
    pub fn reported(&self, outcome: ReportOutcome) {
        self.0.get_or_create(&[("outcome", outcome.name())]).inc();
    }
}

impl Part for Reports {
    fn register(&self, registry: &mut Registry) {
        for outcome in ReportOutcome::ALL {
            drop(self.0.get_or_create(&[("outcome", outcome.name())]));
        }
        registry.register(
            "docwright_reports",
            "Reports of releases to git hosts, by outcome: reported, same (nothing new), delayed, or failed",
            self.0.clone(),
        );
    }
}
