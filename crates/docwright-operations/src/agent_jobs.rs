//! Agent jobs: a prompt becomes a pull request.

mod diff;
mod follow_up;
mod watch;

use std::collections::HashMap;

use docwright_jobs::{queue::JobError, repositories::location};
use docwright_repository::location::Location;
use docwright_storage::database::{self, Allowance, NewAgentJob, Position, Project, Prompted};
use docwright_types::{
    agent_job::{self, AgentStatus, MAXIMUM_PROMPT, RefusedCall},
    timestamp::iso,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use crate::{
    Allowed, Caller, Listed, OperationError, Operations,
    audit::Change,
    callers::{DeferredCaller, no_project},
    can,
    fields::{Number, Text},
    idempotency::Idempotency,
    listed::Item,
    lists::Page,
    rate_limit::RateLimit,
    trace::concerns,
};

pub use diff::{AgentJobDiff, diff};
pub use follow_up::follow_up;
pub use watch::{Watch, watch};

/// An agent job.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentJob {
    /// ID of the job.
    #[schema(example = "agt_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub id: String,
    /// State of the job.
    pub status: AgentStatus,
    /// Repository of the documentation.
    pub source: AgentSource,
    /// Name of the model.
    #[schema(example = "builtin:edits")]
    pub model: String,
    /// URL of the pull request; null until it is open, or if no file changed.
    #[schema(format = "uri", example = "https://github.com/acme/docs/pull/12")]
    pub pr_link: Option<String>,
    /// Time when the job was created.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Time when the job was archived.
    #[schema(format = DateTime, example = json!(null))]
    pub archived_at: Option<String>,
    /// Time of the last change.
    #[schema(format = DateTime)]
    pub updated_at: String,
    /// Reason for the failure.
    #[schema(example = json!(null))]
    pub error: Option<String>,
    /// Summary of the agent's changes.
    #[schema(example = "Two links were broken; both lead to the pages that were meant.")]
    pub summary: Option<String>,
    /// Tokens and cost of the job.
    pub usage: AgentUsage,
    /// Paths of the changed files, relative to the docs root.
    #[schema(example = json!(["quickstart.mdx"]))]
    pub files_changed: Vec<String>,
    /// The first 20 refused tool calls, with reasons.
    pub refused: Vec<AgentRefusal>,
}

/// A refused tool call of the agent.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AgentRefusal {
    /// Name of the tool, as the agent called it.
    #[schema(example = "write")]
    pub tool: String,
    /// Reason for the refusal.
    #[schema(example = "`.github/x.yml` is hidden; agents can't change it")]
    pub reason: String,
    /// Number of refusals for this reason.
    #[schema(example = 1)]
    pub times: u32,
}

/// The repository of an agent job.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AgentSource {
    /// URL of the repository.
    #[schema(example = "https://github.com/acme/docs")]
    pub repository: String,
    /// Branch of the agent's changes; null until it exists.
    #[serde(rename = "ref")]
    #[schema(example = "docwright/job-0199a1b2c3d4")]
    pub git_ref: Option<String>,
}

/// Tokens and cost of an agent job.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentUsage {
    /// Tokens read by the model.
    #[schema(example = 5210)]
    pub input_tokens: i64,
    /// Tokens written by the model.
    #[schema(example = 640)]
    pub output_tokens: i64,
    /// Cost in US dollars; null if unknown.
    #[schema(example = json!(null))]
    pub cost: Option<f64>,
}

/// Which jobs to list.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListAgentJobs {
    /// Return only jobs in this state.
    #[param(inline, value_type = AgentStatus, required = false)]
    pub status: Option<AgentStatus>,
}

/// An agent job to start.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewJob {
    /// Instructions for the agent, in plain words.
    #[schema(
        value_type = String,
        min_length = 1,
        max_length = 100_000,
        pattern = r"^[^\x00]*[^\s\x00-\x1f\x7f-\x9f][^\x00]*$",
        example = "Fix the broken links."
    )]
    pub prompt: Text<MAXIMUM_PROMPT>,
    /// Model for the job, from the list of the project's models. If omitted, the project's model is
    /// used.
    #[schema(value_type = Option<String>, example = "builtin:edits")]
    pub model: Option<Text<200>>,
}

/// A follow-up prompt.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Prompt {
    /// Instructions for the agent, in plain words.
    #[schema(
        value_type = String,
        min_length = 1,
        max_length = 100_000,
        pattern = r"^[^\x00]*[^\s\x00-\x1f\x7f-\x9f][^\x00]*$",
        example = "Fix the broken links."
    )]
    pub prompt: Text<MAXIMUM_PROMPT>,
}

