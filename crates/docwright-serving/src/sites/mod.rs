//! Sites, served straight from their bundles.
//!
//! The active releases of domains are in memory, as are recently requested sites with some of their contents. A
//! request reads no database, and most read nothing from a disk.

mod cache;
mod discovery;
mod domains;
mod drafts;
mod follow;
mod open_sites;
mod own_changes;
mod previews;

use std::{path::PathBuf, sync::Arc, time::Duration};

use axum::{
    extract::Request,
    http::Method,
    response::{IntoResponse, Response},
};
use docwright_http::{error::ApiError, metrics::BundleCacheMetrics};
use docwright_jobs::{clock::Clock, lost_bundles::LostBundles};
use docwright_operations::{OperationError, ownership};
use docwright_storage::{Database, ObjectError, Objects, database::Serving};
use docwright_types::{domain_address::base_of, export_job::StoredBundle};
use tokio::time::timeout;

use crate::{
    analytics::{Analytics, CountedSite, REPORT_PATH, Visit},
    assistant::SiteAssistant,
    feedback::{self, SiteFeedback},
    requests::RequestProxy,
    site::{Mount, OpenSite, answer, below},
};
use cache::BundleCache;
use domains::Domains;
use open_sites::OpenSites;
use own_changes::OwnChanges;
use previews::Previews;

pub use domains::Hosted;
pub use drafts::Drafts;
pub use previews::Access;

/// How long a request waits for a bundle to be copied from another host.
const PATIENCE: Duration = Duration::from_secs(10);

/// The sites of all domains.
#[derive(Debug)]
pub struct Sites {
    database: Database,
    lost_bundles: LostBundles,
    clock: Clock,
    domains: Domains,
    previews: Previews,
    drafts: Drafts,
    access: Access,
    open: Arc<OpenSites>,
    feedback: SiteFeedback,
    proxy: RequestProxy,
    assistant: SiteAssistant,
    analytics: Arc<Analytics>,
    own_changes: OwnChanges,
}

impl Sites {
    /// The sites of a database. Bundles are copied to a folder if needed, up to a number of bytes. `access`
    /// decides who can see previews, `proxy` sends requests of API pages, `assistant` answers questions, and
    /// `analytics` counts readers.
    pub fn new(
        (database, objects, lost_bundles): (Database, Objects, LostBundles),
        clock: Clock,
        (folder, room): (PathBuf, u64),
        metrics: BundleCacheMetrics,
        (access, drafts, proxy, assistant, analytics): (
            Access,
            Drafts,
            RequestProxy,
            SiteAssistant,
            Arc<Analytics>,
        ),
    ) -> anyhow::Result<Self> {
        let cache = BundleCache::open(folder, room, objects, metrics.clone())?;
        let own_changes = OwnChanges::new(database.own_serving_changes());
        let (domains, previews) = (Domains::default(), Previews::default());
        let open = Arc::new(OpenSites::new(cache, metrics));
        let feedback = SiteFeedback::new(database.clone(), clock.clone());
        Ok(Self {
            database,
            lost_bundles,
            clock,
            domains,
            previews,
            drafts,
            access,
            open,
            feedback,
            proxy,
            assistant,
            analytics,
            own_changes,
        })
    }

    /// The site of a host and path. The host is in lower case.
    pub fn at(&self, host: &str, path: &str) -> Hosted {
        self.domains.get(host, path)
    }

    /// The release that a domain serves.
    pub fn serving(&self, domain: &str) -> Option<Arc<Serving>> {
        self.domains.serving(domain)
    }

    /// The name of the domain that a request for a proof is for: see [`docwright_operations::ownership::Leads`].
    pub fn proven_domain(&self, host: &str, path: &str) -> Option<String> {
        let base = path.strip_suffix(ownership::PATH)?;
        let name = format!("{host}{base}");
        self.domains.has(&name).then_some(name)
    }

    /// The names of all domains, and hosts of previews.
    pub fn domains(&self) -> Vec<String> {
        self.domains.names()
    }

    /// Answers a request from the active release of a domain. The whole answer comes from that release. This many
    /// bytes of the path are the base path of the domain; the site does not see them.
    pub async fn answer(&self, serving: &Serving, base: usize, request: Request) -> Response {
        let mount = Mount {
            base: base_of(&serving.domain),
            feedback: Some((&self.feedback, &serving.domain)),
            takes_reports: true,
            proxy: Some((&self.proxy, &serving.domain)),
            assistant: Some((&self.assistant, &serving.domain)),
            changes: None,
        };
        let request = match below(request, base, mount.base) {
            Ok(request) => request,
            Err(response) => return response,
        };
        let site = match self.open_site(&serving.bundle).await {
            Ok(site) => site,
            Err(error) => return error.into_response(),
        };
        if request.uri().path() == feedback::PATH && request.method() == Method::POST {
            let taken = self.feedback.take((&serving.domain, &site), request).await;
            return taken.into_response();
        }
        let (domain, address) = (&*serving.domain, &*serving.domain);
        let counted = CountedSite { domain, address, site: &site };
        if request.uri().path() == REPORT_PATH && request.method() == Method::POST {
            let taken = self.analytics.take_report(counted, request).await;
            return taken.into_response();
        }
        let visit = site.about().analytics.then(|| Visit::of(&request)).flatten();
        let response = answer(&site, request, mount).await;
        if let Some(visit) = visit {
            self.analytics.count(counted, &visit, &response);
        }
        response
    }

    /// Requests a check of a bundle that could not be opened because the store doesn't have it.
    fn notice(&self, bundle: &StoredBundle, error: &anyhow::Error) {
        if let Some(ObjectError::Missing(_)) = error.downcast_ref() {
            self.lost_bundles.notice(&bundle.key);
        }
    }

    /// The site of a bundle. It is opened first if needed, for which a request waits a limited time.
    async fn open_site(&self, bundle: &StoredBundle) -> Result<Arc<OpenSite>, ApiError> {
        Ok(self.open_release(bundle).await?)
    }

    async fn open_release(&self, bundle: &StoredBundle) -> Result<Arc<OpenSite>, OperationError> {
        if let Some(site) = self.open.get(bundle) {
            return Ok(site);
        }
        if let Ok(opened) = timeout(PATIENCE, self.open.open(bundle)).await {
            opened.map_err(|error| {
                self.notice(bundle, &error);
                OperationError::Unavailable(format!("{error:#}"))
            })
        } else {
            let cause = "the bundle is still being copied".to_owned();
            Err(OperationError::Unavailable(cause))
        }
    }
}
