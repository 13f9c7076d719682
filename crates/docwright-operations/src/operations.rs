//! What operations work with.

use std::{ops::Deref, path::PathBuf, sync::Arc};

use docwright_jobs::{
    child::{Launcher, Limits},
    comparer::Comparer,
    disk::Disk,
    lost_bundles::LostBundles,
    notify::Mailer,
    propose::ModelSettings,
    repositories::Repositories,
};
use docwright_storage::{Database, Objects, database::Invitation};
use docwright_types::{site_origin::SiteOrigin, timestamp::Timestamp};
use tokio::sync::Notify;

use crate::{
    error::OperationError, failed_sign_ins::FailedSignIns, model_answers::ModelAnswers,
    ownership::Ownership, page_lookup::PageLookup,
};

/// What operations work with. A clone is a number that goes up.
#[derive(Debug, Clone)]
pub struct Operations(Arc<Resources>);

/// The parts of an instance that operations use. Each says which operations need it.
#[derive(Debug)]
pub struct Resources {
    /// All that is known: every operation.
    pub database: Database,
    /// Where bundles are: links to them, and deletions.
    pub objects: Objects,
    /// Rebuilds bundles whose objects are gone: links to them, and releases that become active.
    pub lost_bundles: LostBundles,
    /// Compares two releases page by page: changes of releases.
    pub comparer: Comparer,
    /// The repositories of projects: projects, pull requests, and the pages that an export names.
    pub repositories: Repositories,
    /// Looks up pages in repositories, one request of an organization at a time: exports.
    pub page_lookup: PageLookup,
    /// Wakes the workers of releases: exports, updates, pushes, and merges.
    pub release_wake: Arc<Notify>,
    /// Wakes the workers of agent jobs: prompts.
    pub agent_wake: Arc<Notify>,
    /// Wakes the pollers of repositories: webhooks.
    pub poll_wake: Arc<Notify>,
    /// The models of the instance: prompts.
    pub models: Arc<ModelSettings>,
    /// Which organization has which domain: domains.
    pub ownership: Arc<Ownership>,
    /// Which models answered: the health of the instance.
    pub model_answers: ModelAnswers,
    /// The disk of the data folder, since no job starts while it is low: all that starts a job.
    pub disk: Disk,
    /// Where readers reach sites; `None` on the command line, if no service has started yet.
    pub site_origin: Option<SiteOrigin>,
    /// Address at which clients reach the server, without a slash at its end: links.
    pub public_url: Option<String>,
    /// How long links to bundles are valid, in milliseconds.
    pub link_lifetime: i64,
    /// Sends email, if the instance can: invitations.
    pub mail: Option<Mail>,
    /// Records keys and people that were refused: callers.
    pub failed_sign_ins: Arc<FailedSignIns>,
}

/// Sends email.
#[derive(Debug)]
pub struct Mail {
    /// Sends it.
    pub mailer: Mailer,
    /// Writes the subject and the text of the email with an invitation: its organization, and the link.
    pub invitation_text: fn(&Invitation, &str, &str) -> (String, String),
}

/// The parts of an instance that the command line opens.
#[derive(Debug)]
pub struct LocalResources {
    /// Where bundles are, if the command deletes some.
    pub objects: Objects,
    /// The database, the repositories of projects, and the clock.
    pub repositories: Repositories,
    /// Where readers reach sites, if a service has started yet.
    pub site_origin: Option<SiteOrigin>,
    /// The data folder.
    pub data: PathBuf,
    /// A folder of the command alone.
    pub scratch: PathBuf,
    /// This program, for child processes.
    pub program: PathBuf,
}

impl Resources {
    /// What the command line has of an instance. No workers run in this process, so that nothing listens to
    /// wakes; it has no models, sends no email, and refuses no sign-ins; a running service decides whether the disk
    /// has room.
    pub fn local(local: LocalResources) -> Self {
        let LocalResources { objects, repositories, site_origin, data, scratch, program } = local;
        let (database, clock) = (repositories.database.clone(), repositories.clock.clone());
        Self {
            lost_bundles: LostBundles::new(database.clone(), None, clock, Arc::default()),
            comparer: Comparer { objects: objects.clone(), scratch },
            page_lookup: PageLookup::new(Launcher::new(program, Limits::default())),
            release_wake: Arc::default(),
            agent_wake: Arc::default(),
            poll_wake: Arc::default(),
            models: Arc::default(),
            ownership: Arc::new(Ownership::new(database.clone(), (&[], &[]), Arc::default())),
            model_answers: ModelAnswers::default(),
            disk: Disk::new(data, 0),
            site_origin,
            public_url: None,
            link_lifetime: 0,
            mail: None,
            failed_sign_ins: Arc::new(FailedSignIns::new(|_| ())),
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

    /// Where readers reach a domain, or a page of it.
    pub fn site_address(&self, domain: &str) -> Option<String> {
        self.site_origin.map(|origin| origin.address(domain))
    }

    /// Fails while the disk has too little room to start anything new.
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
