//! Looks for heads of branches that have no release: a process may have died, or a client gone away,
//! between moving a branch and saying so. A lost event then only costs time.

use std::{sync::Arc, time::Duration};

use docwright_domain::release::Trigger;
use docwright_repository::location::Location;
use docwright_storage::database::Project;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::{
    previews,
    queue::JobError,
    repositories::{Repositories, location},
};

/// How often branches are looked at.
const EVERY: Duration = Duration::from_mins(1);

/// Compares branches of the built-in git host with releases.
#[derive(Debug)]
pub struct Reconciler {
    /// Where the repositories are.
    pub repositories: Repositories,
    /// Wakes the workers of releases.
    pub wake: Arc<Notify>,
}

impl Reconciler {
    /// Works until `stop`.
    pub async fn run(self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            match reconcile(&self.repositories).await {
                Ok(0) => {}
                Ok(count) => {
                    tracing::info!(count, "branches had moved without a release");
                    self.wake.notify_one();
                }
                Err(error) => tracing::error!(%error, "branches can't be compared; trying again"),
            }
            tokio::select! {
                () = tokio::time::sleep(EVERY) => {}
                () = stop.cancelled() => {}
            }
        }
    }
}

/// Asks for releases of branches that moved since they were last seen. Returns how many had.
pub async fn reconcile(repositories: &Repositories) -> Result<usize, JobError> {
    let mut moved = 0;
    for project in repositories.database.projects().await? {
        if location(&project) != Ok(Location::BuiltIn) {
            continue;
        }
        match catch_up(repositories, &project).await {
            Ok(count) => moved += count,
            // One broken repository keeps no other one from its releases.
            Err(error) => {
                tracing::warn!(project = project.id, %error, "the branches of a project can't be read");
            }
        }
    }
    Ok(moved)
}

async fn catch_up(repositories: &Repositories, project: &Project) -> Result<usize, JobError> {
    let database = &repositories.database;
    let repository = repositories.of(project).await?;
    let mut moved = 0;
    for site in database.sites(&project.id).await? {
        let branch = site.branch.as_deref();
        let head = repositories.checkouts.head(&repository.origin(), branch).await;
        // An empty repository has nothing to release.
        let Ok(head) = head else { continue };
        if database.last_head(&project.id, branch).await?.as_deref() == Some(&head.commit) {
            continue;
        }
        let (named, commit) = ((head.branch.as_str(), branch.is_none()), head.commit.as_str());
        let now = repositories.clock.now();
        let found = (commit, Trigger::Poll);
        moved += usize::from(database.branch_moved(&project.id, named, found, now).await?);
    }
    moved += usize::from(previews::follow_built_in(repositories, project).await?);
    Ok(moved)
}