/// History of an agent job, oldest first.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AgentJobHistory {
    /// The newest 1000 entries.
    pub entries: Vec<AgentJobEntry>,
}

/// A prompt, step, or status change.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentJobEntry {
    /// Time of the entry.
    #[schema(format = DateTime)]
    pub at: String,
    /// Type of the entry: `prompt`, `step` for a step of the agent, or `status` for a new status of
    /// the job.
    #[schema(example = "step")]
    pub kind: String,
    /// Details: the `text` of a prompt, or the data of the event.
    #[schema(value_type = Object, example = json!({ "step": "checked_out" }))]
    pub data: Value,
}

/// Models that a job of a project can use.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AgentModels {
    /// The models. Jobs that don't name a model use the first one.
    pub models: Vec<AgentModel>,
    /// Reason why jobs of the project can't open pull requests, so that they would fail; null if they can.
    #[schema(example = json!(null))]
    pub problem: Option<String>,
}

/// A model for agent jobs.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AgentModel {
    /// Name of the model.
    #[schema(example = "builtin:edits")]
    pub name: String,
    /// Reason why the model is unavailable; null if it is available.
    #[schema(example = json!(null))]
    pub problem: Option<String>,
}

/// A page of agent jobs, newest first.
pub type AgentJobList = Listed<AgentJob>;

impl Item for AgentJob {
    const LIST: &'static str = "AgentJobList";
    const FIELD: &'static str = "jobs";
    const PAGE: &'static str = "A page of agent jobs, newest first.";
}

/// Agent jobs with the field names of version 1.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentSessions {
    /// The jobs, newest first.
    pub all_sessions: Vec<AgentSession>,
}

/// An agent job with the field names of version 1, for clients that expect them.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentSession {
    /// ID of the job.
    #[schema(example = "agt_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub session_id: String,
    /// Name of the project.
    #[schema(example = "handbook")]
    pub subdomain: String,
    /// Branch of the agent's changes; null until it exists.
    #[schema(example = "docwright/job-0199a1b2c3d4")]
    pub branch: Option<String>,
    /// Whether the job finished.
    #[schema(example = true)]
    pub haulted: bool,
    /// `completed` or `error`; null while the job is active.
    #[schema(example = "completed")]
    pub hault_reason: Option<String>,
    /// URL of the pull request; null until it is open, or if no file changed.
    #[schema(format = "uri", example = "https://github.com/acme/docs/pull/12")]
    pub pull_request_link: Option<String>,
    /// Summary of the agent's changes, or reason for the failure.
    #[schema(example = "Two links were broken; both lead to the pages that were meant.")]
    pub message_to_user: Option<String>,
    /// Always empty: docwright's agents keep no list of planned steps.
    pub todos: Vec<Value>,
    /// Time when the job was created.
    #[schema(format = DateTime)]
    pub created_at: String,
}

/// Which jobs of the older list to return.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListAgentSessions {
    /// Number of the newest jobs to skip; 0 if omitted.
    #[param(value_type = i64, required = false, minimum = 0, maximum = 1_000_000)]
    pub skip: Option<Number<0, 1_000_000>>,
    /// Maximum number of jobs to return; 100 if omitted.
    #[param(value_type = i64, required = false, minimum = 1, maximum = 100)]
    pub take: Option<Number<1, 100>>,
}

/// Lists the agent jobs of a project in the shape of the older list.
pub async fn list_sessions(
    operations: &Operations,
    caller: &Allowed<can::ListAgentSessions>,
    project_id: &str,
    filter: &ListAgentSessions,
) -> Result<AgentSessions, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let skip = filter.skip.map_or(0, |skip| skip.0);
    let take = filter.take.map_or(100, |take| take.0);
    let jobs = operations.database.newest_agent_jobs(&project.id, skip, take).await?;
    let all_sessions = jobs.into_iter().map(|job| AgentSession::of(job, &project.name)).collect();
    Ok(AgentSessions { all_sessions })
}

impl AgentSession {
    fn of(job: agent_job::AgentJob, project: &str) -> Self {
        let reason = match (job.status, &job.error) {
            (AgentStatus::Active, _) => None,
            (_, Some(_)) => Some("error"),
            (_, None) => Some("completed"),
        };
        Self {
            session_id: job.id,
            subdomain: project.to_owned(),
            branch: job.git_ref,
            haulted: reason.is_some(),
            hault_reason: reason.map(str::to_owned),
            pull_request_link: job.pr_link,
            message_to_user: job.error.or(job.summary),
            todos: Vec::new(),
            created_at: iso(job.created_at),
        }
    }
}

