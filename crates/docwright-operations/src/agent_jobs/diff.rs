//! Diffs of agent jobs.

use docwright_types::agent_job::JobDiff;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::find;
use crate::{
    Allowed, OperationError, Operations, can,
    diff::{self, FileDiff},
};

/// The diff of an agent job, as of its latest push.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentJobDiff {
    /// Commit that the job started from; null until something is pushed.
    #[schema(example = "9fceb02d0ae598e95dc970b74767f19372d61af8")]
    pub base: Option<String>,
    /// Latest commit of the job's branch; null until something is pushed.
    #[schema(example = "1a410efbd13591db07496601ebc7a059dd55cfe9")]
    pub commit: Option<String>,
    /// Whether the diff includes lines. A diff over 256 KiB has only counts.
    #[schema(example = true)]
    pub has_lines: bool,
    /// Changed files, ordered by path.
    pub files: Vec<FileDiff>,
}

/// Returns the diff of a job, as its branch was pushed last.
pub async fn diff(
    operations: &Operations,
    caller: &Allowed<can::GetAgentJobDiff>,
    (project_id, id): (&str, &str),
) -> Result<AgentJobDiff, OperationError> {
    find(operations, caller, (project_id, id)).await?;
    let diff = operations.database.agent_diff(id).await?;
    Ok(diff.map(AgentJobDiff::from).unwrap_or_default())
}

impl From<JobDiff> for AgentJobDiff {
    fn from(JobDiff { base, commit, is_whole, text }: JobDiff) -> Self {
        let files = if is_whole { diff::read(&text) } else { diff::read_counts(&text) };
        Self { base: Some(base), commit: Some(commit), has_lines: is_whole, files }
    }
}
