//! The search for everything that a caller can open in an organization. Objects of a project are found only in the
//! project that the search names: projects, domains, members, and keys are the organization's lists.
//!
//! Each kind is found as its list finds it, so a search finds nothing that the caller's lists don't have. A search
//! reads a few rows of each kind, and looks at a bounded number.

use docwright_storage::database::Project;

use crate::{
    Allowed, OperationError, Operations,
    agent_jobs::AgentJob,
    can,
    domains::{self, DomainDetails, ListDomains},
    keys::{self, Key, ListKeys},
    lists::{Page, Search, Sort},
    members::{self, ListMembers, Member},
    pages,
    previews::{self, ListPreviews, Preview},
    projects::{self, ListProjects},
    releases::{self, ListReleases, Release},
};

/// Results of each kind.
const FEW: i64 = 6;
/// Projects among which the best results are found.
const RANKED: i64 = 50;

/// Where to search, and what for.
#[derive(Debug, Clone)]
pub struct Query<'a> {
    /// The text to find a part of. An empty one finds nothing.
    pub text: Search,
    /// ID of the organization.
    pub organization_id: &'a str,
    /// ID of the project whose objects are found, too.
    pub project_id: Option<&'a str>,
}

/// The results of a search, by kind.
#[derive(Debug, Default)]
pub struct Results {
    /// Projects of the organization: those whose name begins with the text come first.
    pub projects: Vec<projects::Project>,
    /// Pages of the project's first site.
    pub pages: Vec<FoundPage>,
    /// Releases of the project.
    pub releases: Vec<Release>,
    /// Agent jobs of the project.
    pub jobs: Vec<FoundJob>,
    /// Pull requests of the project, if it is on the built-in git host.
    pub pull_requests: Vec<FoundPullRequest>,
    /// Previews of the project.
    pub previews: Vec<Preview>,
    /// Domains of the organization: those of the project come first.
    pub domains: Vec<DomainDetails>,
    /// Members of the organization.
    pub members: Vec<Member>,
    /// API keys of the organization, if the caller can list them.
    pub keys: Vec<Key>,
}

/// A page of a site.
#[derive(Debug, PartialEq, Eq)]
pub struct FoundPage {
    /// Path of the page, below the root of the site.
    pub path: String,
    /// Title of the page.
    pub title: String,
    /// Whether it is made of a file, which can be edited.
    pub has_file: bool,
}

/// An agent job.
#[derive(Debug)]
pub struct FoundJob {
    /// The job.
    pub job: AgentJob,
    /// The beginning of its first prompt.
    pub title: String,
}

/// A pull request of the built-in git host.
#[derive(Debug)]
pub struct FoundPullRequest {
    /// Its number.
    pub number: i64,
    /// Its title.
    pub title: String,
    /// The branch that it brings.
    pub branch: String,
}

/// Finds everything that the caller can open.
pub async fn search(
    operations: &Operations,
    caller: &Allowed<can::Search>,
    query: &Query<'_>,
) -> Result<Results, OperationError> {
    if query.text.is_empty() {
        return Ok(Results::default());
    }
    let organization = caller.named_organization(operations, query.organization_id).await?;
    let project = match query.project_id {
        Some(id) => Some(caller.project(operations, id).await?),
        None => None,
    };
    if project.as_ref().is_some_and(|project| project.organization_id != organization.id) {
        return Err(crate::callers::no_project());
    }
    let (projects, domains, members, keys, of_project) = tokio::try_join!(
        find_projects(operations, caller, query),
        find_domains(operations, caller, query),
        async {
            let filter = ListMembers { search: Some(query.text.clone()), ..ListMembers::default() };
            let page = Page::new(Some(FEW), None)?;
            let id = &organization.id;
            Ok(members::list(operations, &caller.allowed()?, id, &filter, &page).await?.items)
        },
        find_keys(operations, caller, query),
        async {
            match &project {
                Some(project) => find_in_project(operations, caller, project, &query.text).await,
                None => Ok(Results::default()),
            }
        },
    )?;
    Ok(Results { projects, domains, members, keys, ..of_project })
}

/// Projects by name: the one with the very name, then those that begin with the text.
async fn find_projects(
    operations: &Operations,
    caller: &Allowed<can::Search>,
    query: &Query<'_>,
) -> Result<Vec<projects::Project>, OperationError> {
    let all = ListProjects {
        organization_id: Some(query.organization_id.to_owned()),
        sort: Some(Sort::Name),
        ..ListProjects::default()
    };
    let named = ListProjects { name: Some(query.text.as_str().to_owned()), ..all.clone() };
    let containing = ListProjects { search: Some(query.text.clone()), ..all };
    let (one, some) = (Page::new(Some(1), None)?, Page::new(Some(RANKED), None)?);
    let allowed = caller.allowed()?;
    let (named, containing) = tokio::try_join!(
        projects::list(operations, &allowed, &named, &one),
        projects::list(operations, &allowed, &containing, &some),
    )?;
    let exact: Vec<_> = named.items.iter().map(|project| project.id.clone()).collect();
    let others = containing.items.into_iter().filter(|project| !exact.contains(&project.id));
    let (first, rest): (Vec<_>, Vec<_>) = others.partition(|project| query.begins(&project.name));
    let few = usize::try_from(FEW).unwrap_or_default();
    Ok(named.items.into_iter().chain(first).chain(rest).take(few).collect())
}