/// Lists the agent jobs of a project.
pub async fn list(
    operations: &Operations,
    caller: &Allowed<can::ListAgentJobs>,
    project_id: &str,
    filter: &ListAgentJobs,
    page: &Page,
) -> Result<AgentJobList, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let page = page.of(("agent_jobs", &project.id, filter))?;
    let jobs = operations.database.agent_jobs(&project.id, filter.status, page.of_all()).await?;
    Ok(page.cut(jobs, |job| Position::of_id(&job.id), AgentJob::from))
}

/// Starts an agent job. Also returns the rest of the rate limit.
pub async fn create(
    operations: &Operations,
    caller: &Allowed<can::CreateAgentJob>,
    project_id: &str,
    input: NewJob,
    idempotency: Idempotency,
) -> Result<(AgentJob, Allowance), OperationError> {
    let project = caller.project(operations, project_id).await?;
    let model = model(operations, &project, input.model.map(String::from))?;
    operations.require_room().await?;
    let new = NewAgentJob {
        organization_id: project.organization_id.clone(),
        repository: repository_url(operations, &project),
        model,
        prompt: input.prompt.into(),
        project_id: project.id,
        idempotency: idempotency.0,
    };
    // Prompts are private to the project.
    let change = Change::of("agent_job.create", Some(&new.organization_id))
        .after(json!({ "projectId": new.project_id, "model": new.model }));
    let database = caller.recording(operations, change);
    match database.create_agent_job(&new, operations.now()).await? {
        Prompted::Job(job, allowance) => {
            operations.wakes.agent_jobs.notify_one();
            concerns("job", &job.id);
            Ok((AgentJob::from(*job), allowance))
        }
        Prompted::Limited(allowance) => {
            Err(OperationError::TooManyRequests(RateLimit::PROMPTS, allowance))
        }
        Prompted::Conflict | Prompted::Refused(_) | Prompted::Missing => Err(reused_key()),
    }
}

/// Returns an agent job. Clients poll it, so a key that isn't checked yet is read together with the job.
pub async fn get(
    operations: &Operations,
    polling: DeferredCaller,
    (project_id, id): (&str, &str),
) -> Result<AgentJob, OperationError> {
    let key = match polling {
        DeferredCaller::Key(key) => key,
        DeferredCaller::Caller(caller) => {
            let caller = caller.allowed::<can::GetAgentJob>()?;
            let (_, job) = find(operations, &caller, (project_id, id)).await?;
            return Ok(job.into());
        }
    };
    let found = operations.database.key_and_agent_job(key.id(), project_id, id).await?;
    let (known, job) = match found {
        Some(found) => {
            (Some((found.key, found.organization)), found.has_project.then_some(found.job))
        }
        None => (None, None),
    };
    key.check(operations, known).await?.allowed::<can::GetAgentJob>()?;
    let job = job.ok_or_else(no_project)?;
    concerns("project", project_id);
    Ok(job.ok_or_else(no_job)?.into())
}

/// Cancels a running job. It is idempotent.
pub async fn cancel(
    operations: &Operations,
    caller: &Allowed<can::CancelAgentJob>,
    (project_id, id): (&str, &str),
) -> Result<AgentJob, OperationError> {
    let (project, job) = find(operations, caller, (project_id, id)).await?;
    let change = Change::of("agent_job.cancel", Some(&project.organization_id))
        .before(json!({ "projectId": project.id, "status": job.status.to_string() }));
    let database = caller.recording(operations, change);
    if !database.cancel_agent_job(id, operations.now()).await?
        && job.error.as_deref() != Some("cancelled")
    {
        return Err(OperationError::Conflict(format!("The job is {}, not active.", job.status)));
    }
    Ok(job_of(operations, &project, id).await?.into())
}

/// Archives a job. A running one is canceled first.
pub async fn archive(
    operations: &Operations,
    caller: &Allowed<can::ArchiveAgentJob>,
    (project_id, id): (&str, &str),
) -> Result<AgentJob, OperationError> {
    let (project, job) = find(operations, caller, (project_id, id)).await?;
    let change = Change::of("agent_job.archive", Some(&project.organization_id))
        .before(json!({ "projectId": project.id, "status": job.status.to_string() }));
    caller.recording(operations, change).archive_agent_job(id, operations.now()).await?;
    Ok(job_of(operations, &project, id).await?.into())
}

/// Returns the prompts of a job and the steps of its runs, by time.
pub async fn history(
    operations: &Operations,
    caller: &Allowed<can::GetAgentJobHistory>,
    (project_id, id): (&str, &str),
) -> Result<AgentJobHistory, OperationError> {
    find(operations, caller, (project_id, id)).await?;
    let entries = operations.database.agent_history(id).await?;
    Ok(AgentJobHistory { entries: entries.into_iter().map(AgentJobEntry::from).collect() })
}

