//! Hosts of git repositories and their pull requests.

mod bitbucket;
mod built_in;
mod gitea;
mod github;
mod github_app;
mod gitlab;
mod http;
mod remote;
mod repository;

use docwright_storage::StorageError;

pub use built_in::{BuiltIn, BuiltInError, MAIN, PullRequestView};
pub use github_app::GitHubApp;
pub use remote::{HostSettings, Remote};
pub use repository::Kind;

use crate::git::Git;

/// A pull request to be opened, or brought up to date.
#[derive(Debug, Clone)]
pub struct NewPullRequest {
    /// The branch that it brings.
    pub head: String,
    /// The branch that it is for.
    pub base: String,
    /// Its title, one line.
    pub title: String,
    /// Its text, in Markdown.
    pub body: String,
}

/// A pull request as its host has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedPullRequest {
    /// Where people find it.
    pub url: String,
    /// Whether it waits to be merged.
    pub is_open: bool,
}

/// Why a host did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ForgeError {
    /// What is wrong, where, and what to do. Never a secret.
    pub message: String,
    /// Whether asking again may help.
    pub may_pass: bool,
}

impl From<StorageError> for ForgeError {
    fn from(error: StorageError) -> Self {
        Self { message: error.to_string(), may_pass: true }
    }
}

/// The host of a project's repository.
#[derive(Debug)]
pub enum Forge {
    /// docwright's own.
    BuiltIn(BuiltIn),
    /// Another's.
    Remote(Box<Remote>),
}

impl Forge {
    /// Where git finds the repository.
    pub fn address(&self) -> String {
        match self {
            Self::BuiltIn(host) => host.repository().display().to_string(),
            Self::Remote(host) => host.address(),
        }
    }

    /// Git as the host wants it.
    pub async fn git(&self) -> Result<Git, ForgeError> {
        match self {
            Self::BuiltIn(_) => Ok(Git::new()),
            Self::Remote(host) => host.git().await,
        }
    }

    /// The pull request of a branch, if it has one.
    pub async fn find(&self, head: &str) -> Result<Option<OpenedPullRequest>, ForgeError> {
        match self {
            Self::BuiltIn(host) => host.find(head).await,
            Self::Remote(host) => host.find(head).await,
        }
    }

    /// Opens the pull request of a branch, or brings the one that it has up to date.
    pub async fn open(&self, new: &NewPullRequest) -> Result<OpenedPullRequest, ForgeError> {
        match self {
            Self::BuiltIn(host) => host.open(new).await,
            Self::Remote(host) => host.open(new).await,
        }
    }
}
