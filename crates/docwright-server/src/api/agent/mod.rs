//! Agent jobs: a prompt becomes a pull request.

pub(super) mod archive;
pub(super) mod cancel;
pub(super) mod create;
pub(super) mod diff;
pub(super) mod events;
pub(super) mod get;
pub(super) mod history;
pub(super) mod list;
pub(super) mod message;
pub(super) mod models;

use docwright_domain::{
    agent_job::{self, AgentStatus, MAXIMUM_PROMPT, RefusedCall},
    timestamp::iso,
};
use docwright_flows::repositories::location;
use docwright_repository::location::Location;
use docwright_storage::database::Project;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::text::Text;
use crate::{error::ApiError, state::AppState};

/// A piece of work of an agent on the documentation of a project.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentJob {
    /// Identifier of the job.
    #[schema(example = "agt_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    id: String,
    /// Where the job stands.
    status: AgentJobStatus,
    /// Where the documentation is.
    source: AgentSource,
    /// Name of the model.
    #[schema(example = "builtin:edits")]
    model: String,
    /// The pull request, once it is there; stays null if no files were changed.
    #[schema(format = "uri", example = "https://github.com/acme/docs/pull/12")]
    pr_link: Option<String>,
    /// When the job was created.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it was archived.
    #[schema(format = DateTime, example = json!(null))]
    archived_at: Option<String>,
    /// When anything about it changed last.
    #[schema(format = DateTime)]
    updated_at: String,
    /// Why it failed.
    #[schema(example = json!(null))]
    error: Option<String>,
    /// What was done.
    #[schema(example = "Two links were broken; both lead to the pages that were meant.")]
    summary: Option<String>,
    /// What it used up.
    usage: AgentUsage,
    /// Changed files, below the docs root.
    #[schema(example = json!(["quickstart.mdx"]))]
    files_changed: Vec<String>,
    /// Calls of tools that were refused, each with its reason; the first 20.
    refused: Vec<AgentRefusal>,
}

/// A tool that the agent called and that was refused.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AgentRefusal {
    /// Name of the tool, as the agent called it.
    #[schema(example = "write")]
    tool: String,
    /// Why it was refused.
    #[schema(example = "`.github/x.yml` is hidden; agents may not change it")]
    reason: String,
    /// How often, for this reason.
    #[schema(example = 1)]
    times: u32,
}

/// Where an agent job stands.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AgentJobStatus {
    /// It waits for an agent, or one works on it.
    Active,
    /// The agent has done what it could; `prLink` is set if it changed a file.
    Completed,
    /// It could not be done; `error` says why.
    Failed,
    /// It was put away.
    Archived,
}

/// The repository of a job.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AgentSource {
    /// Its full address.
    #[schema(example = "https://github.com/acme/docs")]
    repository: String,
    /// The branch that the agent works on, once it is there.
    #[serde(rename = "ref")]
    #[schema(example = "docwright/job-0199a1b2c3d4")]
    git_ref: Option<String>,
}

/// What a job used up.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentUsage {
    /// Tokens that the model read.
    #[schema(example = 5210)]
    input_tokens: i64,
    /// Tokens that the model wrote.
    #[schema(example = 640)]
    output_tokens: i64,
    /// US dollars, if known.
    #[schema(example = json!(null))]
    cost: Option<f64>,
}

impl From<agent_job::AgentJob> for AgentJob {
    fn from(job: agent_job::AgentJob) -> Self {
        Self {
            id: job.id,
            status: job.status.into(),
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

impl From<AgentStatus> for AgentJobStatus {
    fn from(status: AgentStatus) -> Self {
        match status {
            AgentStatus::Active => Self::Active,
            AgentStatus::Completed => Self::Completed,
            AgentStatus::Failed => Self::Failed,
            AgentStatus::Archived => Self::Archived,
        }
    }
}

impl From<AgentJobStatus> for AgentStatus {
    fn from(status: AgentJobStatus) -> Self {
        match status {
            AgentJobStatus::Active => Self::Active,
            AgentJobStatus::Completed => Self::Completed,
            AgentJobStatus::Failed => Self::Failed,
            AgentJobStatus::Archived => Self::Archived,
        }
    }
}

/// What the agent is to do.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Prompt {
    /// The instruction, in plain words.
    #[schema(
        value_type = String,
        min_length = 1,
        max_length = 100_000,
        pattern = r"^[^\x00]*[^\s\x00-\x1f\x7f-\x9f][^\x00]*$",
        example = "Fix the broken links."
    )]
    prompt: Text<MAXIMUM_PROMPT>,
}

/// An agent job of a project.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct JobPath {
    /// Identifier of the project. The dashboard shows it on the "API keys" page.
    #[param(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: String,
    /// Identifier of the job, which starting it answered.
    #[param(example = "agt_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    id: String,
}

/// Full address of a project's repository, as clients see it: it never holds credentials.
fn repository_url(app: &AppState, project: &Project) -> String {
    match location(project) {
        Ok(Location::BuiltIn) => app.repositories.built_in(&project.id).clone_url(),
        Ok(Location::Folder(folder)) => format!("file://{}", folder.display()),
        Ok(Location::Remote(address)) => address.to_string(),
        // What can't be read may hold anything.
        Err(_) => String::new(),
    }
}

fn missing() -> ApiError {
    ApiError::NotFound("There is no such agent job in this project.".to_owned())
}