/// Lists the models that a job of a project can use.
pub async fn models(
    operations: &Operations,
    caller: &Allowed<can::ListAgentModels>,
    project_id: &str,
) -> Result<AgentModels, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let named = model_names(operations, &project).into_iter();
    let models =
        named.map(|name| AgentModel { problem: operations.models.refuse(&name).err(), name });
    let problem = match operations.repositories.git_hosts(&project).await {
        Ok(_) => None,
        Err(JobError::Permanent(problem)) => Some(problem),
        // A job would try again.
        Err(_) => None,
    };
    Ok(AgentModels { models: models.collect(), problem })
}

/// The beginnings of the prompts that jobs started with, by job.
pub async fn titles(
    operations: &Operations,
    caller: &Allowed<can::ListAgentJobs>,
    project_id: &str,
    jobs: &[AgentJob],
) -> Result<HashMap<String, String>, OperationError> {
    caller.project(operations, project_id).await?;
    let ids: Vec<_> = jobs.iter().map(|job| job.id.as_str()).collect();
    Ok(operations.database.agent_titles(&ids).await?)
}

/// The model of a job: the one that the caller named, if it is allowed, or that of the project.
fn model(
    operations: &Operations,
    project: &Project,
    named: Option<String>,
) -> Result<String, OperationError> {
    let mut names = model_names(operations, project);
    let Some(named) = named else { return Ok(names.swap_remove(0)) };
    if names.contains(&named) {
        return Ok(named);
    }
    let names = names.join("`, `");
    Err(OperationError::Invalid(format!("`model` must be one of `{names}`.")))
}

/// The models that a job of a project can use; first the default.
fn model_names(operations: &Operations, project: &Project) -> Vec<String> {
    let of_project = project.model.clone();
    let mut names: Vec<_> = of_project.into_iter().chain(operations.models.names()).collect();
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

impl From<agent_job::AgentJob> for AgentJob {
    fn from(job: agent_job::AgentJob) -> Self {
        Self {
            id: job.id,
            status: job.status,
            source: AgentSource { repository: job.repository, git_ref: job.git_ref },
            model: job.model,
            pr_link: job.pr_link,
            created_at: iso(job.created_at),
            archived_at: job.archived_at.map(iso),
            updated_at: iso(job.updated_at),
            error: job.error,
            summary: job.summary,
            usage: AgentUsage {
                input_tokens: job.usage.input_tokens,
                output_tokens: job.usage.output_tokens,
                cost: job.usage.cost,
            },
            files_changed: job.files_changed,
            refused: job.refused.into_iter().map(AgentRefusal::from).collect(),
        }
    }
}

impl From<RefusedCall> for AgentRefusal {
    fn from(RefusedCall { tool, reason, times }: RefusedCall) -> Self {
        Self { tool, reason, times }
    }
}

impl From<database::AgentEntry> for AgentJobEntry {
    fn from(entry: database::AgentEntry) -> Self {
        let data = if entry.kind == "prompt" {
            json!({ "text": entry.data })
        } else {
            serde_json::from_str(&entry.data).unwrap_or_default()
        };
        Self { at: iso(entry.at), kind: entry.kind, data }
    }
}

/// Full address of a project's repository for clients: it never contains credentials.
fn repository_url(operations: &Operations, project: &Project) -> String {
    match location(project) {
        Ok(Location::BuiltIn) => operations.repositories.built_in(&project.id).clone_url(),
        Ok(Location::Folder(folder)) => format!("file://{}", folder.display()),
        Ok(Location::Remote(address)) => address.to_string(),
        // An unreadable address can contain anything.
        Err(_) => String::new(),
    }
}

/// The project and the job with some IDs, if the caller can access the project.
async fn find(
    operations: &Operations,
    caller: &Caller,
    (project_id, id): (&str, &str),
) -> Result<(Project, agent_job::AgentJob), OperationError> {
    let project = caller.project(operations, project_id).await?;
    let job = job_of(operations, &project, id).await?;
    Ok((project, job))
}

/// A job of a project in its present state.
async fn job_of(
    operations: &Operations,
    project: &Project,
    id: &str,
) -> Result<agent_job::AgentJob, OperationError> {
    operations.database.agent_job(&project.id, id).await?.ok_or_else(no_job)
}

fn no_job() -> OperationError {
    OperationError::NotFound("Agent job not found in this project. Check the ID.".to_owned())
}

fn reused_key() -> OperationError {
    OperationError::Conflict(
        "This Idempotency-Key was used with a different body. Use a new key.".to_owned(),
    )
}