async fn find_domains(
    operations: &Operations,
    caller: &Allowed<can::Search>,
    query: &Query<'_>,
) -> Result<Vec<DomainDetails>, OperationError> {
    let filter = ListDomains {
        organization_id: Some(query.organization_id.to_owned()),
        search: Some(query.text.clone()),
        ..ListDomains::default()
    };
    let page = Page::new(Some(FEW), None)?;
    let mut all = domains::list(operations, &caller.allowed()?, &filter, &page).await?.items;
    if let Some(id) = query.project_id {
        let filter = ListDomains { project_id: Some(id.to_owned()), ..filter };
        let own = domains::list(operations, &caller.allowed()?, &filter, &page).await?.items;
        all.retain(|each| own.iter().all(|own| own.domain != each.domain));
        all.splice(0..0, own);
        all.truncate(usize::try_from(FEW).unwrap_or_default());
    }
    Ok(all)
}

async fn find_keys(
    operations: &Operations,
    caller: &Allowed<can::Search>,
    query: &Query<'_>,
) -> Result<Vec<Key>, OperationError> {
    if !caller.can::<can::ListKeys>() {
        return Ok(Vec::new());
    }
    let filter = ListKeys {
        organization_id: Some(query.organization_id.to_owned()),
        search: Some(query.text.clone()),
        sort: Some(Sort::Newest),
    };
    let page = Page::new(Some(FEW), None)?;
    let found = keys::list(operations, &caller.allowed()?, &filter, &page).await?.items;
    Ok(found.into_iter().filter(|key| key.revoked_at.is_none()).collect())
}

/// Objects of a project.
async fn find_in_project(
    operations: &Operations,
    caller: &Allowed<can::Search>,
    project: &Project,
    text: &Search,
) -> Result<Results, OperationError> {
    let page = Page::new(Some(FEW), None)?;
    let (pages, releases, jobs, pull_requests, previews) = tokio::try_join!(
        find_pages(operations, project, text),
        async {
            let filter = ListReleases { search: Some(text.clone()), ..ListReleases::default() };
            let allowed = caller.allowed()?;
            releases::list(operations, &allowed, &project.id, &filter, &page).await
        },
        find_jobs(operations, project, text),
        async {
            let database = &operations.database;
            let found = database.pull_requests_with_text(&project.id, text.as_str(), FEW).await?;
            Ok(found.into_iter().map(|each| FoundPullRequest {
                number: each.number,
                title: each.title,
                branch: each.head,
            }))
        },
        async {
            let filter = ListPreviews { search: Some(text.clone()), ..ListPreviews::default() };
            let allowed = caller.allowed()?;
            previews::list(operations, &allowed, &project.id, &filter, &page).await
        },
    )?;
    Ok(Results {
        pages,
        releases: releases.items,
        jobs,
        pull_requests: pull_requests.collect(),
        previews: previews.previews,
        ..Results::default()
    })
}

/// Pages whose title or path contains the text: first those whose title begins with it.
async fn find_pages(
    operations: &Operations,
    project: &Project,
    text: &Search,
) -> Result<Vec<FoundPage>, OperationError> {
    let outline = match pages::outline_of(operations, project).await {
        Ok(outline) => outline,
        // The rest is found without the bundle, too.
        Err(OperationError::Busy(_) | OperationError::Unavailable(_)) => return Ok(Vec::new()),
        Err(other) => return Err(other),
    };
    let text = text.as_str().to_lowercase();
    let found = outline.pages().iter().filter_map(|page| {
        let title = page.title.to_lowercase();
        let is_found = title.contains(&text) || page.path.to_lowercase().contains(&text);
        is_found.then(|| (!title.starts_with(&text), page))
    });
    let mut found: Vec<_> = found.collect();
    found.sort_by_key(|(is_later, _)| *is_later);
    let few = usize::try_from(FEW).unwrap_or_default();
    let found = found.into_iter().take(few).map(|(_, page)| FoundPage {
        path: page.path.clone(),
        title: page.title.clone(),
        has_file: page.file.is_some(),
    });
    Ok(found.collect())
}

async fn find_jobs(
    operations: &Operations,
    project: &Project,
    text: &Search,
) -> Result<Vec<FoundJob>, OperationError> {
    let database = &operations.database;
    let found = database.agent_jobs_with_text(&project.id, text.as_str(), FEW).await?;
    let ids: Vec<_> = found.iter().map(|job| job.id.as_str()).collect();
    let mut titles = database.agent_titles(&ids).await?;
    let titled = found.into_iter().map(|job| {
        let title = titles.remove(&job.id).unwrap_or_else(|| job.id.clone());
        FoundJob { job: job.into(), title }
    });
    Ok(titled.collect())
}

impl Query<'_> {
    fn begins(&self, name: &str) -> bool {
        let text = self.text.as_str();
        name.get(..text.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(text))
    }
}
