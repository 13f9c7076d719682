//! Metrics about the process, for monitoring: counters that are updated where events happen, and gauges that are
//! read on request. Each part is shared with the code that updates it; [`Exposition`] writes all of them.
//!
//! Counting costs a few atomic additions. Nothing here waits for the database or a disk longer than a moment:
//! values that can't be read are left out.

mod analytics;
mod assistant;
mod bundle_cache;
mod certificates;
mod connections;
mod deployment;
mod disk;
mod exposition;
mod git_hosts;
mod jobs;
mod notifications;
mod playground;
mod process;
mod queues;
mod read;
mod requests;
mod seconds;
mod sign_ins;

use std::{path::Path, sync::Arc};

pub use analytics::{AnalyticsMetrics, WaitingAnalytics};
pub use assistant::{AnswerOutcome, AssistantMetrics};
pub use bundle_cache::BundleCacheMetrics;
pub use certificates::CertificateMetrics;
pub use connections::{Connections, Refusal};
pub use deployment::{DeploymentMetrics, Update};
pub use exposition::{Exposition, router};
pub use git_hosts::{Polls, Reports, WebhookOutcome, Webhooks};
pub use jobs::Jobs;
pub use notifications::Notifications;
pub use playground::{PlaygroundOutcome, PlaygroundRequests};
pub use queues::Queues;
pub use requests::{Requests, SiteRequests};
pub use sign_ins::SignIns;

use exposition::Part;

/// Counters of `docwright serve`.
#[derive(Debug, Clone, Default)]
pub struct ServiceMetrics {
    /// Requests to the service itself.
    pub requests: Requests,
    /// Requests to sites.
    pub sites: SiteRequests,
    /// Connections.
    pub connections: Connections,
    /// Refused sign-ins.
    pub sign_ins: SignIns,
    /// Jobs of this process.
    pub jobs: Jobs,
    /// Polls of repositories.
    pub polls: Polls,
    /// Reports to git hosts.
    pub reports: Reports,
    /// Webhooks of git hosts.
    pub webhooks: Webhooks,
    /// Sent notifications.
    pub notifications: Notifications,
    /// Copies of bundles, and open sites.
    pub bundles: BundleCacheMetrics,
    /// Requests of the API playground.
    pub playground: PlaygroundRequests,
    /// Answers of the assistant.
    pub assistant: AssistantMetrics,
    /// Web analytics on the disk.
    pub analytics: AnalyticsMetrics,
    /// Certificates.
    pub certificates: CertificateMetrics,
}

impl ServiceMetrics {
    /// All metrics of a service.
    pub fn exposition(&self, queues: Queues, data: &Path) -> Arc<Exposition> {
        let parts: &[&dyn Part] = &[
            &self.requests,
            &self.sites,
            &self.connections,
            &self.sign_ins,
            &self.jobs,
            &self.polls,
            &self.webhooks,
            &self.reports,
            &self.notifications,
            &self.bundles,
            &self.playground,
            &self.assistant,
            &self.analytics,
            &self.certificates,
        ];
        Arc::new(Exposition::new(parts, Some(queues), data))
    }
}
