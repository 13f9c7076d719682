//! What handlers share.

use std::{ops::Deref, sync::Arc};

use docwright_domain::{site_origin::SiteOrigin, timestamp::Timestamp};
use docwright_flows::{
    comparer::Comparer, disk::Disk, lost_bundles::LostBundles, notify::Mailer,
    propose::ModelSettings, repositories::Repositories,
};
use docwright_storage::{Database, Objects, database::Invitation};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::{
    domains::Ownership, error::ApiError, failed_sign_ins::FailedSignIns, markdown::MarkdownReader,
    metrics::Webhooks, model_answers::ModelAnswers, openid::Provider, page_lookup::PageLookup,
    refusals::Refusals,
};

/// What handlers of `api` and `git_host` work with. A request clones it for each thing that is taken
/// out of it, so a clone is a number that goes up.
#[derive(Debug, Clone)]
pub(crate) struct AppState(Arc<Shared>);

/// The largest struct that parts of the service share. Each field says who needs it; what one part
/// alone needs is not here.
#[derive(Debug)]
pub(crate) struct Shared {
    /// All that is known: every handler.
    pub(crate) database: Database,
    /// Where bundles are: links to them, and downloads from the folder.
    pub(crate) objects: Objects,
    /// Has bundles built again whose objects are gone: links to them, and releases that become active.
    pub(crate) lost_bundles: LostBundles,
    /// Tells which pages differ between two releases: changes of releases.
    pub(crate) comparer: Comparer,
    /// The way to the files of projects: git, pull requests, and the pages that an export names.
    pub(crate) repositories: Repositories,
    /// Looks up pages in repositories, one request of an organisation at a time: exports.
    pub(crate) page_lookup: PageLookup,
    /// Reads Markdown of strangers, in child processes: pages of pull requests.
    pub(crate) markdown: MarkdownReader,
    /// Wakes the workers of releases: exports, updates, pushes and merges.
    pub(crate) release_wake: Arc<Notify>,
    /// Wakes the workers of agent jobs: prompts.
    pub(crate) agent_wake: Arc<Notify>,
    /// Wakes those who look at repositories: webhooks.
    pub(crate) look_wake: Arc<Notify>,
    /// The models of the install: prompts.
    pub(crate) models: Arc<ModelSettings>,
    /// Who has which domain: domains.
    pub(crate) ownership: Arc<Ownership>,
    /// Which models answered: the health of the install.
    pub(crate) model_answers: ModelAnswers,
    /// The disk of the data folder, since nothing new is begun while it is low: all that begins a job.
    pub(crate) disk: Disk,
    /// Where readers reach sites; `None` in a shell, if no service has started yet.
    pub(crate) site_origin: Option<SiteOrigin>,
    /// Address at which clients reach the server, without a slash at its end: links.
    pub(crate) public_url: Option<String>,
    /// How long links to bundles are good, in milliseconds.
    pub(crate) link_lifetime: i64,
    /// Bytes of a push at most.
    pub(crate) maximum_push: u64,
    /// The way to mailboxes, if there is one: invitations.
    pub(crate) mailer: Option<Mailer>,
    /// What is written to who is invited to an organisation, by the link: invitations.
    pub(crate) invitation_text: fn(&Invitation, &str, &str) -> (String, String),
    /// The service stops: streams of events end.
    pub(crate) stopping: CancellationToken,
    /// Counts webhooks.
    pub(crate) webhooks: Webhooks,
    /// Those whose webhooks were refused.
    pub(crate) refusals: Refusals,
    /// Who else signs people in: the dashboard.
    pub(crate) provider: Option<Provider>,
    /// Records keys that are refused: whoever reads a key.
    pub(crate) failed_sign_ins: Arc<FailedSignIns>,
}

impl Deref for AppState {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl AppState {
    /// Shares something with all handlers.
    pub(crate) fn new(shared: Shared) -> Self {
        Self(Arc::new(shared))
    }

    /// Now.
    pub(crate) fn now(&self) -> Timestamp {
        self.repositories.clock.now()
    }

    /// Where readers reach a domain, or a page of it.
    pub(crate) fn site_address(&self, domain: &str) -> Option<String> {
        self.site_origin.map(|origin| origin.address(domain))
    }

    /// Fails while too little room is left on the disk to begin anything new.
    pub(crate) async fn require_room(&self) -> Result<(), ApiError> {
        if self.disk.is_low().await { Err(ApiError::NoRoom) } else { Ok(()) }
    }
}
