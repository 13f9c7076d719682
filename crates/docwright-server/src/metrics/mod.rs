//! Numbers about the process, for monitoring: what is counted where it happens, and what is read when
//! somebody asks. Each part is given to who counts with it; [`Exposition`] writes all of them.
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

pub(crate) use bundle_cache::BundleCacheMetrics;
pub(crate) use certificates::CertificateMetrics;
pub(crate) use connections::{Connections, Refusal};
pub(crate) use deployment::{DeploymentMetrics, Update};
pub(crate) use exposition::{Exposition, router};
pub(crate) use git_hosts::{Polls, Reports, WebhookOutcome, Webhooks};
pub(crate) use jobs::Jobs;
pub(crate) use notifications::Notifications;
pub(crate) use queues::Queues;
pub(crate) use requests::{Requests, SiteRequests};
pub(crate) use sign_ins::SignIns;

use exposition::Part;

/// What `docwright serve` counts.
#[derive(Debug, Clone, Default)]
pub(crate) struct ServiceMetrics {
    /// Requests to the service itself.
    pub(crate) requests: Requests,
    /// Requests to sites.
    pub(crate) sites: SiteRequests,
    /// Connections.
    pub(crate) connections: Connections,
    /// Keys that were refused.
    pub(crate) sign_ins: SignIns,
    /// Jobs of this process.
    pub(crate) jobs: Jobs,
    /// Polls repositories.
    pub(crate) polls: Polls,
    /// Reports to git hosts.
    pub(crate) reports: Reports,
    /// Webhooks of git hosts.
    pub(crate) webhooks: Webhooks,
    /// Notifications that were sent.
    pub(crate) notifications: Notifications,
    /// Copies of bundles, and open sites.
    pub(crate) bundles: BundleCacheMetrics,
    /// Certificates that are kept up.
    pub(crate) certificates: CertificateMetrics,
}

impl ServiceMetrics {
    /// Everything that a service tells of itself.
    pub(crate) fn exposition(&self, queues: Queues, data: &Path) -> Arc<Exposition> {
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
