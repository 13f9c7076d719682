//! Resources of operations.

use std::{ops::Deref, path::PathBuf, sync::Arc};

use docwright_jobs::{
    child::{Launcher, Limits},
    comparer::Comparer,
    dependencies::Dependencies,
    disk::Disk,
    lost_bundles::LostBundles,
    notify::Mailer,
    propose::ModelSettings,
    queue::Wakes,
    repositories::Repositories,
};
use docwright_storage::{Database, Objects, database::Invitation};
use docwright_types::{site_origin::SiteOrigin, timestamp::Timestamp};

use crate::{
    attempts::Attempts, callers::passwords, error::OperationError, failed_sign_ins::FailedSignIns,
    model_answers::ModelAnswers, ownership::Ownership, page_lookup::PageLookup,
    repository_checks::RepositoryChecks,
};

/// Resources of operations. Cloning increments a counter.
#[derive(Debug, Clone)]
pub struct Operations(Arc<Resources>);

/// The parts of an instance that operations use. Each comment names the operations that need it.
#[derive(Debug)]
pub struct Resources {
    /// The database: every operation.
    pub database: Database,
    /// Storage of bundles: links to them, and deletions.
    pub objects: Objects,
    /// Rebuilds lost bundles: links to them, and activation of releases.
    pub lost_bundles: LostBundles,
    /// Compares two releases page by page: changes of releases.
    pub comparer: Comparer,
    /// The repositories of projects: projects, pull requests, and the pages that an export names.
    pub repositories: Repositories,
    /// Looks up pages in repositories, one request of an organization at a time: exports.
    pub page_lookup: PageLookup,
    /// Limits checks of repositories: checks of repositories.
    pub repository_checks: RepositoryChecks,
    /// Wakes workers: everything that starts a job.
    pub wakes: Wakes,
    /// The models of the instance: prompts.
    pub models: Arc<ModelSettings>,
    /// Verifies domains: domains.
    pub ownership: Arc<Ownership>,
    /// Models and the object storage, when they don't work: problems.
    pub dependencies: Arc<Dependencies>,
    /// Results of model tests: the health of the instance.
    pub model_answers: ModelAnswers,
    /// The disk of the data folder, since no job starts while it is low: everything that starts a job.
    pub disk: Disk,
    /// Origin of sites; `None` on the command line, if no service has started yet.
    pub site_origin: Option<SiteOrigin>,
    /// Public URL of the server, without a trailing slash: links.
    pub public_url: Option<String>,
    /// How long links to bundles are valid, in milliseconds.
    pub link_lifetime: i64,
    /// Sends email, if the instance can: invitations and sign-in links.
    pub mail: Option<Mail>,
    /// Records refused keys and people: callers.
    pub failed_sign_ins: Arc<FailedSignIns>,
    /// Counts wrong passwords and passkeys of late, on this node: callers.
    pub attempts: Attempts,
}

/// Sends email.
#[derive(Debug)]
pub struct Mail {
    /// Sends it.
    pub mailer: Mailer,
    /// Writes the subject and body of an invitation email, from its organization and link.
    pub invitation_text: fn(&Invitation, &str, &str) -> (String, String),
    /// Writes the subject and body of an email with a sign-in link.
    pub sign_in_text: fn(&str) -> (String, String),
}

/// The parts of an instance that the command line opens.
#[derive(Debug)]
pub struct LocalResources {
    /// Storage of bundles, if the command deletes some.
    pub objects: Objects,
    /// The database, the repositories of projects, and the clock.
    pub repositories: Repositories,
    /// Origin of sites, if a service has started yet.
    pub site_origin: Option<SiteOrigin>,
    /// The data folder.
    pub data: PathBuf,
    /// A folder for this command alone.
    pub scratch: PathBuf,
    /// This program, for child processes.
    pub program: PathBuf,
}

impl Resources {
    /// The parts of an instance on the command line. No workers run in this process, so wakes have no effect; it
    /// has no models, sends no email, and refuses no sign-ins; a running service checks the space on the disk.
    pub fn local(local: LocalResources) -> Self {
        let LocalResources { objects, repositories, site_origin, data, scratch, program } = local;
        let (database, clock) = (repositories.database.clone(), repositories.clock.clone());
        Self {
            lost_bundles: LostBundles::new(database.clone(), None, clock, Arc::default()),
            comparer: Comparer { objects: objects.clone(), scratch },
            page_lookup: PageLookup::new(Launcher::new(program, Limits::default())),
            repository_checks: RepositoryChecks::default(),
            wakes: Wakes::default(),
            dependencies: Arc::new(Dependencies::new(
                database.clone(),
                objects.clone(),
                Arc::default(),
                None,
            )),
            models: Arc::default(),
            ownership: Arc::new(Ownership::new(database.clone(), (&[], &[]), Arc::default())),
            model_answers: ModelAnswers::default(),
            disk: Disk::new(data, 0),
            site_origin,
            public_url: None,
            link_lifetime: 0,
            mail: None,
            failed_sign_ins: Arc::new(FailedSignIns::new(|_| ())),
            attempts: Attempts::within(passwords::TIME),
            objects,
            repositories,
            database,
        }
    }
}

impl Operations {
    /// Operations on an instance.
    pub fn new(resources: Resources) -> Self {
        Self(Arc::new(resources))
    }

    /// Now.
    pub fn now(&self) -> Timestamp {
        self.repositories.clock.now()
    }

    /// URL of a domain, or of a page of it.
    pub fn site_address(&self, domain: &str) -> Option<String> {
        self.site_origin.map(|origin| origin.address(domain))
    }

    /// Fails while the disk is too full to start new work.
    pub async fn require_room(&self) -> Result<(), OperationError> {
        if self.disk.is_low().await { Err(OperationError::NoRoom) } else { Ok(()) }
    }
}

impl Deref for Operations {
    type Target = Resources;

    fn deref(&self) -> &Resources {
        &self.0
    }
}
