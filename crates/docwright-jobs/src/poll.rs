//! Polling the repository of a project: what its branches have now, and what follows from it.
//!
//! The heads come from git, whoever asked for the poll: a webhook, a push whose process died, or the
//! time that has passed. So nothing that was missed, repeated or forged changes more than the time.

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use docwright_repository::{git::GitError, location::Location};
use docwright_storage::database::{HeadUpdate, Project, Queue, RecurringJobState, backoff};
use docwright_types::timestamp::Timestamp;
use futures::future::BoxFuture;
use tokio::{sync::Notify, time::timeout};

use crate::{
    previews,
    queue::{HeldLease, Job, JobError},
    repositories::{Repositories, location},
};

/// How long one poll can take.
const PATIENCE: Duration = Duration::from_mins(2);
/// How often a branch is read again whose head changes during the poll.
const ATTEMPTS: usize = 5;

/// What became of a poll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PollOutcome {
    /// A branch had moved, and releases were asked for.
    New,
    /// All was as before.
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
    /// Where the repositories are.
    pub repositories: Repositories,
    /// Wakes the workers of releases.
    pub wake: Arc<Notify>,
    /// Time between two polls of a repository that nobody asks for, in milliseconds; `None` for no such
    /// polls.
    pub poll: Option<Timestamp>,
    /// Learns what becomes of polls.
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
    /// What could not be read, and whether that can pass.
    problems: Vec<(String, bool)>,
}

/// Polls a repository, and says when to do so again.
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
    let kept = database.finish_poll(held.lease(), &left, &seen.summary(), now).await?;
    if kept { Ok(()) } else { Err(JobError::Lost) }
}

/// Records what the branches have that sites of a project show.
async fn branches(poller: &Poller, project: &Project) -> Result<PollResult, JobError> {
    let repositories = &poller.repositories;
    let mut seen = PollResult::default();
    // A folder has no history to follow; who changes it asks for a release.
    if matches!(location(project)?, Location::Folder(_)) {
        return Ok(seen);
    }
    let repository = repositories.of(project).await?;
    if repository.is_built_in() {
        // The process of a push might not have lived to do this.
        repositories.built_in(&project.id).record_size().await?;
    }
    let sites = repositories.database.sites(&project.id).await?;
    // Nothing follows from a project without a site; that its repository can't be read is said anyway.
    if sites.is_empty()
        && let Err(error) = repositories.checkouts.head(&repository.origin(), None).await
        && !matches!(error, GitError::NoBranch(_))
    {
        seen.problems.push((error.to_string(), error.is_transient()));
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
                    seen.problems.push((error.to_string(), error.is_transient()));
                    match error {
                        // Other branches can be there.
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
    // Who can read branches can't be able to list pull requests, so that this is no problem of the poll.
    match previews::follow(repositories, project).await {
        Ok(found) => seen.previews = found,
        Err(error) => tracing::info!(%error, "pull requests not listed"),
    }
    Ok(seen)
}

impl Poller {
    /// When to poll again, after a number of failures in a row. Polls that nobody asks for are spread, and
    /// what can't be read is polled less and less.
    fn again(&self, project: &Project, seen: &PollResult, failures: i64) -> Option<Timestamp> {
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
            Some((_, true)) => Some(backoff(failures, random)),
            Some((_, false)) => poll.map(|poll| poll.max(backoff(failures, random))),
        }
    }
}

impl PollResult {
    fn problem(problem: String, is_transient: bool) -> Self {
        Self { problems: vec![(problem, is_transient)], ..Self::default() }
    }

    fn outcome(&self) -> PollOutcome {
        match (self.problems.is_empty(), self.moved.is_empty() && !self.previews) {
            (false, _) => PollOutcome::Failed,
            (true, false) => PollOutcome::New,
            (true, true) => PollOutcome::Same,
        }
    }

    fn error(&self) -> Option<String> {
        let all: Vec<_> = self.problems.iter().map(|(problem, _)| problem.as_str()).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// What came of the poll, in sentences.
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
