//! Previews of pull requests: each open one has a site of its own, built from its newest commit.
//!
//! Owns which pull requests have one. Leaves to [`crate::publish`] how one is built, to the server how it
//! is served, and to the database that doing this twice is doing it once.

use docwright_domain::{preview::PreviewSource, pull_request::PullRequestState};
use docwright_repository::location::Location;
use docwright_storage::database::{BroughtUp, Project, WantedPreview};

use crate::{
    queue::JobError,
    repositories::{Repositories, location},
};

/// Brings the previews of a project to its open pull requests: opens those that are missing, has those
/// built whose head moved, and closes those of others. Does nothing where there are no previews.
pub async fn bring_up(
    repositories: &Repositories,
    project: &Project,
    open: Vec<WantedPreview>,
) -> Result<BroughtUp, JobError> {
    let Ok(addresses) = &repositories.previews else { return Ok(BroughtUp::default()) };
    let now = repositories.clock.now();
    let done = repositories.database.bring_up_previews(&project.id, open, addresses, now).await?;
    if done != BroughtUp::default() {
        let BroughtUp { opened, rebuilt, closed } = done;
        tracing::info!(
            project = project.id,
            opened,
            rebuilt,
            closed,
            "previews follow pull requests"
        );
    }
    Ok(done)
}

/// The same for a project with docwright's own git host, by the pull requests that are there. Returns
/// whether there is something to build.
pub async fn follow_built_in(
    repositories: &Repositories,
    project: &Project,
) -> Result<bool, JobError> {
    if location(project) != Ok(Location::BuiltIn) || repositories.previews.is_err() {
        return Ok(false);
    }
    let database = &repositories.database;
    let mut open = database.pull_requests(&project.id).await?;
    open.retain(|each| each.state == PullRequestState::Open);
    if open.is_empty() && !database.has_open_previews(&project.id).await? {
        return Ok(false);
    }
    let branches = repositories.built_in(&project.id).branches().await?;
    let wanted = open.into_iter().filter_map(|each| {
        let head = branches.get(&each.head)?.clone();
        let source = PreviewSource { git_ref: each.head.clone(), fork: None, is_fork: false };
        Some(WantedPreview {
            pull_request: each.number,
            title: each.title,
            branch: each.head,
            base: each.base,
            head,
            source,
        })
    });
    let done = bring_up(repositories, project, wanted.collect()).await?;
    Ok(done.opened + done.rebuilt > 0)
}
