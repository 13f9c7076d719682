//! docwright's own git host: bare repositories in the data folder, pull requests in the database.

use std::path::{Path, PathBuf};

use docwright_domain::{
    pull_request::{PullRequest, PullRequestState},
    timestamp::Timestamp,
};
use docwright_storage::{Database, StorageError, database};

use super::{ForgeError, NewPullRequest, OpenedPullRequest};
use crate::git::{Git, GitError};

/// The branch that is published.
pub const MAIN: &str = "main";

/// The repository of one project on docwright's own host.
#[derive(Debug, Clone)]
pub struct BuiltIn {
    /// The database.
    pub database: Database,
    /// Folder of all repositories.
    pub folder: PathBuf,
    /// Address of the server, without a slash at its end.
    pub public_url: String,
    /// The project.
    pub project_id: String,
    /// Now.
    pub now: Timestamp,
}

/// Why something can't be done with a repository or a pull request.
#[derive(Debug, thiserror::Error)]
pub enum BuiltInError {
    /// Git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The database failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The disk failed.
    #[error("the disk failed: {0}")]
    Disk(#[from] std::io::Error),
    /// It can't be done in the present state; a sentence says why.
    #[error("{0}")]
    Refused(String),
}

/// A pull request with what its page shows.
#[derive(Debug)]
pub struct PullRequestView {
    /// The pull request.
    pub pull_request: PullRequest,
    /// The change as a patch; empty when there is none any more.
    pub patch: String,
    /// Whether it can be merged without conflicts.
    pub mergeable: bool,
}

impl BuiltIn {
    /// The bare repository.
    pub fn repository(&self) -> PathBuf {
        self.folder.join(format!("{}.git", self.project_id))
    }

    /// Address at which git clones it.
    pub fn clone_url(&self) -> String {
        format!("{}/git/{}.git", self.public_url, self.project_id)
    }

    /// Address of the page of a pull request.
    pub fn pull_request_url(&self, number: i64) -> String {
        format!("{}/git/{}/pull/{number}", self.public_url, self.project_id)
    }

    /// Makes the repository if it is not there, with the files of a folder as its first commit.
    pub async fn create(&self, files: Option<&Path>) -> Result<(), BuiltInError> {
        let repository = self.repository();
        if repository.join("HEAD").is_file() {
            return Ok(());
        }
        std::fs::create_dir_all(&repository)?;
        let git = Git::new();
        git.run(&repository, &["init", "--quiet", "--bare", "--initial-branch", MAIN]).await?;
        // Branches of jobs are forced by those who own them; the published one never is.
        git.run(&repository, &["config", "http.receivepack", "true"]).await?;
        let Some(files) = files else { return Ok(()) };
        let git = git
            .with_environment("GIT_AUTHOR_NAME", "docwright")
            .with_environment("GIT_AUTHOR_EMAIL", "docwright@localhost")
            .with_environment("GIT_COMMITTER_NAME", "docwright")
            .with_environment("GIT_COMMITTER_EMAIL", "docwright@localhost");
        let repository = repository.display().to_string();
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
        Ok(())
    }

    pub(super) async fn find(&self, head: &str) -> Result<Option<OpenedPullRequest>, ForgeError> {
        let found = self.database.pull_request_of(&self.project_id, head).await?;
        Ok(found.map(|found| self.opened(&found)))
    }

    pub(super) async fn open(&self, new: &NewPullRequest) -> Result<OpenedPullRequest, ForgeError> {
        let opened = self.database.open_pull_request(
            database::NewPullRequest {
                project_id: &self.project_id,
                head: &new.head,
                base: &new.base,
                title: &new.title,
                body: &new.body,
            },
            self.now,
        );
        Ok(self.opened(&opened.await?))
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
        let (git, repository) = (Git::new(), self.repository());
        let range = format!("{}...{}", pull_request.base, pull_request.head);
        let patch = git
            .run(
                &repository,
                &["diff", "--no-color", "--no-ext-diff", "--find-renames", &range, "--"],
            )
            .await
            .unwrap_or_default();
        let mergeable = pull_request.state == PullRequestState::Open
            && self.merge_tree(&pull_request).await.is_ok();
        Ok(Some(PullRequestView { pull_request, patch, mergeable }))
    }

    async fn merge_tree(&self, pull_request: &PullRequest) -> Result<String, GitError> {
        let arguments = ["merge-tree", "--write-tree", &pull_request.base, &pull_request.head];
        Git::new().run(&self.repository(), &arguments).await
    }

    /// Brings the change of a pull request into its base branch, with a merge commit.
    pub async fn merge(&self, number: i64) -> Result<(), BuiltInError> {
        let found = self.database.pull_request(&self.project_id, number).await?;
        let missing = || BuiltInError::Refused("there is no such pull request".to_owned());
        let pull_request = found.ok_or_else(missing)?;
        if pull_request.state != PullRequestState::Open {
            return Err(BuiltInError::Refused(format!(
                "the pull request is {}, not open",
                pull_request.state.name()
            )));
        }
        let repository = self.repository();
        let git = Git::new()
            .with_environment("GIT_AUTHOR_NAME", "docwright")
            .with_environment("GIT_AUTHOR_EMAIL", "docwright@localhost")
            .with_environment("GIT_COMMITTER_NAME", "docwright")
            .with_environment("GIT_COMMITTER_EMAIL", "docwright@localhost");
        let (base, head) = (pull_request.base.as_str(), pull_request.head.as_str());
        let before = git.run(&repository, &["rev-parse", base]).await?;
        let tree = self.merge_tree(&pull_request).await.map_err(|_| {
            BuiltInError::Refused(format!("the change conflicts with {base}; start another job"))
        })?;
        let message = format!("Merge pull request {number}: {}", pull_request.title);
        let tree = tree.lines().next().unwrap_or_default();
        let arguments = ["commit-tree", tree, "-p", base, "-p", head, "-m", &message];
        let commit = git.run(&repository, &arguments).await?;
        // Names the commit that was seen, so that a push in between is not lost.
        let branch = format!("refs/heads/{base}");
        git.run(&repository, &["update-ref", &branch, &commit, &before]).await?;
        let (merged, now) = (PullRequestState::Merged, self.now);
        self.database.end_pull_request(&self.project_id, number, merged, now).await?;
        Ok(())
    }
}
