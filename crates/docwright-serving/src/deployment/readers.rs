//! Counts the readers of a deployment whose bundle has web analytics. The sums are in a database of their own: a file
//! below the data folder, with the tables of a service.
//!
//! The database is open before the first version with analytics is active, so that its first reader counts. Otherwise,
//! the site never waits for it: while the database can't be opened, nothing is counted.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::Duration,
};

use docwright_http::metrics::AnalyticsMetrics;
use docwright_jobs::clock::Clock;
use docwright_storage::{Database, Keyring, StorageError, database::NewProject};
use docwright_types::{
    domain_address::DomainAddress,
    plan::Plan,
    site::Activation,
    timestamp::{HOUR, Timestamp},
};
use tokio::{
    task::JoinHandle,
    time::{sleep, timeout},
};

use super::{Deployment, versions::Version};
use crate::analytics::{Analytics, Kept};

/// Folder of the database and of what waits for it, below the data folder.
const FOLDER: &str = "analytics";
/// Folder of the key of the day below the data folder, which backups leave out.
const KEYS: &str = "cache";
/// The domain of all sums. Readers never see it: a deployment answers on every host.
const DOMAIN: &str = "localhost";
/// Name of the organization and the project that have the domain.
const OWNER: &str = "deploy";
/// Time between two checks of the active version.
const EVERY: Duration = Duration::from_millis(500);
/// Time between two attempts to open the database.
const RETRY: Duration = Duration::from_secs(10);
/// How long a version that becomes active waits for the database.
const PATIENCE: Duration = Duration::from_secs(5);

/// The readers of a deployment. Clones count together.
#[derive(Debug, Clone)]
pub struct Readers {
    data: PathBuf,
    clock: Clock,
    metrics: AnalyticsMetrics,
    counted: Arc<OnceLock<CountedReaders>>,
    /// Held while the database is opened, so that it is opened once.
    opening: Arc<tokio::sync::Mutex<()>>,
}

/// What counts readers once the database is open.
#[derive(Debug)]
pub struct CountedReaders {
    /// The database of the sums.
    pub database: Database,
    /// The project that has them.
    pub project_id: String,
    /// The folder of the database.
    pub folder: PathBuf,
    analytics: Arc<Analytics>,
    writer: JoinHandle<()>,
}

impl Readers {
    /// Counts no readers yet.
    pub(super) fn new(data: &Path, metrics: AnalyticsMetrics) -> Self {
        let (clock, counted, opening) = (Clock::default(), Arc::default(), Arc::default());
        Self { data: data.to_owned(), clock, metrics, counted, opening }
    }

    /// What counts readers; `None` before the first version with analytics.
    pub fn counted(&self) -> Option<&CountedReaders> {
        self.counted.get()
    }

    /// What takes counts, and the domain of the sums.
    pub(super) fn analytics(&self) -> Option<(&Analytics, &'static str)> {
        self.counted().map(|counted| (&*counted.analytics, DOMAIN))
    }

    /// Opens the database before a version with analytics becomes active. After a time, the version doesn't wait any
    /// longer: it is served, and its readers count once the database is open.
    pub(super) async fn prepare(&self, version: &Version) {
        if self.counted().is_some() || !has_analytics(version) {
            return;
        }
        let readers = self.clone();
        // A task of its own, so that the end of the wait interrupts no migration.
        let opening = tokio::spawn(async move { readers.open().await });
        if timeout(PATIENCE, opening).await.is_err() {
            tracing::warn!("database of analytics not opened yet; readers don't count until then");
        }
    }

    /// Opens the database if it wasn't open when its first version became active, and removes old sums.
    pub(super) async fn run(&self, deployment: &Deployment) -> ! {
        let counted = loop {
            let is_wanted = deployment.active().as_ref().is_some_and(has_analytics);
            let wait = if is_wanted { self.open().await } else { EVERY };
            if let Some(counted) = self.counted() {
                break counted;
            }
            sleep(wait).await;
        };
        loop {
            if let Err(error) = clean(&counted.database, self.clock.now()).await {
                tracing::warn!(%error, "old analytics not removed; retrying");
            }
            sleep(Duration::from_millis(HOUR.unsigned_abs())).await;
        }
    }

    /// Opens the database, unless it is open. Returns the time to wait for the next attempt.
    async fn open(&self) -> Duration {
        let _turn = self.opening.lock().await;
        if self.counted().is_some() {
            return EVERY;
        }
        match self.opened().await {
            Ok(counted) => {
                drop(self.counted.set(counted));
                EVERY
            }
            Err(error) => {
                tracing::warn!(%error, "database of analytics not opened; readers don't count; retrying");
                RETRY
            }
        }
    }

    async fn opened(&self) -> Result<CountedReaders, StorageError> {
        let folder = self.data.join(FOLDER);
        let database = Database::open_folder(&folder).await?;
        let project_id = project_of(&database, self.clock.now()).await?;
        let keys = (Keyring::of_process()?, Some(self.data.join(KEYS)));
        let (spool, metrics) = (folder.join("spool"), self.metrics.clone());
        let kept = Kept { spool, objects: None, metrics };
        let analytics = Analytics::new(database.clone(), keys, self.clock.clone(), kept);
        // The key of the day, so that the first visitor counts.
        if let Err(error) = analytics.write().await {
            tracing::warn!(%error, "analytics not written; retrying");
        }
        let writer = tokio::spawn(Arc::clone(&analytics).run());
        Ok(CountedReaders { database, project_id, folder, analytics, writer })
    }

    /// Writes what was counted within a time, and ends. Readers must not be served any more.
    pub async fn finish(&self, patience: Duration) {
        let Some(counted) = self.counted() else { return };
        counted.writer.abort();
        if !counted.analytics.finish(patience).await {
            tracing::warn!("analytics of the last seconds not written");
        }
        counted.database.close().await;
    }
}

/// Whether the pages of a version count their readers on the server of the site.
fn has_analytics(version: &Version) -> bool {
    version.site.about().analytics
}

/// The project of the sums. It is created before the first one; an interruption before that changes nothing.
async fn project_of(database: &Database, now: Timestamp) -> Result<String, StorageError> {
    let domain =
        DomainAddress::parse(DOMAIN).map_err(|error| StorageError::Value(error.to_string()))?;
    if let Some(project) = database.project_of_domain(&domain).await? {
        return Ok(project.id);
    }
    let organization = match database.organizations().await?.pop() {
        Some(organization) => organization,
        None => database.create_organization(OWNER, Plan::Free, now).await?,
    };
    let project = NewProject {
        organization_id: &organization.id,
        name: OWNER,
        repository: "",
        docs_path: "",
        model: None,
        activation: Activation::Manual,
    };
    let project = match database.projects().await?.pop() {
        Some(project) => project,
        None => database.create_project(project, now).await?,
    };
    database.add_domain(&domain, &project.id, None, now).await?;
    Ok(project.id)
}

async fn clean(database: &Database, now: Timestamp) -> Result<(), StorageError> {
    database.remove_old_analytics(now).await?;
    database.reduce_sketches(now).await?;
    Ok(())
}
