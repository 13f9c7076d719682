//! Previews of pull requests: each open one has a site of its own, built from its newest commit.
//!
//! Owns which pull requests have one, and what is said of them there. Leaves to [`crate::publish`] how one
//! is built, to the server how it is served, and to the database that doing this twice is doing it once.

mod comment;
mod report;

use docwright_repository::{git_hosts::OpenPullRequest, location::Location};
use docwright_storage::database::{PreviewSync, Project, WantedPreview};
use docwright_types::{preview::PreviewSource, timestamp::Timestamp};

use crate::{
    queue::JobError,
    repositories::{Repositories, location},
};
pub use report::PreviewCommenter;

/// Brings the previews of a project to its open pull requests: opens those that are missing, has those
/// built whose head moved, and closes those of others. Does nothing where there are no previews. Returns
/// whether there is something to build.
async fn sync(
    repositories: &Repositories,
    project: &Project,
    (open, listed_at): (Vec<OpenPullRequest>, Timestamp),
) -> Result<bool, JobError> {
    let Ok(addresses) = &repositories.previews else { return Ok(false) };
    let now = repositories.clock.now();
    let wanted = open.into_iter().map(wanted).collect();
    let times = (listed_at, now);
    let done = repositories.database.sync_previews(&project.id, wanted, addresses, times).await?;
    let PreviewSync { opened, rebuilt, closed } = done;
    if done != PreviewSync::default() {
        tracing::info!(
            project = project.id,
            opened,
            rebuilt,
            closed,
            "previews started to follow pull requests"
        );
    }
    Ok(opened + rebuilt > 0)
}

/// The same by the pull requests that the project's host lists now. A repository whose host has none that
/// docwright can list has no previews of them.
pub async fn follow(repositories: &Repositories, project: &Project) -> Result<bool, JobError> {
    if repositories.previews.is_err() || matches!(location(project)?, Location::Folder(_)) {
        return Ok(false);
    }
    let Ok(git_hosts) = repositories.git_hosts(project).await else { return Ok(false) };
    let listed_at = repositories.clock.now();
    let open = git_hosts.pull_requests().await?;
    sync(repositories, project, (open, listed_at)).await
}

/// The same for a project with docwright's own git host; for any other nothing is done.
pub async fn follow_built_in(
    repositories: &Repositories,
    project: &Project,
) -> Result<bool, JobError> {
    if location(project) != Ok(Location::BuiltIn) || repositories.previews.is_err() {
        return Ok(false);
    }
    let database = &repositories.database;
    if database.open_pull_requests(&project.id).await?.is_empty()
        && !database.has_open_previews(&project.id).await?
    {
        return Ok(false);
    }
    follow(repositories, project).await
}

fn wanted(each: OpenPullRequest) -> WantedPreview {
    // A branch is called by its name, so that readers find it on its host.
    let git_ref = each.git_ref.strip_prefix("refs/heads/").unwrap_or(&each.git_ref).to_owned();
    WantedPreview {
        pull_request: each.number,
        title: each.title,
        branch: each.head_branch,
        base: each.base_branch,
        head: each.head_commit,
        source: PreviewSource { git_ref, fork: each.fork, is_fork: each.is_fork },
    }
}
