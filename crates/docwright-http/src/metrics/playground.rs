//! Metrics of the requests that are sent for readers of API pages.

use prometheus_client::{
    metrics::{counter::Counter, family::Family},
    registry::Registry,
};

use super::exposition::Part;

/// Outcome of a request of the playground.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaygroundOutcome {
    /// The API responded, with any status.
    Sent,
    /// It is malformed, comes from another site, or names a host that isn't allowed.
    Refused,
    /// The reader or the site reached a limit.
    Limited,
    /// The API didn't respond in time, or responded with too much.
    Failed,
}

impl PlaygroundOutcome {
    const ALL: [Self; 4] = [Self::Sent, Self::Refused, Self::Limited, Self::Failed];

    const fn name(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Refused => "refused",
            Self::Limited => "limited",
            Self::Failed => "failed",
        }
    }
}

/// Requests of the playground, by outcome. They are one family: a label for each host would be too many.
#[derive(Debug, Clone, Default)]
pub struct PlaygroundRequests(Family<[(&'static str, &'static str); 1], Counter>);

impl PlaygroundRequests {
    /// Counts a request.
    pub fn ended(&self, outcome: PlaygroundOutcome) {
        self.0.get_or_create(&[("outcome", outcome.name())]).inc();
    }
}

impl Part for PlaygroundRequests {
    fn register(&self, registry: &mut Registry) {
        for outcome in PlaygroundOutcome::ALL {
            drop(self.0.get_or_create(&[("outcome", outcome.name())]));
        }
        registry.register(
            "docwright_playground_requests",
            "Requests of the API playground that this process sent or refused to send, by outcome",
            self.0.clone(),
        );
    }
}
