//! The second flow: prompt → workspace → agent → branch → pull request.

mod branch;
mod check;
mod check_out;
mod describe;
mod journal;
mod models;

use std::path::PathBuf;

use docwright_agent::{
    driver::{Driver, Stopped},
    run::{Limits, Outcome, Run},
    workspace::{self, OpenError, Workspace},
};
use docwright_domain::{
    agent_job::{AgentJob, branch},
    timestamp::Timestamp,
};
use docwright_repository::{
    checkout::CheckoutError,
    forge::{Forge, ForgeError, NewPullRequest, RemoteHost},
    git::GitError,
    location::Location,
};
use docwright_storage::{
    Database, StorageError,
    database::{AgentResult, Project},
};

use crate::{
    built_in::BuiltIn,
    clock::Clock,
    repositories::{Repositories, RepositoryError, location},
};
pub use journal::{Progress, Step};
pub use models::{ModelSettings, Provider};

/// What every job of an install shares.
#[derive(Debug, Clone)]
pub struct Install {
    /// The database.
    pub database: Database,
    /// The time.
    pub clock: Clock,
    /// Folder for clones and work in progress.
    pub scratch: PathBuf,
    /// Where projects have their files.
    pub repositories: Repositories,
    /// Address of the server, without a slash at its end.
    pub public_url: String,
    /// Models and their keys.
    pub models: ModelSettings,
    /// Name and address of the author of commits.
    pub author: (String, String),
    /// What a job may use up.
    pub limits: Limits,
    /// How long a lease lasts without being renewed.
    pub lease: Timestamp,
    /// Ends the process after a step, as a power cut would. For tests of just that.
    pub abort_after: Option<Step>,
}

/// Why a job was left before its end.
#[derive(Debug, thiserror::Error)]
pub enum ProposeError {
    /// It is somebody else's by now, or was cancelled.
    #[error("the job is not ours any more")]
    Lost,
    /// It can't be done: the sentence says why. Trying again doesn't help.
    #[error("{0}")]
    Impossible(String),
    /// A fault that may pass.
    #[error("{0}")]
    Fault(String),
}

impl From<StorageError> for ProposeError {
    fn from(error: StorageError) -> Self {
        Self::Fault(error.to_string())
    }
}

impl From<GitError> for ProposeError {
    fn from(error: GitError) -> Self {
        Self::of(error.to_string(), error.may_pass())
    }
}

impl From<CheckoutError> for ProposeError {
    fn from(error: CheckoutError) -> Self {
        Self::of(error.to_string(), error.may_pass())
    }
}

impl From<RepositoryError> for ProposeError {
    fn from(error: RepositoryError) -> Self {
        Self::of(error.to_string(), error.may_pass())
    }
}

impl ProposeError {
    fn of(message: String, may_pass: bool) -> Self {
        if may_pass { Self::Fault(message) } else { Self::Impossible(message) }
    }
}

impl From<std::io::Error> for ProposeError {
    fn from(error: std::io::Error) -> Self {
        Self::Fault(format!("the disk failed: {error}"))
    }
}

impl From<ForgeError> for ProposeError {
    fn from(error: ForgeError) -> Self {
        Self::of(error.message, error.may_pass)
    }
}

impl From<Stopped> for ProposeError {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Lost => Self::Lost,
            Stopped::Journal(reason) => Self::Fault(reason),
        }
    }
}

impl From<OpenError> for ProposeError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Unreadable(_) => Self::Fault(error.to_string()),
            OpenError::TooManyFiles(_) => Self::Impossible(error.to_string()),
        }
    }
}

/// Works on a job until it ends; `owner` holds its lease.
pub async fn propose(
    job: &AgentJob,
    project: &Project,
    owner: &str,
    install: &Install,
) -> Result<(), ProposeError> {
    let progress = Progress::new(job, owner, install);
    let forge = forge(project, install)?;
    let checkout = check_out::check_out(job, project, &*forge, &progress, install).await?;
    progress.note(Step::Cloned).await?;
    let mut run = resume(job, install).await?;
    let outcome = work(&mut run, job, &checkout, &progress, install).await?;
    let files_changed = run.changes().paths();
    let pr_link = match &outcome {
        Outcome::Completed(summary) if !files_changed.is_empty() => {
            let pushed = branch::push(&run, job, &checkout, summary, &progress, install);
            if pushed.await? {
                Some(open(&run, summary, job, &checkout, &*forge, &progress).await?)
            } else {
                None
            }
        }
        _ => None,
    };
    let outcome = match &outcome {
        Outcome::Completed(summary) => Ok(summary.as_str()),
        Outcome::Failed(reason) => Err(reason.as_str()),
    };
    let result = AgentResult { outcome, usage: run.usage(), files_changed: &files_changed };
    progress.end(result, pr_link.as_deref()).await
}

fn forge(project: &Project, install: &Install) -> Result<Box<dyn Forge>, ProposeError> {
    let impossible = ProposeError::Impossible;
    let Repositories { checkouts, hosts, .. } = &install.repositories;
    match location(project).map_err(|error| impossible(error.to_string()))? {
        Location::BuiltIn => Ok(Box::new(install.built_in(&project.id))),
        Location::Remote(address) => {
            let host = RemoteHost::new(&address, None, hosts, &checkouts.network);
            Ok(Box::new(host.map_err(impossible)?))
        }
        Location::Folder(_) => Err(impossible(docwright_repository::forge::no_host())),
    }
}

impl Install {
    /// The repository of a project on docwright's own git host.
    pub fn built_in(&self, project_id: &str) -> BuiltIn {
        BuiltIn {
            database: self.database.clone(),
            folder: self.repositories.built_in.clone(),
            public_url: self.public_url.clone(),
            project_id: project_id.to_owned(),
            clock: self.clock.clone(),
            git: self.repositories.checkouts.git.clone(),
        }
    }
}

/// The saved run of a job, with the prompts that came since; a new one at first.
async fn resume(job: &AgentJob, install: &Install) -> Result<Run, ProposeError> {
    let prompts = install.database.agent_prompts(&job.id).await?;
    let saved = install.database.agent_run(&job.id).await?;
    let saved: Option<journal::SavedRun> =
        saved.and_then(|saved| serde_json::from_str(&saved).ok());
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

async fn work(
    run: &mut Run,
    job: &AgentJob,
    checkout: &check_out::Checkout,
    progress: &Progress<'_>,
    install: &Install,
) -> Result<Outcome, ProposeError> {
    let limits = workspace::Limits::default();
    let mut workspace = Workspace::open(&checkout.root, run.changes().clone(), limits)?;
    let checker = check::SiteChecker::new(checkout, &install.scratch);
    let backend = install.models.backend(&job.model, &install.scratch);
    let driver =
        Driver { backend: &backend, checker: &checker, journal: progress, limits: install.limits };
    Ok(driver.drive(run, &mut workspace).await?)
}

async fn open(
    run: &Run,
    summary: &str,
    job: &AgentJob,
    checkout: &check_out::Checkout,
    forge: &dyn Forge,
    progress: &Progress<'_>,
) -> Result<String, ProposeError> {
    progress.hold().await?;
    let opened = forge
        .open(&NewPullRequest {
            head: branch(&job.id),
            base: checkout.base.clone(),
            title: describe::title(summary),
            body: describe::body(run, summary, job),
        })
        .await?;
    progress.note(Step::PullRequest).await?;
    Ok(opened.url)
}
