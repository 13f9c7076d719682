//! Pull requests of the built-in git host. Agent jobs and people open them; people review, merge, and close them.

mod open;

use docwright_jobs::built_in::{BuiltIn, BuiltInError, MergeOptions};
use docwright_repository::patch::Patch;
use docwright_storage::database::{Position, Project};
use docwright_types::{
    pull_request::{self, MergeMethod, PullRequestState},
    timestamp::iso,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use crate::{
    Allowed, Caller, Listed, OperationError, Operations,
    audit::Change,
    built_in, can,
    deletion::run_to_end,
    diff::{self, FileDiff},
    listed::Item,
    lists::Page,
};

pub use open::{BranchChoices, CreatePullRequest, branch_choices, create};

/// A pull request of the built-in git host.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PullRequest {
    /// Number of the pull request in the project.
    #[schema(example = 7)]
    pub number: i64,
    /// Title of the pull request.
    #[schema(example = "Fix broken links")]
    pub title: String,
    /// Description of the change, in Markdown.
    #[schema(example = "Fix broken links (2 of 2, in 1 file)")]
    pub body: String,
    /// State of the pull request.
    #[schema(example = "open")]
    pub state: PullRequestState,
    /// Branch with the change.
    #[schema(example = "docwright/job-agt_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub head: String,
    /// Branch that receives the change.
    #[schema(example = "main")]
    pub base: String,
    /// URL of the pull request on the dashboard.
    #[schema(
        format = "uri",
        example = "https://docs-admin.example.com/projects/prj_0199a1b2c3d4e5f60718293a4b5c6d7e/pull-requests/7"
    )]
    pub url: String,
    /// Time when the pull request was opened.
    #[schema(format = DateTime)]
    pub created_at: String,
}

/// A pull request, with its comments and its change.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PullRequestDetails {
    /// The pull request.
    #[serde(flatten)]
    pub pull_request: PullRequest,
    /// Whether you can merge the pull request: it is open, and its branch exists and has no conflicts.
    #[schema(example = true)]
    pub mergeable: bool,
    /// Newest commit of the branch; null if the branch doesn't exist.
    #[schema(example = "8f2c1e0b9a7d6c5b4a39281706f5e4d3c2b1a098")]
    pub head_commit: Option<String>,
    /// Comments, in Markdown, oldest first. docwright comments on previews.
    pub comments: Vec<String>,
    /// Diff between the branch and the commit where it left the base branch; null if it wasn't merged and one of
    /// the branches doesn't exist.
    pub diff: Option<PullRequestDiff>,
}

/// The diff of a pull request.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PullRequestDiff {
    /// Whether the diff includes lines. A diff over 8 MiB has only counts.
    #[schema(example = true)]
    pub has_lines: bool,
    /// Changed files, ordered by path.
    pub files: Vec<FileDiff>,
}

/// How to merge a pull request.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MergePullRequest {
    /// `merge` (the default) keeps the commits of the branch and adds a merge commit, `squash` adds one commit with the
    /// whole change, and `rebase` adds the commits of the branch on top of the base branch.
    #[serde(default)]
    #[schema(example = "squash")]
    pub method: MergeMethod,
    /// Newest commit of the branch that you reviewed. If the branch has another one, the pull request isn't merged.
    #[schema(pattern = "^[0-9a-f]{40}$", example = "8f2c1e0b9a7d6c5b4a39281706f5e4d3c2b1a098")]
    pub head_commit: Option<String>,
    /// Whether to delete the branch after the merge. The default branch is never deleted.
    #[serde(default)]
    #[schema(default = false, example = true)]
    pub delete_branch: bool,
}

/// A page of pull requests, newest first.
pub type PullRequestList = Listed<PullRequest>;

impl Item for PullRequest {
    const LIST: &'static str = "PullRequestList";
    const FIELD: &'static str = "pullRequests";
    const PAGE: &'static str = "A page of pull requests, newest first.";
}

/// Lists the pull requests of a project.
pub async fn list(
    operations: &Operations,
    caller: &Allowed<can::ListPullRequests>,
    project_id: &str,
    page: &Page,
) -> Result<PullRequestList, OperationError> {
    let (project, repository) = built_in::repository(operations, caller, project_id).await?;
    let page = page.of(("pull_requests", &project.id))?;
    let (before, limit) = page.by_id();
    let before = before.map(str::parse::<i64>).transpose().map_err(|_| {
        OperationError::Invalid("`cursor` must be the `nextCursor` of the page before.".to_owned())
    })?;
    let read = operations.database.pull_requests(&project.id, before, limit).await?;
    let position = |each: &pull_request::PullRequest| Position::of_id(&each.number.to_string());
    Ok(page.cut(read, position, |each| PullRequest::of(&repository, each)))
}

