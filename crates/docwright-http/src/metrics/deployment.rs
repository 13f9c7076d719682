//! Metrics of a deployment and its updates.

use std::{path::Path, sync::Arc};

use prometheus_client::{
    metrics::{counter::Counter, family::Family, gauge::Gauge},
    registry::Registry,
};

use super::{
    AnalyticsMetrics, AssistantMetrics, Connections, Exposition, PlaygroundRequests, SiteRequests,
    exposition::Part, read::ReadGauge,
};

/// Counters of `docwright deploy`.
#[derive(Debug, Clone, Default)]
pub struct DeploymentMetrics {
    /// Requests.
    pub sites: SiteRequests,
    /// Connections.
    pub connections: Connections,
    /// Requests of the API playground.
    pub playground: PlaygroundRequests,
    /// Answers of the assistant.
    pub assistant: AssistantMetrics,
    /// Sums of readers that wait on the disk.
    pub analytics: AnalyticsMetrics,
    versions: Family<[(&'static str, String); 2], Gauge>,
    updates: Family<[(&'static str, &'static str); 1], Counter>,
    polled: Gauge,
}

/// Outcome of an attempt to apply the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Update {
    /// Another version is active now.
    Switched,
    /// A transient error.
    Retried,
    /// A permanent error until the values change.
    Failed,
    /// A poll found nothing new.
    Unchanged,
    /// A poll found an export that isn't completed yet.
    Waiting,
}

impl Update {
    const ALL: [Self; 5] =
        [Self::Switched, Self::Retried, Self::Failed, Self::Unchanged, Self::Waiting];

    const fn name(self) -> &'static str {
        match self {
            Self::Switched => "switched",
            Self::Retried => "retried",
            Self::Failed => "failed",
            Self::Unchanged => "unchanged",
            Self::Waiting => "waiting",
        }
    }
}

impl DeploymentMetrics {
    /// Counts a finished attempt to apply the values.
    pub fn updated(&self, update: Update) {
        self.updates.get_or_create(&[("outcome", update.name())]).inc();
    }

    /// Records the time of a successful poll, in milliseconds since 1970.
    pub fn polled(&self, now: i64) {
        self.polled.set(now / 1000);
    }

    /// Sets the active version, instead of any other.
    pub fn serves(&self, version: String, sha256: String) {
        self.versions.clear();
        self.versions.get_or_create(&[("version", version), ("sha256", sha256)]).set(1);
    }

    /// All metrics of a deployment, and whether it serves what the values ask for.
    pub fn exposition(
        &self,
        data: &Path,
        is_ready: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Arc<Exposition> {
        let mut exposition = Exposition::new(
            &[
                &self.sites,
                &self.connections,
                &self.playground,
                &self.assistant,
                &self.analytics,
                self,
            ],
            None,
            data,
        );
        exposition.registry().register(
            "docwright_deployment_ready",
            "1 if the active version is the one in the values",
            ReadGauge(move || is_ready().into()),
        );
        Arc::new(exposition)
    }
}

impl Part for DeploymentMetrics {
    fn register(&self, registry: &mut Registry) {
        for update in Update::ALL {
            drop(self.updates.get_or_create(&[("outcome", update.name())]));
        }
        registry.register(
            "docwright_deployment_version",
            "1 for the active version, by its label and the SHA-256 of its bundle",
            self.versions.clone(),
        );
        registry.register(
            "docwright_deployment_updates",
            "Attempts to apply the values, by outcome",
            self.updates.clone(),
        );
        registry.register(
            "docwright_deployment_polled_timestamp_seconds",
            "Time of the last successful poll of the service; 0 if there was none",
            self.polled.clone(),
        );
    }
}
