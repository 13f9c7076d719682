//! Polls the repository of a project: reads the heads of its branches, and starts what follows.
//!
//! The heads come from git, whatever triggered the poll: a webhook, a push whose process died, or the time that
//! has passed. So a missed, repeated, or forged trigger changes only the time.

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use docwright_repository::{git::GitError, location::Location};
use docwright_storage::database::{HeadUpdate, Project, Queue, RecurringJobState, backoff};
use docwright_types::{
    problem::ProblemKind,
    timestamp::{MINUTE, SECOND, Timestamp},
};
use futures::future::BoxFuture;
use tokio::{sync::Notify, time::timeout};

use crate::{
    previews,
    queue::{HeldLease, Job, JobError},
    repositories::{Repositories, location},
};

/// How long one poll can take.
const PATIENCE: Duration = Duration::from_mins(2);
/// For how long the repository of a new project on docwright's own git host can be missing. It is created after the
/// project.
const CREATION: Timestamp = MINUTE;
/// How often a branch is read again if its head changes during the poll.
const ATTEMPTS: usize = 5;

/// Outcome of a poll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PollOutcome {
    /// A branch has a new head, and releases were requested.
    New,
    /// Nothing changed.
    Same,
    /// The repository, or a branch of a site, could not be read.
    Failed,
}

impl PollOutcome {
    /// Every outcome.
    pub const ALL: [Self; 3] = [Self::New, Self::Same, Self::Failed];

    /// Its name in metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Same => "same",
            Self::Failed => "failed",
        }
    }
}

/// Polls repositories.
pub struct Poller {
    /// Access to the repositories.
    pub repositories: Repositories,
    /// Wakes the workers of releases.
    pub wake: Arc<Notify>,
    /// Time between two unrequested polls of a repository, in milliseconds; `None` turns them off.
    pub poll: Option<Timestamp>,
    /// Receives the outcomes of polls.
    pub observe: Box<dyn Fn(PollOutcome) + Send + Sync>,
}

impl fmt::Debug for Poller {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Poller").field("poll", &self.poll).finish_non_exhaustive()
    }
}

impl Job for Poller {
    const QUEUE: Queue = Queue::Polls;

    fn run<'a>(&'a self, held: &'a HeldLease) -> BoxFuture<'a, Result<(), JobError>> {
        Box::pin(poll(self, held))
    }
}

/// The result in sentences.
#[derive(Debug, Default)]
struct PollResult {
    moved: Vec<String>,
    /// Whether there are previews to build.
    previews: bool,
    problems: Vec<ReadProblem>,
    /// Whether the repository is still being created.
    is_early: bool,
}

/// Why a repository, or a branch of it, could not be read.
#[derive(Debug)]
struct ReadProblem {
    error: String,
    kind: ProblemKind,
    is_transient: bool,
}

impl From<&GitError> for ReadProblem {
    fn from(error: &GitError) -> Self {
        let (kind, is_transient) = (error.problem_kind(), error.is_transient());
        Self { error: error.to_string(), kind, is_transient }
    }
}

/// Polls a repository, and schedules the next poll.
async fn poll(poller: &Poller, held: &HeldLease) -> Result<(), JobError> {
    let database = &poller.repositories.database;
    let (requested, failures) = database.recurring_job_state(held.lease()).await?;
    let gone = || JobError::Permanent("the project is gone".to_owned());
    let project = database.project(held.id()).await?.ok_or_else(gone)?;
    let seen = match timeout(PATIENCE, branches(poller, &project)).await {
        Ok(Ok(seen)) => seen,
        Ok(Err(error @ (JobError::Lost | JobError::Stopped))) => return Err(error),
        Ok(Err(error)) => {
            PollResult::problem(error.to_string(), matches!(error, JobError::Transient(_)))
        }
        Err(_) => PollResult::problem("the repository does not answer in time".to_owned(), true),
    };
    if !seen.moved.is_empty() || seen.previews {
        poller.wake.notify_one();
    }
    (poller.observe)(seen.outcome());
    let error = seen.error();
    if let Some(error) = &error {
        tracing::info!(%error, "repository not read");
    }
    let again = poller.again(&project, &seen, failures + 1);
    let left = RecurringJobState { requested, error, again };
    let now = poller.repositories.clock.now();
    let kind = seen.problems.first().map(|problem| problem.kind);
    let kept = database.finish_poll(held.lease(), &left, (&seen.summary(), kind), now).await?;
    if kept { Ok(()) } else { Err(JobError::Lost) }
}

