//! What handlers share.

use std::sync::Arc;

use docwright_domain::timestamp::Timestamp;
use docwright_flows::{disk::Disk, repositories::Repositories};
use docwright_storage::{Database, Objects};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::{error::ApiError, failed_sign_ins::FailedSignIns, page_lookup::PageLookup};

/// What the handlers work with.
#[derive(Debug, Clone)]
pub(crate) struct AppState {
    /// The database.
    pub(crate) database: Database,
    /// Where bundles are.
    pub(crate) objects: Objects,
    /// The way to the files of projects.
    pub(crate) repositories: Repositories,
    /// Looks up pages in repositories.
    pub(crate) page_lookup: PageLookup,
    /// Wakes the workers of releases.
    pub(crate) release_wake: Arc<Notify>,
    /// Wakes the workers of agent jobs.
    pub(crate) agent_wake: Arc<Notify>,
    /// Model of projects that name none.
    pub(crate) default_model: Arc<str>,
    /// The disk of the data folder: nothing new is begun while it is low.
    pub(crate) disk: Disk,
    /// Address at which clients reach the server, without a slash at its end.
    pub(crate) public_url: Option<String>,
    /// How long links to bundles are good, in milliseconds.
    pub(crate) link_lifetime: i64,
    /// Bytes of a push at most.
    pub(crate) maximum_push: u64,
    /// The service stops: streams of events end.
    pub(crate) stopping: CancellationToken,
    /// Records keys that are refused.
    pub(crate) failed_sign_ins: Arc<FailedSignIns>,
}

impl AppState {
    /// Now.
    pub(crate) fn now(&self) -> Timestamp {
        self.repositories.clock.now()
    }

    /// Fails while too little room is left on the disk to begin anything new.
    pub(crate) async fn require_room(&self) -> Result<(), ApiError> {
        if self.disk.is_low().await { Err(ApiError::NoRoom) } else { Ok(()) }
    }
}
