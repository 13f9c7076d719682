//! Agent jobs and their states.
//!
//! `active` → `completed` | `failed` → `archived`. A follow-up returns a completed or failed job to `active`. If
//! the worker of a running job is lost, another one continues.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::timestamp::Timestamp;

/// Longest prompt, in characters.
pub const MAXIMUM_PROMPT: usize = 100_000;

/// State of an agent job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = AgentJobStatus)]
pub enum AgentStatus {
    /// It waits for an agent, or one is running.
    Active,
    /// The agent has finished; `prLink` is set if it changed a file.
    Completed,
    /// It failed; `error` says why.
    Failed,
    /// It was archived.
    Archived,
}

impl AgentStatus {
    /// Its name in the database and the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Archived => "archived",
        }
    }
}

impl fmt::Display for AgentStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for AgentStatus {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "active" => Ok(Self::Active),
            "completed" => Ok(Self::Completed),
            "failed" => Ok(Self::Failed),
            "archived" => Ok(Self::Archived),
            other => Err(format!("`{other}` is not a state of an agent job")),
        }
    }
}

/// Usage of a job.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Tokens that the model read.
    pub input_tokens: i64,
    /// Tokens that the model wrote.
    pub output_tokens: i64,
    /// US dollars, if the model's host reports them.
    pub cost: Option<f64>,
}

impl Usage {
    /// Adds further usage.
    pub fn add(&mut self, more: &Self) {
        self.input_tokens = self.input_tokens.saturating_add(more.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(more.output_tokens);
        self.cost = match (self.cost, more.cost) {
            (None, None) => None,
            (one, other) => Some(one.unwrap_or(0.0) + other.unwrap_or(0.0)),
        };
    }
}

/// A refused tool call of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedCall {
    /// Name of the tool, as the agent called it.
    pub tool: String,
    /// Why it was refused.
    pub reason: String,
    /// Number of refusals for this reason.
    pub times: u32,
}

/// The diff of a job as of its latest push.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobDiff {
    /// The parent of the job's first commit.
    pub base: String,
    /// The newest commit of the job's branch.
    pub commit: String,
    /// Whether `text` holds every line, as `git diff` prints it, or counts of lines, as
    /// `git diff --numstat` does.
    pub is_whole: bool,
    /// What git printed.
    pub text: String,
}

/// An agent job.
#[derive(Debug, Clone)]
pub struct AgentJob {
    /// Its id.
    pub id: String,
    /// The project whose repository is edited.
    pub project_id: String,
    /// Its state.
    pub status: AgentStatus,
    /// Full address of the repository.
    pub repository: String,
    /// The agent's branch, once it exists.
    pub git_ref: Option<String>,
    /// The base commit of the work, once it is known.
    pub base_commit: Option<String>,
    /// Name of the model.
    pub model: String,
    /// The pull request, once it is open.
    pub pr_link: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// The agent's summary.
    pub summary: Option<String>,
    /// Its usage.
    pub usage: Usage,
    /// Changed files, below the docs root.
    pub files_changed: Vec<String>,
    /// Refused tool calls.
    pub refused: Vec<RefusedCall>,
    /// Transient errors.
    pub failures: i64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it was archived.
    pub archived_at: Option<Timestamp>,
}

/// The branch of a job.
pub fn branch(id: &str) -> String {
    format!("docwright/job-{id}")
}

/// An event of a job, for watchers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentEvent {
    /// Its number in the job's events, from 1.
    pub number: i64,
    /// `status`, `step` or `pull_request`.
    pub kind: String,
    /// JSON.
    pub data: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_stored_by_name_and_read_back() {
        for (status, name) in [
            (AgentStatus::Active, "active"),
            (AgentStatus::Completed, "completed"),
            (AgentStatus::Failed, "failed"),
            (AgentStatus::Archived, "archived"),
        ] {
            assert_eq!(status.to_string(), name);
            assert_eq!(name.parse(), Ok(status));
        }
        let error = "Active".parse::<AgentStatus>().unwrap_err();
        assert!(error.contains("`Active`"), "{error}");
    }

    #[test]
    fn usage_adds_up() {
        let mut usage = Usage { input_tokens: 10, output_tokens: 3, cost: None };
        usage.add(&Usage { input_tokens: 5, output_tokens: 4, cost: None });
        assert_eq!(usage, Usage { input_tokens: 15, output_tokens: 7, cost: None });
        usage.add(&Usage { input_tokens: 0, output_tokens: 0, cost: Some(0.5) });
        assert_eq!(usage.cost, Some(0.5), "a host that names no cost costs nothing");
        usage.add(&Usage { cost: Some(0.25), ..Usage::default() });
        usage.add(&Usage::default());
        assert_eq!(usage, Usage { input_tokens: 15, output_tokens: 7, cost: Some(0.75) });
    }

    #[test]
    fn usage_stops_at_the_largest_number() {
        let mut usage = Usage { input_tokens: i64::MAX, output_tokens: i64::MAX, cost: None };
        usage.add(&Usage { input_tokens: 1, output_tokens: 1, cost: None });
        assert_eq!((usage.input_tokens, usage.output_tokens), (i64::MAX, i64::MAX));
    }

    #[test]
    fn branch_is_named_after_its_job() {
        assert_eq!(branch("agt_1"), "docwright/job-agt_1");
    }
}
