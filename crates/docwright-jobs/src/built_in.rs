//! docwright's own git host: bare repositories in the data folder, pull requests in the database.

mod merge;
mod packing;

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use docwright_repository::{
    clones,
    git::{Git, GitError},
    git_hosts::{
        Comment, CommitStatus, GitHost, GitHostError, NewPullRequest, OpenPullRequest,
        OpenedPullRequest,
    },
    patch::Patch,
    remote::Access,
};
use docwright_storage::{
    Database, StorageError, database,
    marker::{self, InstanceStorage, MarkerError},
};
use docwright_types::{
    pull_request::{PullRequest, PullRequestState},
    release::Trigger,
    timestamp::{MINUTE, Timestamp},
};
use futures::future::BoxFuture;

use crate::clock::Clock;

pub use merge::MergeOptions;

/// The branch that is published.
pub const MAIN: &str = "main";
/// Delay of the poll that follows a change.
const LOOKED_AFTER: Timestamp = MINUTE;
/// Author of the host's own commits.
const NAME: &str = "docwright";
const EMAIL: &str = "docwright@localhost";

/// The repository of one project on docwright's own host.
#[derive(Debug, Clone)]
pub struct BuiltIn {
    /// The database.
    pub database: Database,
    /// Folder of all repositories.
    pub folder: PathBuf,
    /// Address of the server without a trailing slash.
    pub public_url: String,
    /// The project.
    pub project_id: String,
    /// The clock.
    pub clock: Clock,
    /// Runs git.
    pub git: Git,
}

