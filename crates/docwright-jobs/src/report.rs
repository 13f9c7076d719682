//! Telling a host how its commits are doing: what a release has come to, and what it found that the one
//! before it did not.
//!
//! What is to be reported follows from the release, and what was reported is kept beside it; a report brings the
//! two together. It holds up no build, and what goes wrong with it fails none.

use std::{
    collections::HashMap,
    fmt,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use docwright_repository::{
    git_hosts::{Annotation, CommitState, CommitStatus, GitHostError},
    location::Location,
};
use docwright_storage::database::{MAXIMUM_FAILURES, Project, Queue, RecurringJobState, backoff};
use docwright_types::{
    counted::counted,
    release::{Release, ReleaseStatus},
    site::Site,
    stored_diagnostic::{NewDiagnostics, StoredDiagnostic},
    timestamp::Timestamp,
};
use futures::future::BoxFuture;
use tokio::time::timeout;

use crate::{
    queue::{HeldLease, Job, JobError},
    repositories::{Repositories, location},
};

/// How long telling a host can take.
const PATIENCE: Duration = Duration::from_mins(5);
/// Hosts that want to be left alone which are remembered at most.
const MAXIMUM_PAUSES: usize = 10_000;

/// What became of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportOutcome {
    /// The host took it.
    Reported,
    /// There was nothing new to report.
    Same,
    /// The host did not take it; it is retried.
    Delayed,
    /// The host refused, or did not answer for hours.
    Failed,
}

impl ReportOutcome {
    /// Every outcome.
    pub const ALL: [Self; 4] = [Self::Reported, Self::Same, Self::Delayed, Self::Failed];

    /// Its name in metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reported => "reported",
            Self::Same => "same",
            Self::Delayed => "delayed",
            Self::Failed => "failed",
        }
    }
}

/// Reports releases to git hosts.
pub struct CommitStatusReporter {
    /// Where the repositories are, and their hosts.
    pub repositories: Repositories,
    /// Until when a host wants to be left alone by an organization.
    pub pauses: Pauses,
    /// Learns what becomes of reports.
    pub observe: Box<dyn Fn(ReportOutcome) + Send + Sync>,
}

impl fmt::Debug for CommitStatusReporter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CommitStatusReporter").finish_non_exhaustive()
    }
}

impl Job for CommitStatusReporter {
    const QUEUE: Queue = Queue::Reports;

    fn run<'a>(&'a self, held: &'a HeldLease) -> BoxFuture<'a, Result<(), JobError>> {
        Box::pin(report(self, held))
    }
}

/// Brings what was reported to a host about a release up to what is to be reported.
async fn report(reporter: &CommitStatusReporter, held: &HeldLease) -> Result<(), JobError> {
    let database = &reporter.repositories.database;
    let (requested, failures) = database.recurring_job_state(held.lease()).await?;
    let mut left = RecurringJobState { requested, error: None, again: None };
    let (mut reported, mut outcome) = (None, ReportOutcome::Same);
    if let Some((project, status)) = wanted(reporter, held).await? {
        let text = format!("{:?}: {}", status.state, status.description);
        let before = database.report(held.id()).await?.unwrap_or_default();
        // What was given up is not retried without a change.
        if before.reported.as_ref() != Some(&text) {
            match tell(reporter, held, &project, &status).await {
                Ok(()) => (reported, outcome) = (Some(text), ReportOutcome::Reported),
                Err(Unreported::Left(error)) => return Err(error),
                Err(Unreported::Host(error)) => {
                    tracing::info!(%error, "release not reported to its git host");
                    let is_last = failures + 1 >= MAXIMUM_FAILURES;
                    if error.is_transient && !is_last {
                        let asked = error.retry_after.map_or(0, milliseconds);
                        left.again = Some(backoff(failures + 1, rand::random()).max(asked));
                    }
                    outcome = if left.again.is_some() {
                        ReportOutcome::Delayed
                    } else {
                        ReportOutcome::Failed
                    };
                    left.error = Some(error.message);
                }
            }
        }
    }
    (reporter.observe)(outcome);
    let now = reporter.repositories.clock.now();
    let kept = database.finish_report(held.lease(), &left, reported.as_deref(), now).await?;
    if kept { Ok(()) } else { Err(JobError::Lost) }
}

/// Why nothing was reported.
enum Unreported {
    /// The job can't go on.
    Left(JobError),
    /// The host did not take it.
    Host(GitHostError),
}

async fn tell(
    reporter: &CommitStatusReporter,
    held: &HeldLease,
    project: &Project,
    status: &CommitStatus,
) -> Result<(), Unreported> {
    let refused = |error: JobError| match error {
        JobError::Lost | JobError::Stopped => Unreported::Left(error),
        JobError::Permanent(text) => Unreported::Host(GitHostError::of(text, false)),
        JobError::Transient(text) => Unreported::Host(GitHostError::of(text, true)),
    };
    let host = match location(project) {
        Ok(Location::Remote(address)) => address.host_and_port(),
        _ => return Ok(()),
    };
    let key = (project.organization_id.clone(), host);
    if let Some(wait) = reporter.pauses.left(&key) {
        let message = format!("the git host {} wants to be left alone for a while", key.1);
        let retry_after = Some(wait);
        return Err(Unreported::Host(GitHostError {
            retry_after,
            ..GitHostError::of(message, true)
        }));
    }
    let git_hosts = reporter.repositories.git_hosts(project).await.map_err(refused)?;
    held.confirm().await.map_err(Unreported::Left)?;
    match timeout(PATIENCE, git_hosts.set_status(status)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => {
            if let Some(wait) = error.retry_after {
                reporter.pauses.add(key, wait);
            }
            Err(Unreported::Host(error))
        }
        Err(_) => {
            let message = format!("the git host {} does not answer in time", key.1);
            Err(Unreported::Host(GitHostError::of(message, true)))
        }
    }
}

