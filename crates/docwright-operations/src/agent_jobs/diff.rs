//! What agent jobs change.

use docwright_types::agent_job::JobDiff;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::find;
use crate::{
    Allowed, OperationError, Operations, can,
    diff::{self, Fate, FileDiff, Kind},
};

/// What an agent job changes, as its branch was pushed last.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentJobDiff {
    /// The commit that the first change was made to; null while nothing is pushed.
    #[schema(example = "9fceb02d0ae598e95dc970b74767f19372d61af8")]
    pub base: Option<String>,
    /// The newest commit of the job's branch; null while nothing is pushed.
    #[schema(example = "1a410efbd13591db07496601ebc7a059dd55cfe9")]
    pub commit: Option<String>,
    /// Whether lines are there. Of a change of more than 256 KiB only the counts are.
    #[schema(example = true)]
    pub has_lines: bool,
    /// The files, by their paths.
    pub files: Vec<AgentFileDiff>,
}

/// What a job changes in a file.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentFileDiff {
    /// Its path in the repository; that before, if it was removed.
    #[schema(example = "docs/quickstart.mdx")]
    pub path: String,
    /// The path that a file had which was moved.
    #[schema(example = json!(null))]
    pub from: Option<String>,
    /// `added`, `changed`, `moved`, `removed`, or `binary` for one that is no text.
    #[schema(example = "changed")]
    pub fate: String,
    /// How many lines are new.
    #[schema(example = 1)]
    pub added: usize,
    /// How many lines are there no more.
    #[schema(example = 1)]
    pub removed: usize,
    /// Whether nobody writes it by hand, such as a lockfile.
    #[schema(example = false)]
    pub is_generated: bool,
    /// What changed, with three lines around it.
    pub lines: Vec<AgentDiffLine>,
    /// How many lines are left out, as beyond the first 2,000 of a file.
    #[schema(example = 0)]
    pub left_out: usize,
}

/// A line of a change.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AgentDiffLine {
    /// `added`, `removed`, `same`, or `hunk` for one that says where those after it stand.
    #[schema(example = "added")]
    pub kind: String,
    /// Its text; the first 1,000 characters.
    #[schema(example = "Begin in five minutes.")]
    pub text: String,
}

/// Returns what a job changes, as its branch was pushed last.
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
        Self {
            base: Some(base),
            commit: Some(commit),
            has_lines: is_whole,
            files: files.into_iter().map(AgentFileDiff::from).collect(),
        }
    }
}

impl From<FileDiff> for AgentFileDiff {
    fn from(file: FileDiff) -> Self {
        Self {
            is_generated: file.is_generated(),
            fate: match file.fate {
                None => "changed",
                Some(Fate::New) => "added",
                Some(Fate::Deleted) => "removed",
                Some(Fate::Moved) => "moved",
                Some(Fate::Binary) => "binary",
            }
            .to_owned(),
            path: file.path,
            from: file.from,
            added: file.added,
            removed: file.removed,
            lines: file.lines.into_iter().map(AgentDiffLine::from).collect(),
            left_out: file.left_out,
        }
    }
}

impl From<(Kind, String)> for AgentDiffLine {
    fn from((kind, mut text): (Kind, String)) -> Self {
        // The sign at the beginning says what the kind does.
        if kind != Kind::Place && !text.is_empty() {
            text.remove(0);
        }
        Self { kind: kind.class().to_owned(), text }
    }
}
