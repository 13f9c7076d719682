//! The second flow: prompt → workspace → agent → branch → pull request.

mod branch;
mod check;
mod check_out;
mod describe;
mod journal;
mod known;
mod models;
mod watched;

use std::path::PathBuf;

use docwright_agent::{
    driver::{Driver, Stopped},
    policy::{documentation::Documentation, patterns::Patterns},
    run::{Limits, Outcome, Run},
    workspace::{self, Changes, OpenError, Workspace},
};
use docwright_repository::{
    checkout::CheckoutError, git::GitError, git_hosts::NewPullRequest, location::Location,
};
use docwright_storage::{
    Database,
    database::{AgentResult, Project, Queue},
};
use docwright_types::agent_job::{AgentJob, branch};
use futures::future::BoxFuture;

use crate::{
    built_in::BuiltIn,
    child::Launcher,
    clock::Clock,
    previews,
    queue::{HeldLease, Job, JobError, Step},
    repositories::{Repositories, location},
};
use check_out::{Files, Original};
use journal::Progress;
pub use models::{ModelSettings, Provider, failure};
use watched::watched;

/// Resources of agent jobs.
#[derive(Debug)]
pub struct Proposer {
    /// The database.
    pub database: Database,
    /// Access to repositories.
    pub repositories: Repositories,
    /// Starts the child processes of checks.
    pub launcher: Launcher,
    /// Folder for temporary files.
    pub scratch: PathBuf,
    /// Folder with diagnostics of commits from before any change.
    pub checks: PathBuf,
    /// Models and their keys.
    pub models: ModelSettings,
    /// Name and address of the author of commits.
    pub author: (String, String),
    /// Limits of a job.
    pub limits: Limits,
    /// The time.
    pub clock: Clock,
}

impl Job for Proposer {
    const QUEUE: Queue = Queue::AgentJobs;

    fn run<'a>(&'a self, held: &'a HeldLease) -> BoxFuture<'a, Result<(), JobError>> {
        Box::pin(propose(self, held))
    }
}

/// Works on a job until it ends.
async fn propose(proposer: &Proposer, held: &HeldLease) -> Result<(), JobError> {
    let (job, project) = wanted(proposer, held).await?;
    let progress = Progress::new(proposer, held);
    let built_in = built_in(proposer, &project).await?;
    let git_hosts = proposer.repositories.git_hosts(&project).await?;
    let files =
        check_out::check_out(proposer, &job, &project, git_hosts.as_ref(), &progress).await?;
    progress.step(Step::CheckedOut).await?;
    let mut run = resume(proposer, &job, &progress).await?;
    let workspace = open_workspace(&run, &files, &project)?;
    let documentation = workspace.agent_documentation().clone();
    let outcome = work(proposer, &mut run, workspace, (&job, &files), &progress).await?;
    let mut files_changed = run.changes().paths();
    let (outcome, pr_link) = match outcome {
        Outcome::Completed(summary) if !files_changed.is_empty() => {
            let change = branch::NewCommit {
                run: &run,
                job: &job,
                files: &files,
                summary: &summary,
                documentation: &documentation,
                git_hosts: git_hosts.as_ref(),
            };
            if branch::push(proposer, change, &progress).await? {
                if let Some(built_in) = &built_in {
                    built_in.record_size().await?;
                }
                let link = open(proposer, &change, &project, &progress).await?;
                (Ok(summary), Some(link))
            } else {
                files_changed.clear();
                (Ok(run.nothing_changed(&summary)), None)
            }
        }
        Outcome::Completed(summary) => (Ok(summary), None),
        Outcome::Failed(reason) => (Err(reason), None),
    };
    let result = AgentResult {
        outcome: outcome.as_deref().map_err(String::as_str),
        usage: run.usage(),
        files_changed: &files_changed,
        refused: run.refused(),
        pr_link: pr_link.as_deref(),
    };
    progress.end(result).await
}

/// The repository of a project on the built-in git host, if it exists and accepts pushes.
async fn built_in(proposer: &Proposer, project: &Project) -> Result<Option<BuiltIn>, JobError> {
    if location(project)? != Location::BuiltIn {
        return Ok(None);
    }
    proposer.database.require_storage(&project.id).await?;
    Ok(Some(proposer.repositories.built_in(&project.id)))
}

