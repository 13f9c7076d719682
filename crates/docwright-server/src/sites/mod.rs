//! Sites, served straight out of their bundles.
//!
//! What a domain serves is known in memory, and so are the sites that were asked for lately, with
//! contents of theirs. A request asks no database, and most read nothing from a disk.

mod cache;
mod domains;
mod feedback;
mod follow;
mod open_sites;
mod previews;
mod readers;

use std::{path::PathBuf, sync::Arc, time::Duration};

use axum::{
    extract::Request,
    http::Method,
    response::{IntoResponse, Response},
};
use docwright_domain::export_job::StoredBundle;
use docwright_flows::clock::Clock;
use docwright_storage::{Database, Objects, database::Serving};
use tokio::{sync::watch, time::timeout};

use crate::{
    error::ApiError,
    metrics::BundleCacheMetrics,
    serving::{Offers, OpenSite, answer},
};
use cache::BundleCache;
use domains::Domains;
use open_sites::OpenSites;
use previews::Previews;
use readers::Readers;

pub(crate) use domains::Hosted;

/// How long a request waits for a bundle to be copied from another host.
const PATIENCE: Duration = Duration::from_secs(10);

/// The sites of all domains.
#[derive(Debug)]
pub(crate) struct Sites {
    database: Database,
    clock: Clock,
    domains: Domains,
    previews: Previews,
    open: Arc<OpenSites>,
    readers: Readers,
    /// Changes that this process made, and those of them that show here.
    made: watch::Receiver<u64>,
    shown: watch::Sender<u64>,
}

impl Sites {
    /// The sites of a database. Bundles are copied to a folder where they have to be, which may take
    /// so many bytes.
    pub(crate) fn new(
        database: Database,
        objects: Objects,
        clock: Clock,
        (folder, room): (PathBuf, u64),
        metrics: BundleCacheMetrics,
    ) -> anyhow::Result<Self> {
        let cache = BundleCache::open(folder, room, objects, metrics.clone())?;
        let made = database.own_serving_changes();
        let (domains, previews) = (Domains::default(), Previews::default());
        let open = Arc::new(OpenSites::new(cache, metrics));
        let (readers, shown) = (Readers::default(), watch::channel(0).0);
        Ok(Self { database, clock, domains, previews, open, readers, made, shown })
    }

    /// What a host serves. The name is in lower case.
    pub(crate) fn of_host(&self, host: &str) -> Hosted {
        self.domains.get(host)
    }

    /// The names of all domains, and hosts of previews.
    pub(crate) fn domains(&self) -> Vec<String> {
        self.domains.names()
    }

    /// Answers a request from the release that a domain serves. All of the answer is of that one.
    pub(crate) async fn answer(&self, serving: &Serving, request: Request) -> Response {
        let site = match self.open_site(&serving.bundle).await {
            Ok(site) => site,
            Err(error) => return error.into_response(),
        };
        if request.uri().path() == feedback::PATH && request.method() == Method::POST {
            let (kept, now) = ((&self.database, &self.readers), self.clock.now());
            let taken = feedback::take(kept, (&serving.domain, &site), request, now).await;
            return taken.into_response();
        }
        answer(&site, request, Offers::WITH_FEEDBACK).await
    }

    /// The site of a bundle. It is opened first if need be, which a request waits for as long as is
    /// reasonable.
    async fn open_site(&self, bundle: &StoredBundle) -> Result<Arc<OpenSite>, ApiError> {
        if let Some(site) = self.open.get(bundle) {
            return Ok(site);
        }
        match timeout(PATIENCE, self.open.open(bundle)).await {
            Ok(opened) => opened.map_err(|error| ApiError::Unavailable(format!("{error:#}"))),
            Err(_) => {
                let cause = "copying the bundle takes long; it goes on".to_owned();
                Err(ApiError::Unavailable(cause))
            }
        }
    }
}
