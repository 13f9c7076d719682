//! `GET /v2/agent/{projectId}/job/{id}/diff`.

use axum::{Json, extract::State};
use docwright_domain::agent_job::JobDiff;
use serde::Serialize;
use utoipa::ToSchema;

use super::{JobPath, missing};
use crate::{
    authorize::Reader,
    diff::{self, Fate, FileDiff, Kind},
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// What an agent job changes, as its branch was pushed last.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentJobDiff {
    /// The commit that the first change was made to; null while nothing is pushed.
    #[schema(example = "9fceb02d0ae598e95dc970b74767f19372d61af8")]
    base: Option<String>,
    /// The newest commit of the job's branch; null while nothing is pushed.
    #[schema(example = "1a410efbd13591db07496601ebc7a059dd55cfe9")]
    commit: Option<String>,
    /// Whether lines are there. Of a change of more than 256 KiB only the counts are.
    #[schema(example = true)]
    has_lines: bool,
    /// The files, by their paths.
    files: Vec<AgentFileDiff>,
}

/// What a job changes in a file.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentFileDiff {
    /// Its path in the repository; that before, if it was removed.
    #[schema(example = "docs/quickstart.mdx")]
    path: String,
    /// The path that a file had which was moved.
    #[schema(example = json!(null))]
    from: Option<String>,
    /// `added`, `changed`, `moved`, `removed`, or `binary` for one that is no text.
    #[schema(example = "changed")]
    fate: &'static str,
    /// How many lines are new.
    #[schema(example = 1)]
    added: usize,
    /// How many lines are there no more.
    #[schema(example = 1)]
    removed: usize,
    /// Whether nobody writes it by hand, such as a lock file.
    #[schema(example = false)]
    is_generated: bool,
    /// What changed, with three lines around it.
    lines: Vec<AgentDiffLine>,
    /// How many lines are left out, as beyond the first 2,000 of a file.
    #[schema(example = 0)]
    left_out: usize,
}

/// A line of a change.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AgentDiffLine {
    /// `added`, `removed`, `same`, or `hunk` for one that says where those after it stand.
    #[schema(example = "added")]
    kind: &'static str,
    /// Its text; the first 1,000 characters.
    #[schema(example = "Begin in five minutes.")]
    text: String,
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
            },
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
        Self { kind: kind.class(), text }
    }
}

/// Read what an agent job changes
///
/// The files of a job's branch that differ from the commit that it began with, line by line. It stays as it
/// was pushed last, whatever becomes of the branch.
#[utoipa::path(
    get,
    path = "/v2/agent/{projectId}/job/{id}/diff",
    tag = "Agent jobs",
    operation_id = "getAgentJobDiff",
    params(JobPath),
    responses(
        (status = 200, description = "What it changes; no files while nothing is pushed", body = AgentJobDiff),
        (status = 404, description = "There is no such project or job", body = Error),
    ),
)]
pub(crate) async fn diff(
    State(app): State<AppState>,
    caller: Reader,
    Path(JobPath { project_id, id }): Path<JobPath>,
) -> Result<Json<AgentJobDiff>, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    app.database.agent_job(&project.id, &id).await?.ok_or_else(missing)?;
    let diff = app.database.agent_diff(&id).await?;
    Ok(Json(diff.map(AgentJobDiff::from).unwrap_or_default()))
}
