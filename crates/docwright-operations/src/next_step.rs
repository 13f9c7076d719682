//! The next step of a project: the first thing that isn't set up, or doesn't work. One at a time, so that people know what
//! to do. It follows from the state of the project; only steps that a project can do without can be dismissed.

use docwright_repository::location::{Location, Scheme};
use docwright_storage::database::{PageRequest, Project};
use docwright_types::problem::ProblemKind;
use serde_json::json;

use crate::{
    Allowed, Caller, OperationError, Operations,
    audit::Change,
    can,
    domains::{DomainDetails, DomainState},
    problems::Problem,
    releases::Release,
};

/// Something to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextStep {
    /// Push the first commit to the repository, or push documentation.
    Push,
    /// Repair what doesn't work: the first problem.
    Repair(ProblemKind),
    /// Add a domain, because nothing is built without one.
    AddDomain,
    /// Verify a domain, because nothing is built for one that is pending.
    VerifyDomain(String),
    /// The first release is being built.
    WaitForRelease,
    /// Activate the first release: its ID.
    Activate(String),
    /// Add a domain of one's own beside the default domain.
    AddOwnDomain,
    /// Send webhooks, so that pushes and pull requests are seen immediately.
    AddWebhook,
    /// Invite others.
    InviteTeam,
    /// Turn on the assistant for readers.
    TurnOnAssistant,
    /// Set a language model for agent jobs.
    SetModel,
}

/// The optional steps, with their names in the database.
const OPTIONAL: [(NextStep, &str); 5] = [
    (NextStep::AddOwnDomain, "own-domain"),
    (NextStep::AddWebhook, "webhook"),
    (NextStep::InviteTeam, "team"),
    (NextStep::TurnOnAssistant, "assistant"),
    (NextStep::SetModel, "model"),
];

impl NextStep {
    /// The name under which the step can be dismissed; `None` if the project can't do without it.
    pub fn dismissible(&self) -> Option<&'static str> {
        OPTIONAL.iter().find(|(step, _)| step == self).map(|(_, name)| *name)
    }
}

/// What is known of a project for its next step.
pub(crate) struct KnownState<'a> {
    /// Its first domains.
    pub(crate) domains: &'a [DomainDetails],
    /// Its newest releases.
    pub(crate) releases: &'a [Release],
    /// Releases that wait until someone activates them.
    pub(crate) waiting: &'a [Release],
    /// What is wrong.
    pub(crate) problems: &'a [Problem],
    /// Whether the repository is known to have a commit.
    pub(crate) has_commit: bool,
}

/// The next step; `None` if everything is set up. Optional steps are only for callers who can do them.
pub(crate) async fn of(
    operations: &Operations,
    caller: &Caller,
    project: &Project,
    known: &KnownState<'_>,
) -> Result<Option<NextStep>, OperationError> {
    if let Some(step) = required(project, known) {
        return Ok(Some(step));
    }
    let dismissed = operations.database.dismissed_steps(&project.id).await?;
    for (step, name) in OPTIONAL {
        if !dismissed.iter().any(|each| each == name)
            && is_open(operations, caller, project, (&step, known)).await?
        {
            return Ok(Some(step));
        }
    }
    Ok(None)
}

/// The first step without which readers see nothing, or something old.
fn required(project: &Project, known: &KnownState<'_>) -> Option<NextStep> {
    let KnownState { domains, releases, waiting, problems, has_commit } = known;
    let is_published = domains.iter().any(|domain| domain.release_id.is_some());
    let is_built_in = Location::parse(&project.repository) == Ok(Location::BuiltIn);
    if is_built_in && !has_commit {
        return Some(NextStep::Push);
    }
    // A repository without the branch, or without any commit, waits for a push.
    let is_urgent = |problem: &&Problem| is_published || problem.kind != ProblemKind::Branch;
    if let Some(problem) = problems.iter().find(is_urgent) {
        return Some(NextStep::Repair(problem.kind));
    }
    if domains.is_empty() {
        return Some(NextStep::AddDomain);
    }
    if is_published {
        return None;
    }
    let is_pending = |domain: &DomainDetails| domain.state == DomainState::Pending;
    if domains.iter().all(is_pending) {
        return domains.first().map(|domain| NextStep::VerifyDomain(domain.domain.clone()));
    }
    if let Some(release) = waiting.first() {
        return Some(NextStep::Activate(release.id.clone()));
    }
    let is_running = releases.iter().any(|release| release.is_of_site() && release.is_running());
    Some(if is_running || *has_commit { NextStep::WaitForRelease } else { NextStep::Push })
}

/// Whether an optional step isn't done, and the caller can do it.
async fn is_open(
    operations: &Operations,
    caller: &Caller,
    project: &Project,
    (step, known): (&NextStep, &KnownState<'_>),
) -> Result<bool, OperationError> {
    let database = &operations.database;
    let organization = project.organization_id.as_str();
    Ok(match step {
        NextStep::AddOwnDomain => {
            let has_own = known.domains.iter().any(is_own);
            caller.can::<can::CreateDomain>() && !has_own
        }
        NextStep::AddWebhook => {
            // A repository of this machine sends none.
            let is_remote = matches!(
                Location::parse(&project.repository),
                Ok(Location::Remote(address)) if address.scheme() != Scheme::File
            );
            caller.can::<can::CreateWebhookSecret>()
                && is_remote
                && !database.has_webhook_secret(&project.id).await?
        }
        NextStep::InviteTeam => {
            caller.can::<can::CreateInvitation>() && {
                let few = PageRequest::first(2);
                let members = database.members(organization, None, few).await?;
                let invited = database.invitations(organization, operations.now(), few).await?;
                members.len() + invited.len() < 2
            }
        }
        NextStep::TurnOnAssistant => {
            caller.can::<can::UpdateDeployment>()
                && !database.cloud_features(&project.id).await?.assistant.is_on()
        }
        NextStep::SetModel => {
            let models = &operations.models;
            let own = project.model.as_deref().unwrap_or(&models.default);
            caller.can::<can::GetInstance>() && own == docwright_agent::edits::NAME
        }
        _ => false,
    })
}

/// Whether a domain is verified and neither the default one nor of this machine.
fn is_own(domain: &DomainDetails) -> bool {
    let host = domain.domain.split('/').next().unwrap_or_default();
    domain.state == DomainState::Verified && !domain.is_default && !host.ends_with(".localhost")
}

/// Dismisses an optional step of a project, for all of its members.
pub async fn dismiss(
    operations: &Operations,
    caller: &Allowed<can::DismissStep>,
    project_id: &str,
    step: &str,
) -> Result<(), OperationError> {
    let project = caller.project(operations, project_id).await?;
    if !OPTIONAL.iter().any(|(_, name)| *name == step) {
        return Err(OperationError::Invalid("`step` can't be dismissed.".to_owned()));
    }
    let change = Change::of("project.dismiss_step", Some(&project.organization_id));
    let database = caller.recording(operations, change.after(json!({ "step": step })));
    Ok(database.dismiss_step(&project.id, step).await?)
}
