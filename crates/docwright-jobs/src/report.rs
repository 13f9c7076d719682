//! Reports commit statuses to git hosts: the state of a release, and its new diagnostics.
//!
//! The wanted report follows from the release, and the last report is stored beside it; a report job sends the
//! difference. It delays no build, and its errors fail none.

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
    question_check::QuestionCheck,
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

/// Time limit of a report.
const PATIENCE: Duration = Duration::from_mins(5);
/// Largest number of hosts with a requested pause that are remembered.
const MAXIMUM_PAUSES: usize = 10_000;

/// Outcome of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportOutcome {
    /// The host accepted it.
    Reported,
    /// There was nothing new to report.
    Same,
    /// The host did not accept it; it is retried.
    Delayed,
    /// The host refused, or did not respond for hours.
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
    /// Access to the repositories and their hosts.
    pub repositories: Repositories,
    /// Pauses that hosts requested, by organization.
    pub pauses: Pauses,
    /// Receives the outcomes of reports.
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

/// Sends the missing report about a release to its host.
async fn report(reporter: &CommitStatusReporter, held: &HeldLease) -> Result<(), JobError> {
    let database = &reporter.repositories.database;
    let (requested, failures) = database.recurring_job_state(held.lease()).await?;
    let mut left = RecurringJobState { requested, error: None, again: None };
    let (mut reported, mut outcome) = (None, ReportOutcome::Same);
    if let Some((project, status)) = wanted(reporter, held).await? {
        let text = format!("{:?}: {}", status.state, status.description);
        let before = database.report(held.id()).await?.unwrap_or_default();
        // A failed report is not retried without a change.
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
    /// The job must stop.
    Left(JobError),
    /// The host did not accept it.
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
        let message = format!("the git host {} requested a pause", key.1);
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
            let message = format!("the git host {} did not respond in time", key.1);
            Err(Unreported::Host(GitHostError::of(message, true)))
        }
    }
}

/// The wanted report about a release. `None` if there is nothing to report, or no host.
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
    // A host of an unknown kind is plain git, which takes no statuses.
    let hosts = &reporter.repositories.hosts;
    let takes_statuses = match location(&project) {
        Ok(Location::Remote(address)) => hosts.kind(&address).is_some(),
        _ => false,
    };
    if !takes_statuses || !release.servable || database.has_later_release(&release).await? {
        return Ok(None);
    }
    // A skipped release has the result of the release with the same pages.
    let standing = match (release.status, &release.replaced_by) {
        (ReleaseStatus::Skipped, Some(id)) => database.release(id).await?,
        _ => None,
    };
    let shown = standing.as_ref().unwrap_or(&release);
    let new = database.new_diagnostics(&release.id).await?;
    let questions = database.question_check(&shown.id).await?;
    let preview = database.preview_of_site(&site.id).await?;
    let address = match (&preview, &reporter.repositories.previews) {
        (Some(preview), Ok(addresses)) => addresses.url(&preview.host),
        _ => release.site_address(&site),
    };
    let state = match shown.status {
        ReleaseStatus::Queued | ReleaseStatus::Building => CommitState::Pending,
        ReleaseStatus::Ready if shown.held_errors.is_some() => CommitState::Failure,
        ReleaseStatus::Ready => CommitState::Success,
        ReleaseStatus::Failed => CommitState::Failure,
        ReleaseStatus::Superseded => CommitState::Skipped,
        // The release that replaced it was removed; it was ready.
        ReleaseStatus::Skipped => CommitState::Success,
    };
    let status = CommitStatus {
        commit,
        state,
        context: context(&site, preview.is_some()),
        description: describe(shown, standing.is_some(), (new.as_ref(), questions.as_ref())),
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

/// Names of statuses on hosts: one for each site, and one for all previews, whose hostnames mean nothing to
/// people.
fn context(site: &Site, is_preview: bool) -> String {
    if is_preview {
        return "docwright/preview".to_owned();
    }
    format!("docwright/{}", site.domain)
}

fn describe(
    release: &Release,
    is_recurring: bool,
    (new, questions): (Option<&NewDiagnostics>, Option<&QuestionCheck>),
) -> String {
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
            let held = release.held_errors.map(held).unwrap_or_default();
            let pages = format!("{held}{}", counted(release.page_count, "page"));
            // Hosts cut long texts, so the first diagnostic comes last.
            let questions = questions.map(changed_questions).unwrap_or_default();
            match new {
                None if release.warning_count == 0 => {
                    format!("{pages}, no diagnostics.{questions}")
                }
                None => {
                    format!("{pages}, {}.{questions}", counted(release.warning_count, "diagnostic"))
                }
                Some(new) if new.count == 0 => format!("{pages}, no new diagnostics.{questions}"),
                Some(new) => {
                    let first = new.first.first().map(place).unwrap_or_default();
                    format!("{pages}, {}.{questions} {first}", new.counted())
                }
            }
        }
    }
}

/// A sentence about changed golden questions, after a space; empty without any.
fn changed_questions(check: &QuestionCheck) -> String {
    if check.changed() == 0 { String::new() } else { format!(" {}.", check.summary()) }
}

/// A sentence about a release that is held, with a space after it.
fn held(errors: i64) -> String {
    format!("Held for {}. ", counted(errors, "new error"))
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

/// End of requested pauses of hosts: by organization, since each has its own tokens.
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
