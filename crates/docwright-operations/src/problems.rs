//! Problems of a project: what keeps it from working as it is set up. A problem is gone when its cause is.

use docwright_storage::database::{self, FailingDependency, PollState};
use docwright_types::{
    domain_check::DnsState, notification::NotificationStatus, problem::ProblemKind,
    release::ReleaseStatus, timestamp::iso,
};
use futures::future::try_join_all;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    Allowed, OperationError, Operations, can,
    domains::{self, CertificateStanding, DomainDetails, ListDomains},
    lists::Page,
    releases,
};

/// Domains that are checked.
pub(crate) const DOMAINS: i64 = 100;
/// Notifications of a subscription among which the newest one that was sent is found.
const NOTIFICATIONS: i64 = 5;

/// Something about a project that doesn't work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// The part of the project that the problem is in.
    pub kind: ProblemKind,
    /// What is wrong, without a period at the end.
    #[schema(example = "there is no branch `main` in the repository")]
    pub message: String,
    /// ID of the release or the subscription, the domain, or the name of the model, that has the problem; null for the
    /// repository and the object storage.
    #[schema(example = json!(null))]
    pub subject: Option<String>,
    /// Time since when the problem is known.
    #[schema(format = DateTime)]
    pub since: Option<String>,
    /// Number of failed attempts, if docwright retries.
    #[schema(minimum = 1, example = 3)]
    pub attempts: Option<i64>,
    /// Time of the next attempt, if it is known.
    #[schema(format = DateTime)]
    pub next_attempt_at: Option<String>,
}

/// Problems of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProblemList {
    /// The problems: of the repository, releases, domains, subscriptions, models, and the object storage.
    pub problems: Vec<Problem>,
}

/// Lists what is wrong with a project now. Problems of subscriptions are only for callers that can list these.
pub async fn list(
    operations: &Operations,
    caller: &Allowed<can::ListProblems>,
    project_id: &str,
) -> Result<ProblemList, OperationError> {
    let filter = ListDomains { project_id: Some(project_id.to_owned()), ..ListDomains::default() };
    let page = Page::new(Some(DOMAINS), None)?;
    let domains = domains::list(operations, &caller.allowed()?, &filter, &page).await?;
    let problems = with_domains(operations, caller, project_id, &domains.items).await?;
    Ok(ProblemList { problems })
}

/// The problems of a project whose domains are known.
pub(crate) async fn with_domains(
    operations: &Operations,
    caller: &Allowed<can::ListProblems>,
    project_id: &str,
    domains: &[DomainDetails],
) -> Result<Vec<Problem>, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let (poll, release, dependencies, notifications) = tokio::try_join!(
        async { Ok(operations.database.poll_state(&project.id).await?) },
        of_newest_release(operations, &project),
        of_dependencies(operations, &project),
        async {
            if !caller.can::<can::ListSubscriptions>() {
                return Ok(Vec::new());
            }
            of_subscriptions(operations, &project).await
        },
    )?;
    let repository = poll.and_then(of_poll);
    // A release that fails because the repository can't be read says nothing new.
    let is_new = |release: &Problem| {
        repository.as_ref().is_none_or(|repository| repository.message != release.message)
    };
    let release: Vec<_> = release.into_iter().filter(is_new).collect();
    let domains = domains.iter().filter_map(of_domain);
    let all = repository.into_iter().chain(release).chain(dependencies).chain(domains);
    Ok(all.chain(notifications).collect())
}

/// Tests the models and the object storage that a project has problems with. Returns the problems after that.
pub async fn test(
    operations: &Operations,
    caller: &Allowed<can::TestDependencies>,
    project_id: &str,
) -> Result<ProblemList, OperationError> {
    let project = caller.project(operations, project_id).await?;
    operations.dependencies.test_for(&project.id).await?;
    list(operations, &caller.allowed()?, &project.id).await
}

fn of_poll(poll: PollState) -> Option<Problem> {
    Some(Problem {
        kind: poll.error_kind.unwrap_or(ProblemKind::Repository),
        message: poll.error?,
        subject: None,
        since: poll.failing_since.map(iso),
        attempts: Some(poll.failures.max(1)),
        next_attempt_at: poll.next_at.map(iso),
    })
}

