//! Numbers about the process, for monitoring: what is counted where it happens, and what is read when
//! someone asks. Each part is given to who counts with it; [`Exposition`] writes all of them.
//!
//! Counting is a few atomic additions. Nothing here waits for the database or a disk longer than a
//! moment: what can't be read is left out of the answer.

mod bundle_cache;
mod certificates;
mod connections;
mod deployment;
mod disk;
mod exposition;
mod git_hosts;
mod jobs;
mod notifications;
mod process;
mod queues;
mod read;
mod requests;
mod seconds;
mod sign_ins;

use std::{path::Path, sync::Arc};

pub use bundle_cache::BundleCacheMetrics;
pub use certificates::CertificateMetrics;
pub use connections::{Connections, Refusal};
pub use deployment::{DeploymentMetrics, Update};
pub use exposition::{Exposition, router};
pub use git_hosts::{Polls, Reports, WebhookOutcome, Webhooks};
pub use jobs::Jobs;
pub use notifications::Notifications;
pub use queues::Queues;
pub use requests::{Requests, SiteRequests};
pub use sign_ins::SignIns;

use exposition::Part;

/// What `docwright serve` counts.
#[derive(Debug, Clone, Default)]
pub struct ServiceMetrics {
    /// Requests to the service itself.
    pub requests: Requests,
    /// Requests to sites.
    pub sites: SiteRequests,
    /// Connections.
    pub connections: Connections,
    /// Keys that were refused.
    pub sign_ins: SignIns,
    /// Jobs of this process.
    pub jobs: Jobs,
    /// Polls repositories.
    pub polls: Polls,
    /// Reports to git hosts.
    pub reports: Reports,
    /// Webhooks of git hosts.
    pub webhooks: Webhooks,
    /// Notifications that were sent.
    pub notifications: Notifications,
    /// Copies of bundles, and open sites.
    pub bundles: BundleCacheMetrics,
    /// Certificates that are kept up.
    pub certificates: CertificateMetrics,
}

impl ServiceMetrics {
    /// Everything that a service tells of itself.
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
            &self.certificates,
        ];
        Arc::new(Exposition::new(parts, Some(queues), data))
    }
}
