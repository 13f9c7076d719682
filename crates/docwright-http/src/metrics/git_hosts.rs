//! Metrics of requests from git hosts and of reports to them.

use docwright_jobs::{poll::PollOutcome, report::ReportOutcome};
use prometheus_client::{
    metrics::{counter::Counter, family::Family},
    registry::Registry,
};

use super::exposition::Part;

type Labels = [(&'static str, &'static str); 1];

/// Polls of repositories, by outcome.
#[derive(Debug, Clone, Default)]
pub struct Polls(Family<Labels, Counter>);

impl Polls {
    /// Counts a poll of a repository.
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

/// Outcome of a request to the address of a project's webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookOutcome {
    /// The repository will be polled.
    Accepted,
    /// It was received before.
    Known,
    /// Its signature is missing or wrong, or there is no such project.
    Refused,
    /// Its client was refused too often, or too many arrived at once.
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

/// Received webhooks, by outcome.
#[derive(Debug, Clone, Default)]
pub struct Webhooks(Family<Labels, Counter>);

impl Webhooks {
    /// Counts a webhook.
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
            "Webhooks of git hosts, by outcome",
            self.0.clone(),
        );
    }
}

/// Reports to git hosts, by outcome.
#[derive(Debug, Clone, Default)]
pub struct Reports(Family<Labels, Counter>);

impl Reports {
    /// Counts a report of a release to its host.
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