/// The newest release of a site: that it failed, or that the git host doesn't take its status.
async fn of_newest_release(
    operations: &Operations,
    project: &database::Project,
) -> Result<Option<Problem>, OperationError> {
    let newest = releases::newest_of_sites(operations, &project.id).await?;
    let Some(release) = newest else { return Ok(None) };
    if release.status == ReleaseStatus::Failed && !release.is_canceled() {
        return Ok(Some(Problem {
            kind: ProblemKind::Release,
            message: release.error.unwrap_or_else(|| "the build failed".to_owned()),
            subject: Some(release.id),
            since: release.ended_at.map(iso),
            attempts: None,
            next_attempt_at: None,
        }));
    }
    let Some(report) = operations.database.report(&release.id).await? else { return Ok(None) };
    Ok(report.error.map(|message| Problem {
        kind: ProblemKind::CommitStatus,
        message,
        subject: Some(release.id),
        since: report.failing_since.map(iso),
        attempts: Some(report.failures.max(1)),
        next_attempt_at: None,
    }))
}

/// Models that jobs and answers of the project use, and the object storage.
async fn of_dependencies(
    operations: &Operations,
    project: &database::Project,
) -> Result<Vec<Problem>, OperationError> {
    let models = &operations.models;
    let own = project.model.as_deref().unwrap_or(&models.default);
    // The project can have another model since.
    let is_used = |failing: &FailingDependency| {
        let model = failing.subject.as_str();
        failing.kind != ProblemKind::Model
            || model == own
            || Some(model) == models.assistant.as_deref()
    };
    let failing = operations.database.failing_dependencies_of(&project.id).await?;
    Ok(failing.into_iter().filter(is_used).map(of_dependency).collect())
}

fn of_dependency(failing: FailingDependency) -> Problem {
    Problem {
        kind: failing.kind,
        message: failing.message,
        subject: (failing.kind == ProblemKind::Model).then_some(failing.subject),
        since: Some(iso(failing.failing_since)),
        attempts: Some(failing.failures),
        next_attempt_at: Some(iso(failing.next_test_at)),
    }
}

/// The record that verifies a domain isn't found, its name leads somewhere else, or its hostname has no certificate.
fn of_domain(domain: &DomainDetails) -> Option<Problem> {
    let dns = domain.dns.as_ref();
    let lost = dns.filter(|dns| matches!(dns.state, DnsState::Missing | DnsState::Elsewhere));
    let certificate = domain.certificate.as_ref().filter(|certificate| {
        matches!(
            certificate.state,
            CertificateStanding::Failed
                | CertificateStanding::Expired
                | CertificateStanding::Missing
        )
    });
    let lost = lost.map(|dns| dns.problem.as_deref().unwrap_or("the name doesn't lead here"));
    let (kind, message) = match (domain.problem.as_deref().or(lost), certificate) {
        (Some(message), _) => (ProblemKind::Dns, message),
        (None, Some(certificate)) => {
            let error = certificate.error.as_deref();
            (ProblemKind::Certificate, error.unwrap_or("the certificate has expired"))
        }
        (None, None) => return None,
    };
    Some(Problem {
        kind,
        message: message.trim_end_matches('.').to_owned(),
        since: domain.problem.is_some().then(|| domain.created_at.clone()),
        subject: Some(domain.domain.clone()),
        attempts: None,
        next_attempt_at: None,
    })
}

/// Subscriptions whose newest notification that was sent didn't arrive.
async fn of_subscriptions(
    operations: &Operations,
    project: &database::Project,
) -> Result<Vec<Problem>, OperationError> {
    let database = &operations.database;
    let all = database.subscriptions(&project.organization_id).await?;
    let own = all.into_iter().filter(|subscription| {
        subscription.project_id.as_ref().is_none_or(|only| *only == project.id)
    });
    let found = try_join_all(own.map(|subscription| async move {
        let newest = database.notifications(&subscription.id, None, NOTIFICATIONS).await?;
        let sent = newest.into_iter().find(|notification| notification.attempts > 0);
        let failed =
            sent.filter(|notification| notification.status != NotificationStatus::Delivered);
        Ok::<_, OperationError>(failed.and_then(|notification| {
            let is_retried = notification.status == NotificationStatus::Pending;
            Some(Problem {
                kind: ProblemKind::Notification,
                message: notification.error?,
                subject: Some(subscription.id),
                since: Some(iso(notification.created_at)),
                attempts: Some(notification.attempts),
                next_attempt_at: is_retried.then(|| iso(notification.run_after)),
            })
        }))
    }));
    Ok(found.await?.into_iter().flatten().collect())
}
