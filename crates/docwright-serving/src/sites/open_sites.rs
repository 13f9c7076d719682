//! The open sites: recently requested ones, within limits, so one process can serve any number of domains.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use docwright_http::metrics::BundleCacheMetrics;
use docwright_site::bundle::BundleError;
use docwright_types::export_job::StoredBundle;
use futures::{
    FutureExt,
    future::{BoxFuture, Shared},
};
use quick_cache::{Weighter, sync::Cache};

use super::cache::BundleCache;
use crate::site::{Members, OpenSite};

/// Memory for the indexes of open sites, in bytes.
const ROOM: u64 = 128 * 1024 * 1024;
/// Their expected number is so small that the cache is not divided: a part for each processor would be too small
/// for a large site's index.
const EXPECTED: usize = 32;
/// Smallest size of an open site in bytes, so at most 512 files are open.
const LEAST: u64 = ROOM / 512;

/// The reason why a site can't be opened. All waiting requests get the same error.
pub(super) type OpenError = Arc<anyhow::Error>;
type Opening = Shared<BoxFuture<'static, Result<Arc<OpenSite>, OpenError>>>;

/// The open sites of a process, by the SHA-256 of their bundles.
#[derive(Debug)]
pub(super) struct OpenSites {
    open: Cache<String, Arc<OpenSite>, Index>,
    /// Sites that are being opened, so each is copied once.
    opening: Mutex<HashMap<String, Opening>>,
    cache: BundleCache,
    members: Members,
    metrics: BundleCacheMetrics,
}

#[derive(Debug, Clone)]
struct Index;

impl Weighter<String, Arc<OpenSite>> for Index {
    fn weight(&self, _sha256: &String, site: &Arc<OpenSite>) -> u64 {
        site.weight().max(LEAST)
    }
}

impl OpenSites {
    /// No sites yet; bundles are copied to a cache if needed.
    pub(super) fn new(cache: BundleCache, metrics: BundleCacheMetrics) -> Self {
        Self {
            open: Cache::with_weighter(EXPECTED, ROOM, Index),
            opening: Mutex::default(),
            cache,
            members: Members::default(),
            metrics,
        }
    }

    /// The site of a bundle, if it is open.
    pub(super) fn get(&self, bundle: &StoredBundle) -> Option<Arc<OpenSite>> {
        self.open.get(&bundle.sha256)
    }

    /// Drops a site that is not served any more, even if it is still being opened. Current answers keep it open.
    pub(super) fn close(&self, bundle: &StoredBundle) {
        let mut opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        opening.remove(&bundle.sha256);
        self.open.remove(&bundle.sha256);
        self.count();
    }

    fn count(&self) {
        self.metrics.open_sites.set(i64::try_from(self.open.len()).unwrap_or(i64::MAX));
    }

    /// Drops a deleted site, with the copy of its bundle.
    pub(super) fn forget(self: &Arc<Self>, bundle: &StoredBundle) {
        self.close(bundle);
        let (sites, bundle) = (Arc::clone(self), bundle.clone());
        tokio::task::spawn_blocking(move || sites.cache.forget(&bundle));
    }

    /// Whether the bundle is on this machine, so opening it is fast.
    pub(super) async fn is_here(self: &Arc<Self>, bundle: &StoredBundle) -> bool {
        let (sites, bundle) = (Arc::clone(self), bundle.clone());
        let found = tokio::task::spawn_blocking(move || sites.cache.find(&bundle).is_some());
        found.await.unwrap_or_default()
    }

    /// Opens the site of a bundle, which is copied to this machine first if needed. Once started, this finishes
    /// even if no request waits.
    pub(super) async fn open(
        self: &Arc<Self>,
        bundle: &StoredBundle,
    ) -> Result<Arc<OpenSite>, OpenError> {
        if let Some(site) = self.get(bundle) {
            return Ok(site);
        }
        let opening = {
            let mut opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
            let entry = opening.entry(bundle.sha256.clone());
            entry.or_insert_with(|| self.start(bundle.clone())).clone()
        };
        opening.await
    }

    fn start(self: &Arc<Self>, bundle: StoredBundle) -> Opening {
        let sites = Arc::clone(self);
        let task = tokio::spawn(async move {
            let (own, wanted) = (Arc::clone(&sites), bundle.clone());
            // A panic must leave the list, too, or no request could try again.
            let prepared = tokio::spawn(async move { own.prepare(&wanted).await }).await;
            let opened = prepared.unwrap_or_else(|error| Err(error.into()));
            let mut opening = sites.opening.lock().unwrap_or_else(PoisonError::into_inner);
            // A site that was closed meanwhile is for the requests that wait for it.
            let is_kept = opening.remove(&bundle.sha256).is_some();
            if let Ok(site) = &opened
                && is_kept
            {
                sites.open.insert(bundle.sha256.clone(), Arc::clone(site));
                sites.count();
            }
            opened
        });
        let opened = async move {
            let opened = task.await.unwrap_or_else(|error| Err(error.into()));
            opened.map_err(Arc::new)
        };
        opened.boxed().shared()
    }

    async fn prepare(self: &Arc<Self>, bundle: &StoredBundle) -> anyhow::Result<Arc<OpenSite>> {
        let (sites, wanted) = (Arc::clone(self), bundle.clone());
        let here = tokio::task::spawn_blocking(move || sites.open_here(&wanted)).await??;
        if let Some(site) = here {
            return Ok(site);
        }
        let copy = self.cache.copy(bundle).await?;
        let (sites, wanted) = (Arc::clone(self), bundle.clone());
        let opened = tokio::task::spawn_blocking(move || {
            let path = sites.cache.take(copy, &wanted)?;
            anyhow::Ok(OpenSite::open(&path, &sites.members)?)
        });
        opened.await?
    }

    fn open_here(&self, bundle: &StoredBundle) -> anyhow::Result<Option<Arc<OpenSite>>> {
        let Some(path) = self.cache.find(bundle) else { return Ok(None) };
        Ok(Some(match OpenSite::open(&path, &self.members) {
            Err(BundleError::Invalid(_)) if self.cache.discard(&path) => {
                return self.open_here(bundle);
            }
            opened => {
                let site = opened?;
                if self.cache.has(&path) {
                    self.metrics.hits.inc();
                }
                site
            }
        }))
    }
}