/// Returns a pull request, with its comments and its change.
pub async fn get(
    operations: &Operations,
    caller: &Allowed<can::GetPullRequest>,
    (project_id, number): (&str, i64),
) -> Result<PullRequestDetails, OperationError> {
    let (project, repository) = built_in::repository(operations, caller, project_id).await?;
    let view = repository.view(number).await?.ok_or_else(no_pull_request)?;
    let comments = operations.database.comments(&project.id, number).await?;
    // A patch can be long.
    let diff = tokio::task::spawn_blocking(move || view.patch.map(PullRequestDiff::from)).await;
    Ok(PullRequestDetails {
        pull_request: PullRequest::of(&repository, view.pull_request),
        mergeable: view.mergeable,
        head_commit: view.head_commit,
        comments,
        diff: diff.map_err(|error| OperationError::Internal(error.to_string()))?,
    })
}

/// Merges a pull request into its base branch, and publishes the result. It runs to its end even if the caller
/// leaves.
pub async fn merge(
    operations: &Operations,
    caller: &Allowed<can::MergePullRequest>,
    of: (&str, i64),
    how: MergePullRequest,
) -> Result<PullRequest, OperationError> {
    let (project, repository, found) = find(operations, caller, of).await?;
    let (operations, caller) = (operations.clone(), Caller::clone(caller));
    let MergePullRequest { method, head_commit, delete_branch } = how;
    let options = MergeOptions { method, head_commit, deletes_branch: delete_branch };
    run_to_end(async move {
        let of = (&found, &options);
        merge_branch(&operations, &caller, (&project, &repository), of).await?;
        let merged = pull_request::PullRequest { state: PullRequestState::Merged, ..found };
        Ok(PullRequest::of(&repository, merged))
    })
    .await
}

async fn merge_branch(
    operations: &Operations,
    caller: &Caller,
    (project, repository): (&Project, &BuiltIn),
    (found, options): (&pull_request::PullRequest, &MergeOptions),
) -> Result<(), OperationError> {
    let head = async || {
        let commit =
            |branch| async move { repository.commit(branch).await.map_err(BuiltInError::from) };
        let (base, head) = (commit(&found.base).await?, commit(&found.head).await?);
        Ok::<_, OperationError>(json!({ &found.base: base, &found.head: head }))
    };
    let before = head().await?;
    // The branch moves in git, so the entry comes first.
    let change = Change::of("pull_request.merge", Some(&project.organization_id));
    let subject = format!("{}/{}", project.id, found.number);
    let entry = caller.begin(operations, change.before(before.clone()), &subject).await?;
    let merged = repository.merge(found.number, options).await;
    entry.end(merged.is_ok().then_some((before, head().await?))).await?;
    merged?;
    operations.wakes.releases.notify_one();
    built_in::sync_previews(operations, project).await;
    Ok(())
}

/// Closes an open pull request without a merge.
pub async fn close(
    operations: &Operations,
    caller: &Allowed<can::ClosePullRequest>,
    of: (&str, i64),
) -> Result<PullRequest, OperationError> {
    let (project, repository, found) = find(operations, caller, of).await?;
    let change = Change::of("pull_request.close", Some(&project.organization_id));
    let database = caller.recording(operations, change);
    if !database.close_pull_request(&project.id, found.number, operations.now()).await? {
        let (_, _, found) = find(operations, caller, of).await?;
        let state = found.state.name();
        return Err(OperationError::Conflict(format!("The pull request is {state}, not open.")));
    }
    built_in::sync_previews(operations, &project).await;
    let closed = pull_request::PullRequest { state: PullRequestState::Closed, ..found };
    Ok(PullRequest::of(&repository, closed))
}

/// A pull request of a project that a caller can access.
async fn find(
    operations: &Operations,
    caller: &Caller,
    (project_id, number): (&str, i64),
) -> Result<(Project, BuiltIn, pull_request::PullRequest), OperationError> {
    let (project, repository) = built_in::repository(operations, caller, project_id).await?;
    let found = operations.database.pull_request(&project.id, number).await?;
    Ok((project, repository, found.ok_or_else(no_pull_request)?))
}

impl PullRequest {
    fn of(repository: &BuiltIn, each: pull_request::PullRequest) -> Self {
        Self {
            url: repository.pull_request_url(each.number),
            number: each.number,
            title: each.title,
            body: each.body,
            state: each.state,
            head: each.head,
            base: each.base,
            created_at: iso(each.created_at),
        }
    }
}

impl From<Patch> for PullRequestDiff {
    fn from(patch: Patch) -> Self {
        match patch {
            Patch::Whole(text) => Self { has_lines: true, files: diff::read(&text) },
            Patch::Counts(text) => Self { has_lines: false, files: diff::read_counts(&text) },
        }
    }
}

fn no_pull_request() -> OperationError {
    OperationError::NotFound("Pull request not found in this project. Check the number.".to_owned())
}
