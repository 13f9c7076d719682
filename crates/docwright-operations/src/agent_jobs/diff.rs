//! What agent jobs change.

use docwright_types::agent_job::JobDiff;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::find;
use crate::{
    Allowed, OperationError, Operations, can,
    diff::{self, Fate, FileDiff, Kind},
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
    pub files: Vec<AgentFileDiff>,
}

/// The diff of a file.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentFileDiff {
    /// Path in the repository. For a removed file, its former path.
    #[schema(example = "docs/quickstart.mdx")]
    pub path: String,
    /// Former path of a moved file.
    #[schema(example = json!(null))]
    pub from: Option<String>,
    /// `added`, `changed`, `moved`, `removed`, or `binary` for a binary file.
    #[schema(example = "changed")]
    pub fate: String,
    /// Number of added lines.
    #[schema(example = 1)]
    pub added: usize,
    /// Number of removed lines.
    #[schema(example = 1)]
    pub removed: usize,
    /// Whether the file is generated, such as a lockfile.
    #[schema(example = false)]
    pub is_generated: bool,
    /// Changed lines, with three lines of context.
    pub lines: Vec<AgentDiffLine>,
    /// Number of omitted lines. Each file shows at most 2,000.
    #[schema(example = 0)]
    pub left_out: usize,
}

/// A line of a diff.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AgentDiffLine {
    /// `added`, `removed`, `same`, or `hunk` for a header with line numbers.
    #[schema(example = "added")]
    pub kind: String,
    /// Text of the line, up to 1,000 characters.
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
