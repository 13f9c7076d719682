//! Overview of a project.

use std::collections::HashMap;

use docwright_jobs::built_in::{BuiltInError, MAIN};
use docwright_types::{agent_job::AgentStatus, feedback::FeedbackState, preview::PreviewState};

use crate::{
    Allowed, Caller, OperationError, Operations,
    agent_jobs::{self, AgentJob, ListAgentJobs},
    built_in, can,
    domains::{self, DomainDetails, ListDomains},
    feedback::{self, FeedbackAnswer, ListFeedbackAnswers},
    lists::Page,
    next_step::{self, KnownState, NextStep},
    previews::{self, ListPreviews, Preview},
    problems::{self, Problem},
    projects::{self, Project},
    releases::{self, ListReleases, Release, ReleaseDetails},
};

/// Items of each kind.
const FEW: u8 = 5;

/// Overview of a project: the newest items of each kind.
#[derive(Debug)]
pub struct Overview {
    /// The project.
    pub project: Project,
    /// Its domains, by name.
    pub domains: Vec<DomainDetails>,
    /// Releases that wait until someone activates them: the newest of each site.
    pub waiting: Vec<Release>,
    /// Its newest releases.
    pub releases: Vec<Release>,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
    /// Its open previews.
    pub previews: Vec<Preview>,
    /// Its running agent jobs.
    pub jobs: Vec<AgentJob>,
    /// What they were asked for, by job.
    pub job_titles: HashMap<String, String>,
    /// Feedback that is pending.
    pub feedback: Vec<FeedbackAnswer>,
    /// Whether the repository is known to have a commit.
    pub has_commit: bool,
    /// The next step; `None` if everything is set up.
    pub next_step: Option<NextStep>,
    /// The diagnostics of the newest ready release among these.
    pub build: Option<ReleaseDetails>,
}

/// Returns the overview of a project.
pub async fn get(
    operations: &Operations,
    caller: &Allowed<can::GetOverview>,
    id: &str,
) -> Result<Overview, OperationError> {
    let page = Page::new(Some(i64::from(FEW)), None)?;
    let (project, waiting, (mut domains, problems), releases, previews, jobs, feedback) = tokio::try_join!(
        async { projects::get(operations, &caller.allowed()?, id).await },
        async {
            let project = caller.project(operations, id).await?;
            releases::waiting(operations, &project).await
        },
        domains_and_problems(operations, caller, id),
        async {
            let filter = ListReleases::default();
            releases::list(operations, &caller.allowed()?, id, &filter, &page).await
        },
        async {
            let filter =
                ListPreviews { state: Some(PreviewState::Open), ..ListPreviews::default() };
            previews::list(operations, &caller.allowed()?, id, &filter, &page).await
        },
        async {
            let filter = ListAgentJobs { status: Some(AgentStatus::Active) };
            agent_jobs::list(operations, &caller.allowed()?, id, &filter, &page).await
        },
        async {
            let state = Some(FeedbackState::Pending);
            let filter = ListFeedbackAnswers { state, ..ListFeedbackAnswers::default() };
            feedback::list(operations, &caller.allowed()?, id, &filter, &page).await
        },
    )?;
    let built = releases.items.iter().find(|release| release.is_of_site() && release.is_ready());
    let build = match built {
        Some(release) => Some(releases::get(operations, &caller.allowed()?, &release.id).await?),
        None => None,
    };
    let job_titles = agent_jobs::titles(operations, &caller.allowed()?, id, &jobs.items).await?;
    let has_commit = !releases.items.is_empty() || has_pushed(operations, caller, id).await?;
    let stored = caller.project(operations, id).await?;
    let known = KnownState {
        domains: &domains,
        releases: &releases.items,
        waiting: &waiting,
        problems: &problems,
        has_commit,
    };
    let next_step = next_step::of(operations, caller, &stored, &known).await?;
    domains.truncate(usize::from(FEW));
    Ok(Overview {
        has_commit,
        next_step,
        project,
        problems,
        domains,
        waiting,
        releases: releases.items,
        previews: previews.previews,
        jobs: jobs.items,
        job_titles,
        feedback: feedback.items,
        build,
    })
}

/// The domains, and their problems with those of the project.
async fn domains_and_problems(
    operations: &Operations,
    caller: &Caller,
    id: &str,
) -> Result<(Vec<DomainDetails>, Vec<Problem>), OperationError> {
    let filter = ListDomains { project_id: Some(id.to_owned()), ..ListDomains::default() };
    let page = Page::new(Some(problems::DOMAINS), None)?;
    let domains = domains::list(operations, &caller.allowed()?, &filter, &page).await?.items;
    let problems = problems::with_domains(operations, &caller.allowed()?, id, &domains).await?;
    Ok((domains, problems))
}

/// Whether the default branch of a built-in repository has a commit. A repository on another git host is only known by
/// its releases.
async fn has_pushed(
    operations: &Operations,
    caller: &Caller,
    id: &str,
) -> Result<bool, OperationError> {
    match built_in::repository(operations, caller, id).await {
        Ok((_, repository)) => {
            let branches = repository.branches().await.map_err(BuiltInError::from)?;
            Ok(branches.contains_key(MAIN))
        }
        Err(OperationError::NotFound(_)) => Ok(false),
        Err(other) => Err(other),
    }
}

impl Overview {
    /// Whether something is in progress.
    pub fn is_running(&self) -> bool {
        self.releases.iter().any(Release::is_running)
            || !self.jobs.is_empty()
            || self.project.polled_at.is_none()
            || self.releases.is_empty()
    }
}
