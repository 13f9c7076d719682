//! Metrics of web analytics that wait on the disk of a process.

use prometheus_client::{
    metrics::{counter::Counter, family::Family, gauge::Gauge},
    registry::{Registry, Unit},
};

use super::exposition::Part;

/// What waits on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitingAnalytics {
    /// Sums that wait for the database.
    Sums,
    /// Events that wait for object storage.
    Events,
}

impl WaitingAnalytics {
    const ALL: [Self; 2] = [Self::Sums, Self::Events];

    const fn label(self) -> [(&'static str, &'static str); 1] {
        match self {
            Self::Sums => [("kind", "sums")],
            Self::Events => [("kind", "events")],
        }
    }
}

/// Bytes of waiting and of dropped analytics.
#[derive(Debug, Clone, Default)]
pub struct AnalyticsMetrics {
    waiting: Family<[(&'static str, &'static str); 1], Gauge>,
    dropped: Family<[(&'static str, &'static str); 1], Counter>,
}

impl AnalyticsMetrics {
    /// Records how many bytes wait.
    pub fn waits(&self, what: WaitingAnalytics, bytes: u64) {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        self.waiting.get_or_create(&what.label()).set(bytes);
    }

    /// Counts bytes that were dropped because too many waited.
    pub fn dropped(&self, what: WaitingAnalytics, bytes: u64) {
        self.dropped.get_or_create(&what.label()).inc_by(bytes);
    }
}

impl Part for AnalyticsMetrics {
    fn register(&self, registry: &mut Registry) {
        for what in WaitingAnalytics::ALL {
            drop(self.waiting.get_or_create(&what.label()));
            drop(self.dropped.get_or_create(&what.label()));
        }
        registry.register_with_unit(
            "docwright_analytics_waiting",
            "Analytics that wait on the disk",
            Unit::Bytes,
            self.waiting.clone(),
        );
        registry.register_with_unit(
            "docwright_analytics_dropped",
            "Analytics that were dropped because too many waited",
            Unit::Bytes,
            self.dropped.clone(),
        );
    }
}
