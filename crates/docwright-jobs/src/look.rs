//! Looking at the repository of a project: what its branches have now, and what follows from it.
//!
//! The heads come from git, whoever asked for the look: a webhook, a push whose process died, or the
//! time that has passed. So nothing that was missed, repeated or forged changes more than the time.

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use docwright_types::timestamp::Timestamp;
use docwright_repository::{git::GitError, location::Location};
use docwright_storage::database::{Moved, Project, Queue, Standing, backoff};
use futures::future::BoxFuture;
use tokio::{sync::Notify, time::timeout};

use crate::{
    previews,
    queue::{HeldLease, Job, JobError},
    repositories::{Repositories, location},
};

/// How long one look may take.
const PATIENCE: Duration = Duration::from_mins(2);
/// How often a branch is looked at that moves meanwhile.
const ATTEMPTS: usize = 5;

/// What became of a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookOutcome {
    /// A branch had moved, and releases were asked for.
    Moved,
    /// All was as before.
    Same,
    /// The repository, or a branch of a site, could not be read.
    Failed,
}

impl LookOutcome {
    /// Every outcome.
    pub const ALL: [Self; 3] = [Self::Moved, Self::Same, Self::Failed];

    /// Its name in metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Moved => "moved",
            Self::Same => "same",
            Self::Failed => "failed",
        }
    }
}

/// Looks at repositories.
pub struct Looker {
    /// Where the repositories are.
    pub repositories: Repositories,
    /// Wakes the workers of releases.
    pub wake: Arc<Notify>,
    /// Time between two looks at a repository that nobody asks for, in milliseconds; `None` for no such
    /// looks.
    pub poll: Option<Timestamp>,
    /// Learns what becomes of looks.
    pub observe: Box<dyn Fn(LookOutcome) + Send + Sync>,
}

impl fmt::Debug for Looker {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Looker").field("poll", &self.poll).finish_non_exhaustive()
    }
}

impl Job for Looker {
    const QUEUE: Queue = Queue::Looks;

    fn run<'a>(&'a self, held: &'a HeldLease) -> BoxFuture<'a, Result<(), JobError>> {
        Box::pin(look(self, held))
    }
}

/// What was seen, in sentences.
#[derive(Debug, Default)]
struct Seen {
    moved: Vec<String>,
    /// Whether there are previews to build.
    previews: bool,
    /// What could not be read, and whether that may pass.
    problems: Vec<(String, bool)>,
}

/// Looks at a repository, and says when to do so again.
async fn look(looker: &Looker, held: &HeldLease) -> Result<(), JobError> {
    let database = &looker.repositories.database;
    let (requested, failures) = database.standing(held.lease()).await?;
    let gone = || JobError::Permanent("the project is gone".to_owned());
    let project = database.project(held.id()).await?.ok_or_else(gone)?;
    let seen = match timeout(PATIENCE, branches(looker, &project)).await {
        Ok(Ok(seen)) => seen,
        Ok(Err(error @ (JobError::Lost | JobError::Stopped))) => return Err(error),
        Ok(Err(error)) => Seen::problem(error.to_string(), matches!(error, JobError::Transient(_))),
        Err(_) => Seen::problem("the repository does not answer in time".to_owned(), true),
    };
    if !seen.moved.is_empty() || seen.previews {
        looker.wake.notify_one();
    }
    (looker.observe)(seen.outcome());
    let error = seen.error();
    if let Some(error) = &error {
        tracing::info!(%error, "the repository can't be read");
    }
    let again = looker.again(&project, &seen, failures + 1);
    let left = Standing { requested, error, again };
    let now = looker.repositories.clock.now();
    let kept = database.leave_look(held.lease(), &left, &seen.summary(), now).await?;
    if kept { Ok(()) } else { Err(JobError::Lost) }
}

/// Records what the branches have that sites of a project show.
async fn branches(looker: &Looker, project: &Project) -> Result<Seen, JobError> {
    let repositories = &looker.repositories;
    let mut seen = Seen::default();
    // A folder has no history to follow; who changes it asks for a release.
    if matches!(location(project)?, Location::Folder(_)) {
        return Ok(seen);
    }
    let repository = repositories.of(project).await?;
    if repository.is_built_in() {
        // The process of a push may not have lived to do this.
        repositories.built_in(&project.id).record_size().await?;
    }
    let sites = repositories.database.sites(&project.id).await?;
    // Nothing follows from a project without a site; that its repository can't be read is said anyway.
    if sites.is_empty()
        && let Err(error) = repositories.checkouts.head(&repository.origin(), None).await
        && !matches!(error, GitError::NoBranch(_))
    {
        seen.problems.push((error.to_string(), error.may_pass()));
        return Ok(seen);
    }
    // Sites of one branch are one look.
    let by_branch: BTreeMap<_, _> = sites.iter().map(|site| (&site.branch, site)).collect();
    for site in by_branch.into_values() {
        let branch = site.branch.as_deref();
        for _ in 0..ATTEMPTS {
            let looked_from = repositories.database.last_place(site).await?;
            let head = match repositories.checkouts.head(&repository.origin(), branch).await {
                Ok(head) => head,
                Err(error) => {
                    seen.problems.push((error.to_string(), error.may_pass()));
                    match error {
                        // Other branches may be there.
                        GitError::NoBranch(_) => break,
                        _ => return Ok(seen),
                    }
                }
            };
            let found = (head.branch.as_str(), head.commit.as_str());
            let now = repositories.clock.now();
            match repositories.database.branch_seen(site, found, looked_from, now).await? {
                Moved::New => {
                    let short = head.commit.get(..12).unwrap_or(&head.commit);
                    seen.moved.push(format!("`{}` is at {short}", head.branch));
                }
                Moved::Same => {}
                Moved::Outdated => continue,
            }
            break;
        }
    }
    // Who may read branches may not be able to list pull requests, so that this is no problem of the look.
    match previews::follow(repositories, project).await {
        Ok(found) => seen.previews = found,
        Err(error) => tracing::info!(%error, "pull requests can't be listed"),
    }
    Ok(seen)
}

impl Looker {
    /// When to look again, after so many failures in a row. Looks that nobody asks for are spread, and
    /// what can't be read is looked at less and less.
    fn again(&self, project: &Project, seen: &Seen, failures: i64) -> Option<Timestamp> {
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

impl Seen {
    fn problem(problem: String, may_pass: bool) -> Self {
        Self { problems: vec![(problem, may_pass)], ..Self::default() }
    }

    fn outcome(&self) -> LookOutcome {
        match (self.problems.is_empty(), self.moved.is_empty() && !self.previews) {
            (false, _) => LookOutcome::Failed,
            (true, false) => LookOutcome::Moved,
            (true, true) => LookOutcome::Same,
        }
    }

    fn error(&self) -> Option<String> {
        let all: Vec<_> = self.problems.iter().map(|(problem, _)| problem.as_str()).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// What came of the look, in sentences.
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