/// Records the heads of the branches that sites of a project serve.
async fn branches(poller: &Poller, project: &Project) -> Result<PollResult, JobError> {
    let repositories = &poller.repositories;
    let mut seen = PollResult::default();
    // A folder has no history to follow; people who change it request a release.
    if matches!(location(project)?, Location::Folder(_)) {
        return Ok(seen);
    }
    let repository = repositories.of(project).await?;
    if repository.is_built_in() {
        let own = repositories.built_in(&project.id);
        if !own.exists() && repositories.clock.now() - project.created_at < CREATION {
            return Ok(PollResult { is_early: true, ..seen });
        }
        // The process of a push might have ended before it did this.
        own.record_size().await?;
    }
    let sites = repositories.database.sites(&project.id).await?;
    // Nothing follows for a project without a site, but an unreadable repository is still reported.
    if sites.is_empty()
        && let Err(error) = repositories.checkouts.head(&repository.origin(), None).await
        && !matches!(error, GitError::NoBranch(_))
    {
        seen.problems.push(ReadProblem::from(&error));
        return Ok(seen);
    }
    // Sites of one branch are one poll.
    let by_branch: BTreeMap<_, _> = sites.iter().map(|site| (&site.branch, site)).collect();
    for site in by_branch.into_values() {
        let branch = site.branch.as_deref();
        for _ in 0..ATTEMPTS {
            let seen_position = repositories.database.last_head_position(site).await?;
            let head = match repositories.checkouts.head(&repository.origin(), branch).await {
                Ok(head) => head,
                Err(error) => {
                    seen.problems.push(ReadProblem::from(&error));
                    match error {
                        // Other branches can exist.
                        GitError::NoBranch(_) => break,
                        _ => return Ok(seen),
                    }
                }
            };
            let found = (head.branch.as_str(), head.commit.as_str());
            let now = repositories.clock.now();
            match repositories.database.record_polled_head(site, found, seen_position, now).await? {
                HeadUpdate::New => {
                    let short = head.commit.get(..12).unwrap_or(&head.commit);
                    seen.moved.push(format!("`{}` is at {short}", head.branch));
                }
                HeadUpdate::Same => {}
                HeadUpdate::Outdated => continue,
            }
            break;
        }
    }
    // Credentials that can read branches might not list pull requests, so this is no error of the poll.
    match previews::follow(repositories, project).await {
        Ok(found) => seen.previews = found,
        Err(error) => tracing::info!(%error, "pull requests not listed"),
    }
    Ok(seen)
}

impl Poller {
    /// When to poll again, after a number of consecutive failures. Unrequested polls are spread, and unreadable
    /// repositories are polled at growing intervals.
    fn again(&self, project: &Project, seen: &PollResult, failures: i64) -> Option<Timestamp> {
        if seen.is_early {
            return Some(SECOND);
        }
        let random: f64 = rand::random();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "a day at most"
        )]
        let spread = |time: Timestamp| (time as f64 * (0.75 + random / 2.0)) as Timestamp;
        let poll = self.poll.filter(|_| !matches!(location(project), Ok(Location::Folder(_))));
        let poll = poll.map(spread);
        match seen.problems.first() {
            None => poll,
            Some(problem) if problem.is_transient => Some(backoff(failures, random)),
            Some(_) => poll.map(|poll| poll.max(backoff(failures, random))),
        }
    }
}

impl PollResult {
    fn problem(error: String, is_transient: bool) -> Self {
        let problem = ReadProblem { error, kind: ProblemKind::Repository, is_transient };
        Self { problems: vec![problem], ..Self::default() }
    }

    fn outcome(&self) -> PollOutcome {
        match (self.problems.is_empty(), self.moved.is_empty() && !self.previews) {
            (false, _) => PollOutcome::Failed,
            (true, false) => PollOutcome::New,
            (true, true) => PollOutcome::Same,
        }
    }

    fn error(&self) -> Option<String> {
        let all: Vec<_> = self.problems.iter().map(|problem| problem.error.as_str()).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// The result of the poll, in sentences.
    fn summary(&self) -> String {
        let mut sentences: Vec<_> =
            self.moved.iter().map(|moved| format!("{moved}, and is being published.")).collect();
        if self.previews {
            sentences.push("Previews of pull requests are being built.".to_owned());
        }
        if let Some(error) = self.error() {
            sentences.push(format!("The repository can't be read: {error}."));
        }
        if sentences.is_empty() {
            return "No branch of a site has moved.".to_owned();
        }
        sentences.join(" ")
    }
}