async fn wanted(proposer: &Proposer, held: &HeldLease) -> Result<(AgentJob, Project), JobError> {
    let gone = |what: &str| JobError::Permanent(format!("the {what} is gone"));
    let job = proposer.database.leased_agent_job(held.lease()).await?;
    let job = job.ok_or_else(|| gone("job"))?;
    let project = proposer.database.project(&job.project_id).await?;
    Ok((job, project.ok_or_else(|| gone("project"))?))
}

/// The saved run of a job, with later prompts; a new one at first. A run that this version can't read is
/// restarted, with an event for watchers.
async fn resume(
    proposer: &Proposer,
    job: &AgentJob,
    progress: &Progress<'_>,
) -> Result<Run, JobError> {
    let prompts = proposer.database.agent_prompts(&job.id).await?;
    let mut saved: Option<journal::SavedRun> = None;
    if let Some(text) = proposer.database.agent_run(&job.id).await? {
        match serde_json::from_str(&text) {
            Ok(run) => saved = Some(run),
            Err(error) => progress.begins_anew(&error.to_string()).await?,
        }
    }
    let first = prompts.first().cloned().unwrap_or_default();
    let (mut run, taken) = match saved {
        Some(saved) => (saved.run, saved.prompts),
        None => (Run::new(first), 1),
    };
    for prompt in prompts.iter().skip(taken) {
        run.follow_up(prompt);
    }
    Ok(run)
}

/// The files with the changes of a run. Allowed paths follow from the files before any change of the job, and from
/// the settings of its project.
fn open_workspace(run: &Run, files: &Files, project: &Project) -> Result<Workspace, JobError> {
    let limits = workspace::Limits::default();
    let workspace = Workspace::open(&files.root, run.changes().clone(), limits)?;
    let patterns = Patterns::parse(&project.agent_paths).unwrap_or_else(|error| {
        tracing::warn!(%error, "agent paths of the project ignored");
        Patterns::default()
    });
    let documentation = match &files.original {
        Original::Same => workspace.documentation(patterns),
        Original::Checkout { root, .. } => {
            Workspace::open(root, Changes::default(), limits)?.documentation(patterns)
        }
        Original::Gone => Documentation::of([].iter(), |_| None, patterns),
    };
    Ok(workspace.with_documentation(documentation))
}

async fn work(
    proposer: &Proposer,
    run: &mut Run,
    mut workspace: Workspace,
    (job, files): (&AgentJob, &Files),
    progress: &Progress<'_>,
) -> Result<Outcome, JobError> {
    let checker = check::SiteChecker::new(proposer, files, progress.held());
    let backend = proposer.models.backend(&job.model, &proposer.scratch);
    let backend = watched(backend, (&job.model, &job.project_id), &proposer.models.watch);
    let driver =
        Driver { backend: &backend, checker: &checker, journal: progress, limits: proposer.limits };
    let outcome = driver.drive(run, &mut workspace).await;
    // The result of a stopped check is no reason to fail.
    match checker.interruption() {
        Some(interruption) => Err(interruption),
        None => Ok(outcome?),
    }
}

async fn open(
    proposer: &Proposer,
    change: &branch::NewCommit<'_>,
    project: &Project,
    progress: &Progress<'_>,
) -> Result<String, JobError> {
    let prompts = proposer.database.agent_prompts(&change.job.id).await?;
    progress.held().confirm().await?;
    let summaries = change.run.summaries();
    let new = NewPullRequest {
        head: branch(&change.job.id),
        base: change.files.base.clone(),
        // Its title stays the same after follow-ups.
        title: describe::title(&summaries[0]),
        body: describe::body(summaries, &prompts, change.job),
    };
    let opened = change.git_hosts.open(&new).await?;
    progress.step(Step::PullRequest).await?;
    if let Err(error) = previews::follow_built_in(&proposer.repositories, project).await {
        // The reconciler opens it soon.
        tracing::warn!(%error, "pull request preview not created");
    }
    Ok(opened.url)
}

impl From<GitError> for JobError {
    fn from(error: GitError) -> Self {
        let is_transient = error.is_transient();
        Self::of(error, is_transient)
    }
}

impl From<CheckoutError> for JobError {
    fn from(error: CheckoutError) -> Self {
        let is_transient = error.is_transient();
        Self::of(error, is_transient)
    }
}

impl From<Stopped> for JobError {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Lost => Self::Lost,
            Stopped::Journal(reason) => Self::Transient(reason),
        }
    }
}

impl From<OpenError> for JobError {
    fn from(error: OpenError) -> Self {
        Self::of(&error, matches!(error, OpenError::Unreadable(_)))
    }
}
