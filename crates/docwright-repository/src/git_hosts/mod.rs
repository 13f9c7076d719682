//! Hosts of git repositories and their pull requests: one trait, one file a host.
//!
//! Owns what a host is asked and how its answers are read. Leaves to others what a pull request says,
//! and docwright's own host, whose pull requests are in the database.

mod bitbucket;
mod check_runs;
mod gitea;
mod github;
mod github_app;
mod gitlab;
mod host;
mod hosted_repository;
mod http;
mod status;

use std::{fmt, time::Duration};

use futures::future::BoxFuture;

pub use github_app::GitHubApp;
pub use host::{HostSettings, RemoteHost};
pub use status::{Annotation, CommitState, CommitStatus, MAXIMUM_ANNOTATIONS};

use crate::{network::NetworkError, remote::Access};

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

/// An open pull request of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenPullRequest {
    /// Its number.
    pub number: i64,
    /// Its title.
    pub title: String,
    /// Where people find it.
    pub url: String,
    /// Who opened it.
    pub author: String,
    /// The branch that it brings.
    pub head_branch: String,
    /// The newest commit of that branch, as the hostnames it: Bitbucket gives the first 12 letters.
    pub head_commit: String,
    /// The branch that it is for.
    pub base_branch: String,
    /// Where the fork is cloned from, if the repository itself has no ref for the head.
    pub fork: Option<String>,
    /// Whether the branch is in another repository, or in one that is gone.
    pub is_fork: bool,
    /// What to fetch: from `fork` if there is one, else from the repository itself.
    pub git_ref: String,
}

/// A comment on a pull request, which is written once and changed from then on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// A line that tells the comment from others, and that readers don't see. Letters, digits, `:`, `_`
    /// and `-`; something that nobody can know before the comment is there.
    pub marker: String,
    /// Its text, in Markdown.
    pub body: String,
}

/// Why a host did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct GitHostError {
    /// What is wrong, where, and what to do. Never a secret.
    pub message: String,
    /// Whether asking again can help.
    pub is_transient: bool,
    /// How long the host asks to be left alone, if it does.
    pub retry_after: Option<Duration>,
}

impl GitHostError {
    /// An error by whether asking again can help.
    pub fn of(message: impl Into<String>, is_transient: bool) -> Self {
        Self { message: message.into(), is_transient, retry_after: None }
    }
}

impl From<NetworkError> for GitHostError {
    fn from(error: NetworkError) -> Self {
        Self::of(error.to_string(), error.is_transient())
    }
}

/// The host of one repository's pull requests.
pub trait GitHost: fmt::Debug + Send + Sync {
    /// How git gets into the repository.
    fn access(&self) -> BoxFuture<'_, Result<Access, GitHostError>>;

    /// The pull request of a branch, if it has one.
    fn find<'a>(
        &'a self,
        head: &'a str,
    ) -> BoxFuture<'a, Result<Option<OpenedPullRequest>, GitHostError>>;

    /// Opens the pull request of a branch, or brings the one that it has up to date.
    fn open<'a>(
        &'a self,
        new: &'a NewPullRequest,
    ) -> BoxFuture<'a, Result<OpenedPullRequest, GitHostError>>;

    /// The open pull requests, newest first; of many the newest 500.
    fn pull_requests(&self) -> BoxFuture<'_, Result<Vec<OpenPullRequest>, GitHostError>>;

    /// Says how a commit is doing. Saying it twice is saying it once.
    fn set_status<'a>(
        &'a self,
        status: &'a CommitStatus,
    ) -> BoxFuture<'a, Result<(), GitHostError>>;

    /// Writes a comment on a pull request, or changes the one that is there: the one of the id `known`,
    /// or else the oldest with its marker. Returns the id of the comment.
    fn set_comment<'a>(
        &'a self,
        number: i64,
        known: Option<&'a str>,
        comment: &'a Comment,
    ) -> BoxFuture<'a, Result<String, GitHostError>>;
}
