//! Pull requests that people and programs open for branches that they pushed.

use std::collections::BTreeMap;

use docwright_jobs::built_in::{BuiltIn, BuiltInError};
use docwright_storage::database::NewPullRequest;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::PullRequest;
use crate::{
    Allowed, OperationError, Operations,
    audit::Change,
    built_in, can,
    fields::{Label, Text},
};

/// Branches that a form offers.
const OFFERED: usize = 200;

/// A pull request to open.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreatePullRequest {
    /// Branch with the change.
    #[schema(
        value_type = String,
        min_length = 1,
        max_length = 250,
        pattern = r"^[^\x00]*[^\s\x00-\x1f\x7f-\x9f][^\x00]*$",
        example = "fix-typos"
    )]
    pub head: Text<250>,
    /// Branch that receives the change. Defaults to the default branch of the repository.
    #[schema(
        value_type = Option<String>,
        min_length = 1,
        max_length = 250,
        pattern = r"^[^\x00]*[^\s\x00-\x1f\x7f-\x9f][^\x00]*$",
        example = "main"
    )]
    pub base: Option<Text<250>>,
    /// Title of the pull request.
    #[schema(
        value_type = String,
        min_length = 1,
        max_length = 200,
        pattern = r"^[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$",
        example = "Fix typos"
    )]
    pub title: Label<200>,
    /// Description of the change, in Markdown.
    #[schema(
        value_type = Option<String>,
        min_length = 1,
        max_length = 20000,
        pattern = r"^[^\x00]*[^\s\x00-\x1f\x7f-\x9f][^\x00]*$",
        example = "Fixes the typos that readers reported."
    )]
    pub body: Option<Text<20000>>,
}

/// What the form of a pull request offers.
#[derive(Debug)]
pub struct BranchChoices {
    /// The default branch, which receives most changes.
    pub default: String,
    /// Other branches, by name: the first 200.
    pub others: Vec<String>,
    /// First line of the newest commit message of the chosen branch.
    pub subject: Option<String>,
}

/// Opens a pull request for a branch.
pub async fn create(
    operations: &Operations,
    caller: &Allowed<can::CreatePullRequest>,
    project_id: &str,
    input: CreatePullRequest,
) -> Result<PullRequest, OperationError> {
    let (project, repository) = built_in::repository(operations, caller, project_id).await?;
    let head = String::from(input.head);
    let base = match input.base {
        Some(base) => base.into(),
        None => repository.default_branch().await.map_err(BuiltInError::from)?,
    };
    let branches = repository.branches().await.map_err(BuiltInError::from)?;
    require_branch(&branches, "head", &head)?;
    require_branch(&branches, "base", &base)?;
    require_commits(&repository, (&base, &head)).await?;
    if let Some(found) = operations.database.pull_request_of(&project.id, &head).await? {
        let (number, state) = (found.number, found.state.name());
        return Err(OperationError::Conflict(format!(
            "The branch {head} already has pull request #{number}, which is {state}. A branch has one pull request. Push to another branch."
        )));
    }
    let (title, body) = (String::from(input.title), input.body.map(String::from));
    let new = NewPullRequest {
        project_id: &project.id,
        head: &head,
        base: &base,
        title: &title,
        body: body.as_deref().unwrap_or_default(),
    };
    let change = Change::of("pull_request.create", Some(&project.organization_id))
        .after(json!({ "head": head, "base": base, "title": title }));
    let database = caller.recording(operations, change);
    let opened = database.open_pull_request(new, operations.now()).await?;
    built_in::sync_previews(operations, &project).await;
    Ok(PullRequest::of(&repository, opened))
}

/// Returns the branches that a pull request can be about. `head` is the chosen one.
pub async fn branch_choices(
    operations: &Operations,
    caller: &Allowed<can::CreatePullRequest>,
    project_id: &str,
    head: Option<&str>,
) -> Result<BranchChoices, OperationError> {
    let (_, repository) = built_in::repository(operations, caller, project_id).await?;
    let default = repository.default_branch().await.map_err(BuiltInError::from)?;
    let branches = repository.branches().await.map_err(BuiltInError::from)?;
    let subject = match head.and_then(|head| branches.get(head)) {
        Some(commit) => {
            let arguments = ["log", "-1", "--format=%s", commit.as_str(), "--"];
            let read = repository.git.run(&repository.repository(), &arguments).await;
            Some(read.map_err(BuiltInError::from)?)
        }
        None => None,
    };
    let others = branches.into_keys().filter(|name| *name != default).take(OFFERED).collect();
    Ok(BranchChoices { default, others, subject })
}

fn require_branch(
    branches: &BTreeMap<String, String>,
    field: &str,
    branch: &str,
) -> Result<(), OperationError> {
    if branches.contains_key(branch) {
        return Ok(());
    }
    Err(OperationError::Invalid(format!(
        "`{field}` names no branch of the repository. Push {branch} first."
    )))
}

async fn require_commits(
    repository: &BuiltIn,
    (base, head): (&str, &str),
) -> Result<(), OperationError> {
    let range = format!("refs/heads/{base}..refs/heads/{head}");
    let arguments = ["rev-list", "--count", range.as_str(), "--"];
    let count = repository.git.run(&repository.repository(), &arguments).await;
    if count.map_err(BuiltInError::from)? == "0" {
        return Err(OperationError::Conflict(format!(
            "The branch {head} has no commit that {base} doesn't have. Push one first."
        )));
    }
    Ok(())
}
