//! Agent jobs: a prompt becomes a pull request.

pub(super) mod archive;
pub(super) mod cancel;
pub(super) mod create;
pub(super) mod events;
pub(super) mod get;
pub(super) mod list;
pub(super) mod message;

use docwright_domain::{
    agent_job::{self, MAXIMUM_PROMPT},
    timestamp::iso,
};
use docwright_flows::repositories::location;
use docwright_repository::location::Location;
use docwright_storage::database::Project;
use serde::Serialize;
use utoipa::ToSchema;

use super::body::JsonBody;
use crate::{error::ApiError, state::AppState};

/// An agent job, as clients see it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentJob {
    /// Identifier of the job.
    id: String,
    /// `active`, `completed`, `failed` or `archived`.
    #[schema(example = "active")]
    status: String,
    /// Where the documentation is.
    source: AgentSource,
    /// Name of the model.
    #[schema(example = "builtin:edits")]
    model: String,
    /// The pull request, once it is there; stays null if no files were changed.
    #[schema(format = "uri")]
    pr_link: Option<String>,
    /// When the job was created.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it was archived.
    #[schema(format = DateTime)]
    archived_at: Option<String>,
    /// When anything about it changed last.
    #[schema(format = DateTime)]
    updated_at: String,
    /// Why it failed.
    error: Option<String>,
    /// What was done.
    summary: Option<String>,
    /// What it used up.
    usage: AgentUsage,
    /// Changed files, below the docs root.
    files_changed: Vec<String>,
}

/// The repository of a job.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AgentSource {
    /// Its full address.
    repository: String,
    /// The branch that the agent works on, once it is there.
    #[serde(rename = "ref")]
    git_ref: Option<String>,
}

/// What a job used up.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentUsage {
    /// Tokens that the model read.
    input_tokens: i64,
    /// Tokens that the model wrote.
    output_tokens: i64,
    /// US dollars, if known.
    cost: Option<f64>,
}

impl From<agent_job::AgentJob> for AgentJob {
    fn from(job: agent_job::AgentJob) -> Self {
        Self {
            id: job.id,
            status: job.status.to_string(),
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
        }
    }
}

/// What the agent shall do.
#[derive(Debug, serde::Deserialize, ToSchema)]
#[expect(dead_code, reason = "it describes the body, which is read field by field")]
pub(crate) struct Prompt {
    /// The instruction, not blank.
    #[schema(min_length = 1, max_length = 100_000)]
    prompt: String,
}

/// The prompt of a body.
fn prompt(body: &JsonBody) -> Result<&str, ApiError> {
    let prompt = body.text("prompt")?;
    if prompt.trim().is_empty() {
        return Err(ApiError::Invalid("`prompt` is blank; say what to do.".to_owned()));
    }
    if prompt.chars().count() > MAXIMUM_PROMPT {
        return Err(ApiError::Invalid(format!(
            "`prompt` is longer than {MAXIMUM_PROMPT} characters; say it shorter."
        )));
    }
    Ok(prompt)
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
