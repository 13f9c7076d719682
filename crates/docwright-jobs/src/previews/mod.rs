//! Previews of pull requests: each open pull request has a site, built from its newest commit.
//!
//! Owns which pull requests have a preview, and the comments about them. [`crate::publish`] builds previews, the
//! server serves them, and the database makes repeated calls idempotent.

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

/// Synchronizes the previews of a project with its open pull requests: opens missing ones, rebuilds those with a
/// new head, and closes others. Does nothing if previews are off. Returns whether there is something to build.
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

/// The same by the pull requests that the project's host lists now. A repository without such a host has no
/// previews of pull requests.
pub async fn follow(repositories: &Repositories, project: &Project) -> Result<bool, JobError> {
    if repositories.previews.is_err() || matches!(location(project)?, Location::Folder(_)) {
        return Ok(false);
    }
    let Ok(git_hosts) = repositories.git_hosts(project).await else { return Ok(false) };
    let listed_at = repositories.clock.now();
    let open = git_hosts.pull_requests().await?;
    sync(repositories, project, (open, listed_at)).await
}

/// The same for a project on docwright's own git host; does nothing for others.
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
    // The name of the branch is shown, so that readers find it on its host.
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