/// The reason why an action on a repository or a pull request failed.
#[derive(Debug, thiserror::Error)]
pub enum BuiltInError {
    /// Git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The database failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The disk failed.
    #[error("the disk failed: {}", .0.kind())]
    Disk(#[from] std::io::Error),
    /// The folder of repositories belongs to another instance.
    #[error("the folder of the built-in git host can't be used: {0}")]
    Foreign(#[from] MarkerError),
    /// The current state doesn't allow the change; a sentence gives the reason.
    #[error("{0}")]
    Refused(String),
}

/// A pull request with its change.
#[derive(Debug)]
pub struct PullRequestView {
    /// The pull request.
    pub pull_request: PullRequest,
    /// The newest commit of its branch; `None` if the branch is gone.
    pub head_commit: Option<String>,
    /// The change; `None` if it wasn't merged, and its branch or its base branch is gone.
    pub patch: Option<Patch>,
    /// Whether it can be merged without conflicts.
    pub mergeable: bool,
}

/// Maximum size of a shown patch, in bytes.
const MAXIMUM_PATCH: usize = 8 * 1024 * 1024;

impl BuiltIn {
    /// The bare repository.
    pub fn repository(&self) -> PathBuf {
        self.folder.join(format!("{}.git", self.project_id))
    }

    /// The URL for cloning.
    pub fn clone_url(&self) -> String {
        format!("{}/git/{}.git", self.public_url, self.project_id)
    }

    /// URL of a pull request on the dashboard.
    pub fn pull_request_url(&self, number: i64) -> String {
        format!("{}/projects/{}/pull-requests/{number}", self.public_url, self.project_id)
    }

    /// URL of the page that opens a pull request for a branch.
    pub fn new_pull_request_url(&self, branch: &str) -> String {
        let branch: String = url::form_urlencoded::byte_serialize(branch.as_bytes()).collect();
        let project = &self.project_id;
        format!("{}/projects/{project}/pull-requests/new?branch={branch}", self.public_url)
    }

    /// Whether the repository exists.
    pub fn exists(&self) -> bool {
        self.repository().join("HEAD").is_file()
    }

    /// Creates the repository unless it exists.
    pub async fn create(&self) -> Result<(), BuiltInError> {
        if self.exists() {
            return Ok(());
        }
        marker::confirm(&self.database, InstanceStorage::Repositories(&self.folder)).await?;
        let repository = self.repository();
        std::fs::create_dir_all(&repository)?;
        let git = &self.git;
        git.run(&repository, &["init", "--quiet", "--bare", "--initial-branch", MAIN]).await?;
        // Owners can force-push branches of jobs, but not the published branch.
        git.run(&repository, &["config", "http.receivepack", "true"]).await?;
        Ok(self.record_size().await?)
    }

    /// Creates the repository with the files of a folder as its first commit.
    pub async fn import(&self, files: &Path) -> Result<(), BuiltInError> {
        self.create().await?;
        // Git streams files above this size into one pack. A release would open each of thousands of loose objects.
        let git = self.git.clone().with_config("core.bigFileThreshold", "1");
        let git = git.with_author(NAME, EMAIL);
        let repository = self.repository().display().to_string();
        let directory = ["--git-dir", &repository, "--work-tree", "."];
        let with = |arguments: &[&str]| {
            directory.iter().chain(arguments).map(|each| (*each).to_owned()).collect::<Vec<_>>()
        };
        for arguments in [
            with(&["add", "--all", "--", ".", ":(exclude).git"]),
            with(&["commit", "--quiet", "--allow-empty", "--message", "Import the documentation"]),
        ] {
            let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
            git.run(files, &arguments).await?;
        }
        Ok(self.record_size().await?)
    }

    fn opened(&self, pull_request: &PullRequest) -> OpenedPullRequest {
        OpenedPullRequest {
            url: self.pull_request_url(pull_request.number),
            is_open: pull_request.state == PullRequestState::Open,
        }
    }

    /// A pull request, its patch, and whether it can be merged.
    pub async fn view(&self, number: i64) -> Result<Option<PullRequestView>, BuiltInError> {
        let found = self.database.pull_request(&self.project_id, number).await?;
        let Some(pull_request) = found else { return Ok(None) };
        let head_commit = self.commit(&pull_request.head).await?;
        let PullRequest { base, head, .. } = &pull_request;
        let patch = match self.merged_patch(&pull_request).await? {
            None if head_commit.is_some() && self.commit(base).await?.is_some() => {
                Some(self.patch(&pull_request).await?)
            }
            merged => merged,
        };
        let mergeable = pull_request.state == PullRequestState::Open
            && patch.is_some()
            && self.merge_tree(base, head).await?.is_some();
        Ok(Some(PullRequestView { pull_request, head_commit, patch, mergeable }))
    }

    async fn patch(&self, pull_request: &PullRequest) -> Result<Patch, GitError> {
        let PullRequest { base, head, .. } = pull_request;
        let before = match pull_request.state {
            PullRequestState::Merged => self.before_merge(base, head).await?,
            PullRequestState::Open | PullRequestState::Closed => None,
        };
        let range = format!("{}...{head}", before.as_ref().unwrap_or(base));
        Patch::read(&self.git, &self.repository(), (&range, ""), MAXIMUM_PATCH).await
    }

    /// What a merge brought to the base branch. `None` if that isn't known, such as after the base branch lost it.
    async fn merged_patch(&self, pull_request: &PullRequest) -> Result<Option<Patch>, GitError> {
        let PullRequest { base_before: Some(before), merge_commit: Some(after), .. } = pull_request
        else {
            return Ok(None);
        };
        let repository = self.repository();
        for commit in [before, after] {
            let name = format!("{commit}^{{commit}}");
            match self.git.run(&repository, &["rev-parse", "--verify", "--quiet", &name]).await {
                Ok(_) => {}
                Err(GitError::Failed { .. }) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        let range = format!("{before}..{after}");
        Ok(Some(Patch::read(&self.git, &repository, (&range, ""), MAXIMUM_PATCH).await?))
    }

    /// The commit of the base branch before a branch was merged: the parent of the first commit on the base branch
    /// that contains it.
    async fn before_merge(&self, base: &str, head: &str) -> Result<Option<String>, GitError> {
        let range = format!("refs/heads/{head}..refs/heads/{base}");
        let arguments =
            ["rev-list", "--ancestry-path", "--first-parent", "--parents", range.as_str(), "--"];
        let merges = self.git.run(&self.repository(), &arguments).await?;
        // The oldest one is last: its hash, and those of its parents.
        let first = merges.lines().last().and_then(|line| line.split(' ').nth(1));
        Ok(first.map(str::to_owned))
    }

    /// The newest commit of a branch; `None` if the branch doesn't exist.
    pub async fn commit(&self, branch: &str) -> Result<Option<String>, GitError> {
        let arguments = ["rev-parse", "--verify", "--quiet", &format!("refs/heads/{branch}")];
        match self.git.run(&self.repository(), &arguments).await {
            Ok(commit) => Ok(Some(commit)),
            // Git gives no reason if the branch doesn't exist.
            Err(GitError::Failed { message, .. }) if message.is_empty() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Branches and their newest commits.
    pub async fn branches(&self) -> Result<BTreeMap<String, String>, GitError> {
        let arguments =
            ["for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads"];
        let listed = self.git.run(&self.repository(), &arguments).await?;
        let pairs = listed.lines().filter_map(|line| line.split_once(' '));
        Ok(pairs.map(|(commit, branch)| (branch.to_owned(), commit.to_owned())).collect())
    }

    /// The branch that is shown by default.
    pub async fn default_branch(&self) -> Result<String, GitError> {
        self.git.run(&self.repository(), &["symbolic-ref", "--short", "HEAD"]).await
    }

    /// Schedules a later poll of the branches. Callers do this before they move a branch, so the poll finds a
    /// change even if the process dies before recording it.
    pub async fn expect_change(&self) -> Result<(), StorageError> {
        self.database.request_poll(&self.project_id, LOOKED_AFTER).await
    }

    /// Records the size of the repository after a change.
    pub async fn record_size(&self) -> Result<(), StorageError> {
        let repository = self.repository();
        let size = tokio::task::spawn_blocking(move || clones::size(&repository));
        let size = i64::try_from(size.await.map_err(io::Error::other)?).unwrap_or(i64::MAX);
        self.database.record_repository_size(&self.project_id, size).await
    }

    /// Requests the releases that follow from a push. Returns whether there are any.
    pub async fn record_push(
        &self,
        before: &BTreeMap<String, String>,
    ) -> Result<bool, BuiltInError> {
        self.record_size().await?;
        let default = self.default_branch().await?;
        let mut any = false;
        for (branch, commit) in self.branches().await? {
            if before.get(&branch) == Some(&commit) {
                continue;
            }
            let named = (branch.as_str(), branch == default);
            let head = (commit.as_str(), Trigger::Push);
            let now = self.clock.now();
            any |= self.database.record_pushed_head(&self.project_id, named, head, now).await?;
        }
        Ok(any)
    }

    /// The files after a merge of two commits or branches; `None` if there are conflicts.
    async fn merge_tree(&self, base: &str, head: &str) -> Result<Option<String>, GitError> {
        match self.git.run(&self.repository(), &["merge-tree", "--write-tree", base, head]).await {
            Ok(tree) => Ok(tree.lines().next().map(str::to_owned)),
            // Git reports a conflict on standard output, and a failure on standard error.
            Err(GitError::Failed { message, .. }) if message.is_empty() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl GitHost for BuiltIn {
    fn access(&self) -> BoxFuture<'_, Result<Access, GitHostError>> {
        Box::pin(async { Ok(Access::Anonymous) })
    }

    fn find<'a>(
        &'a self,
        head: &'a str,
    ) -> BoxFuture<'a, Result<Option<OpenedPullRequest>, GitHostError>> {
        Box::pin(async move {
            let found = self.database.pull_request_of(&self.project_id, head).await;
            Ok(found.map_err(unavailable)?.map(|found| self.opened(&found)))
        })
    }

    fn open<'a>(
        &'a self,
        new: &'a NewPullRequest,
    ) -> BoxFuture<'a, Result<OpenedPullRequest, GitHostError>> {
        Box::pin(async move {
            let row = database::NewPullRequest {
                project_id: &self.project_id,
                head: &new.head,
                base: &new.base,
                title: &new.title,
                body: &new.body,
            };
            let opened = self.database.open_pull_request(row, self.clock.now()).await;
            Ok(self.opened(&opened.map_err(unavailable)?))
        })
    }

    fn pull_requests(&self) -> BoxFuture<'_, Result<Vec<OpenPullRequest>, GitHostError>> {
        Box::pin(async {
            let open = self.database.open_pull_requests(&self.project_id).await;
            let branches = self.branches().await;
            let branches = branches
                .map_err(|error| GitHostError::of(error.to_string(), error.is_transient()))?;
            // Without its branch, a pull request has nothing to show.
            let with_head = open.map_err(unavailable)?.into_iter().filter_map(|each| {
                let head_commit = branches.get(&each.head)?.clone();
                Some(OpenPullRequest {
                    number: each.number,
                    url: self.pull_request_url(each.number),
                    title: each.title,
                    author: NAME.to_owned(),
                    git_ref: format!("refs/heads/{}", each.head),
                    head_branch: each.head,
                    head_commit,
                    base_branch: each.base,
                    fork: None,
                    is_fork: false,
                })
            });
            Ok(with_head.collect())
        })
    }

    /// Does nothing: the dashboard shows the releases of commits directly.
    fn set_status<'a>(&'a self, _: &'a CommitStatus) -> BoxFuture<'a, Result<(), GitHostError>> {
        Box::pin(async { Ok(()) })
    }

    fn set_comment<'a>(
        &'a self,
        number: i64,
        _: Option<&'a str>,
        comment: &'a Comment,
    ) -> BoxFuture<'a, Result<String, GitHostError>> {
        Box::pin(async move {
            let pull_request = (self.project_id.as_str(), number);
            let text = (comment.marker.as_str(), comment.body.as_str());
            let written = self.database.set_comment(pull_request, text, self.clock.now()).await;
            let missing = || GitHostError::of(format!("there is no pull request {number}"), false);
            written.map_err(unavailable)?.ok_or_else(missing)
        })
    }
}

fn unavailable(error: StorageError) -> GitHostError {
    GitHostError::of(error.to_string(), true)
}

#[cfg(test)]
mod tests;
