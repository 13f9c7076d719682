//! The first flow: repository → content → site → bundle → storage → release.

mod again;
mod base;
mod begin;
mod build;
mod check_out;
mod growing;
mod options;
mod questions;
mod store;
mod unknown_paths;

use std::{path::PathBuf, sync::Arc};

use docwright_site::embedding::Embedder;
use docwright_storage::{
    Database, Objects,
    database::{Project, Queue},
};
use docwright_types::{counted::bytes, preview::Preview, release::Release, site::Site};
use futures::future::BoxFuture;

use crate::{
    child::Launcher,
    clock::Clock,
    lost_bundles::LostBundles,
    queue::{HeldLease, Job, JobError, Step},
    remote_specs::RemoteSpecs,
    repositories::Repositories,
};
use growing::Growing;
use options::Options;
pub use unknown_paths::unknown_paths;

/// Resources of releases.
#[derive(Debug)]
pub struct Publisher {
    /// The database.
    pub database: Database,
    /// Storage of bundles.
    pub objects: Objects,
    /// Access to repositories.
    pub repositories: Repositories,
    /// Starts the child processes that build.
    pub launcher: Launcher,
    /// Folder for work in progress.
    pub scratch: PathBuf,
    /// Fetches API specs and fonts on other hosts; `None` if they can't be fetched.
    pub remote_specs: Option<RemoteSpecs>,
    /// Embeds sections of sites with the assistant; `None` if nothing does.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// The time.
    pub clock: Clock,
    /// Rebuilds bundles whose objects are gone.
    pub lost_bundles: LostBundles,
}

impl Job for Publisher {
    const QUEUE: Queue = Queue::Releases;

    fn run<'a>(&'a self, held: &'a HeldLease) -> BoxFuture<'a, Result<(), JobError>> {
        Box::pin(async move {
            let published = publish(self, held).await;
            if matches!(published, Err(JobError::Lost)) {
                store::remove_lost(self, held).await?;
            }
            published
        })
    }
}

/// Builds a release and makes it ready; activates it if its head is the newest.
async fn publish(publisher: &Publisher, held: &HeldLease) -> Result<(), JobError> {
    let mut wanted = PublishTarget::of(publisher, held).await?;
    log(publisher, held, &started(&wanted.release, held.lease().number)).await?;
    let files = if wanted.release.bundle_lost_at.is_some() {
        again::begin_again(publisher, held, &wanted).await?
    } else {
        wanted.require_storage(&publisher.database).await?;
        let Some(files) = begin::begin(publisher, held, &mut wanted).await? else { return Ok(()) };
        files
    };
    held.reached(Step::BuildDecision);
    base::record_base(publisher, held, &wanted, &files).await?;
    let (growing, bundle) = Growing::create(&publisher.scratch)?;
    let (site, stored) = tokio::try_join!(
        build::build(publisher, held, &wanted, &files, &growing),
        store::store(publisher, held, bundle, &files),
    )?;
    held.reached(Step::Stored);
    log(publisher, held, &format!("stored: {}", bytes(stored.size))).await?;
    store::complete(publisher, held, (&wanted.release, &site), &stored).await?;
    growing.remove_later();
    Ok(())
}

/// The first step of a claim.
fn started(release: &Release, claim: i64) -> String {
    let again = if claim > 1 { format!(" again, claim {claim}") } else { String::new() };
    let anew = if release.without_cache { ", without results of earlier builds" } else { "" };
    format!("started{again}{anew}")
}

/// Adds a step to the log of the release.
async fn log(publisher: &Publisher, held: &HeldLease, step: &str) -> Result<(), JobError> {
    let now = publisher.clock.now();
    let is_held = publisher.database.log_step(held.lease(), step, now).await?;
    if is_held { Ok(()) } else { Err(JobError::Lost) }
}

/// Source of a release.
struct PublishTarget {
    release: Release,
    site: Site,
    /// The preview of the site, if it has one.
    preview: Option<Preview>,
    project: Project,
    options: Options,
}

impl PublishTarget {
    /// Fails if the organization has no storage left. Releases of pushes and pull requests were not refused
    /// earlier.
    async fn require_storage(&self, database: &Database) -> Result<(), JobError> {
        database.require_storage(&self.project.id).await?;
        if self.preview.is_some() {
            database.require_preview_storage(&self.project.id).await?;
        }
        Ok(())
    }

    /// Fetches API specs on other hosts, if that is allowed.
    fn remote_specs<'a>(&self, publisher: &'a Publisher) -> Option<&'a RemoteSpecs> {
        publisher.remote_specs.as_ref().filter(|_| self.options.remote_specs)
    }

    async fn of(publisher: &Publisher, held: &HeldLease) -> Result<Self, JobError> {
        let database = &publisher.database;
        let gone = |what: &str| JobError::Permanent(format!("the {what} is gone"));
        let release = database.release(held.id()).await?.ok_or_else(|| gone("release"))?;
        let site = database.site(&release.site_id).await?.ok_or_else(|| gone("site"))?;
        let project = database.project(&release.project_id).await?;
        let preview = database.preview_of_site(&site.id).await?;
        let project = project.ok_or_else(|| gone("project"))?;
        let features = match release.features.clone() {
            Some(features) => features,
            None => database.cloud_features(&project.id).await?,
        };
        let of = (preview.as_ref(), features);
        let options = Options::new(publisher, (&site, &project), &release, of);
        let options = match release.bundle_lost_at {
            Some(_) => options.recorded_in(database.options_of(&release.id).await?.as_deref()),
            None => options,
        };
        Ok(Self { release, site, preview, project, options })
    }
}
