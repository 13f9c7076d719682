//! Projects as a list shows them: with the site, the newest release, and what is wrong.

use docwright_types::{domain_check::DnsState, release::ReleaseStatus};
use futures::future::try_join_all;

use super::{ListProjects, Project};
use crate::{Allowed, Listed, OperationError, Operations, can, lists::Page, releases};

/// A project with its first site and its newest release.
#[derive(Debug)]
pub struct ProjectSummary {
    /// The project.
    pub project: Project,
    /// Its first domain, by name; `None` without a verified one.
    pub site: Option<Site>,
    /// The state of the newest release of a site, and when it was requested.
    pub release: Option<(ReleaseStatus, String)>,
    /// Why the newest release of a site failed, or the repository can't be read, in a sentence.
    pub problem: Option<String>,
}

/// A site of a project.
#[derive(Debug)]
pub struct Site {
    /// Hostname, then base path if there is one.
    pub domain: String,
    /// The URL, if a release is active and the name leads here.
    pub address: Option<String>,
    /// Whether a release is active.
    pub is_published: bool,
}

/// Lists the projects that the caller can access, with their sites and newest releases.
pub async fn summaries(
    operations: &Operations,
    caller: &Allowed<can::ListProjects>,
    filter: &ListProjects,
    page: &Page,
) -> Result<(Vec<ProjectSummary>, Option<String>), OperationError> {
    let Listed { items, next_cursor } = super::list(operations, caller, filter, page).await?;
    let read = items.into_iter().map(|project| summary(operations, project));
    Ok((try_join_all(read).await?, next_cursor))
}

async fn summary(
    operations: &Operations,
    project: Project,
) -> Result<ProjectSummary, OperationError> {
    let one = Page::new(Some(1), None)?;
    let one = one.of("sites")?;
    let database = &operations.database;
    let owner = (None, Some(project.id.as_str()));
    let (domains, newest) = tokio::try_join!(
        async { Ok(database.domains_page(owner, one.of_all()).await?) },
        releases::newest_of_sites(operations, &project.id),
    )?;
    let site = domains.into_iter().next().map(|domain| {
        let is_published = domain.release_id.is_some();
        let leads_here = domain.check.is_some_and(|check| check.state == DnsState::Correct);
        let address = operations.site_address(&domain.name);
        Site {
            address: address.filter(|_| is_published && leads_here),
            is_published,
            domain: domain.name,
        }
    });
    let failure = newest
        .as_ref()
        .filter(|release| release.status == ReleaseStatus::Failed && !release.is_canceled());
    let failure = failure.and_then(|release| release.error.clone());
    Ok(ProjectSummary {
        problem: project.poll_error.clone().or(failure),
        release: newest
            .map(|release| (release.status, docwright_types::timestamp::iso(release.created_at))),
        site,
        project,
    })
}
