//! Metrics of sent notifications.

use docwright_jobs::notify::Attempt;
use prometheus_client::{
    metrics::{counter::Counter, family::Family},
    registry::Registry,
};

use super::exposition::Part;

/// Attempts to send notifications, by outcome.
#[derive(Debug, Clone, Default)]
pub struct Notifications(Family<[(&'static str, &'static str); 1], Counter>);

impl Notifications {
    /// Counts an attempt to send a notification.
    pub fn attempted(&self, attempt: Attempt) {
        self.0.get_or_create(&[("outcome", name(attempt))]).inc();
    }
}

const fn name(attempt: Attempt) -> &'static str {
    match attempt {
        Attempt::Delivered => "delivered",
        Attempt::Retried => "retried",
        Attempt::Failed => "failed",
    }
}

impl Part for Notifications {
    fn register(&self, registry: &mut Registry) {
        for attempt in [Attempt::Delivered, Attempt::Retried, Attempt::Failed] {
            drop(self.0.get_or_create(&[("outcome", name(attempt))]));
        }
        registry.register(
            "docwright_notifications",
            "Attempts of this process to send a notification, by outcome",
            self.0.clone(),
        );
    }
}