/// What is to be reported about a release now. `None` if there is nothing to say, or nobody to say it to.
async fn wanted(
    reporter: &CommitStatusReporter,
    held: &HeldLease,
) -> Result<Option<(Project, CommitStatus)>, JobError> {
    let database = &reporter.repositories.database;
    let gone = || JobError::Permanent("the release is gone".to_owned());
    let release = database.release(held.id()).await?.ok_or_else(gone)?;
    let site = database.site(&release.site_id).await?.ok_or_else(gone)?;
    let project = database.project(&release.project_id).await?.ok_or_else(gone)?;
    let Some(commit) = release.commit.sha.clone() else { return Ok(None) };
    let is_remote = matches!(location(&project), Ok(Location::Remote(_)));
    if !is_remote || !release.servable || database.has_later_release(&release).await? {
        return Ok(None);
    }
    // One that was skipped is as the one that holds the same pages.
    let standing = match (release.status, &release.replaced_by) {
        (ReleaseStatus::Skipped, Some(id)) => database.release(id).await?,
        _ => None,
    };
    let shown = standing.as_ref().unwrap_or(&release);
    let new = database.new_diagnostics(&release.id).await?;
    let preview = database.preview_of_site(&site.id).await?;
    let address = match (&preview, &reporter.repositories.previews) {
        (Some(preview), Ok(addresses)) => addresses.url(&preview.host),
        _ => release.site_address(&site),
    };
    let state = match shown.status {
        ReleaseStatus::Queued | ReleaseStatus::Building => CommitState::Pending,
        ReleaseStatus::Ready => CommitState::Success,
        ReleaseStatus::Failed => CommitState::Failure,
        ReleaseStatus::Superseded => CommitState::Skipped,
        // The release that stood for it was removed; it was ready.
        ReleaseStatus::Skipped => CommitState::Success,
    };
    let status = CommitStatus {
        commit,
        state,
        context: context(&site, preview.is_some()),
        description: describe(shown, standing.is_some(), new.as_ref()),
        target_url: Some(address),
        annotations: new
            .map(|new| new.first)
            .unwrap_or_default()
            .into_iter()
            .map(annotation)
            .collect(),
    };
    Ok(Some((project, status)))
}

/// What hosts show beside the state: one name for each site, and one for all previews, whose hosts say
/// nothing to anybody.
fn context(site: &Site, is_preview: bool) -> String {
    if is_preview {
        return "docwright/preview".to_owned();
    }
    format!("docwright/{}", site.domain)
}

fn describe(release: &Release, is_recurring: bool, new: Option<&NewDiagnostics>) -> String {
    match release.status {
        ReleaseStatus::Queued | ReleaseStatus::Building => "The site is being built.".to_owned(),
        ReleaseStatus::Failed => {
            format!(
                "The build failed: {}.",
                release.error.as_deref().unwrap_or("no reason is known")
            )
        }
        ReleaseStatus::Superseded => "Superseded by a newer commit.".to_owned(),
        ReleaseStatus::Skipped => "No pages changed.".to_owned(),
        ReleaseStatus::Ready if is_recurring => "No pages changed.".to_owned(),
        ReleaseStatus::Ready => {
            let pages = counted(release.page_count, "page");
            match new {
                None if release.warning_count == 0 => format!("{pages}, no diagnostics."),
                None => format!("{pages}, {}.", counted(release.warning_count, "diagnostic")),
                Some(new) if new.count == 0 => format!("{pages}, no new diagnostics."),
                Some(new) => {
                    let first = new.first.first().map(place).unwrap_or_default();
                    format!("{pages}, {}. {first}", new.counted())
                }
            }
        }
    }
}

fn place(diagnostic: &StoredDiagnostic) -> String {
    let StoredDiagnostic { path, line, message, .. } = diagnostic;
    if *line == 0 { format!("{path}: {message}") } else { format!("{path}:{line}: {message}") }
}

fn annotation(diagnostic: StoredDiagnostic) -> Annotation {
    let StoredDiagnostic { path, line, is_error, code, message } = diagnostic;
    Annotation { path, line, is_error, code, message }
}

fn milliseconds(time: Duration) -> Timestamp {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// Until when hosts want to be left alone: by organization, since each has tokens of its own.
#[derive(Debug, Default)]
pub struct Pauses(Mutex<HashMap<(String, String), Instant>>);

impl Pauses {
    fn left(&self, key: &(String, String)) -> Option<Duration> {
        let pauses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let left = pauses.get(key)?.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }

    fn add(&self, key: (String, String), wait: Duration) {
        let mut pauses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if pauses.len() >= MAXIMUM_PAUSES {
            pauses.retain(|_, until| *until > now);
        }
        if let Some(until) = now.checked_add(wait) {
            pauses.insert(key, until);
        }
    }
}
