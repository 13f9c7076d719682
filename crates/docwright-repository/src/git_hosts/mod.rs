//! Git hosts and their pull requests: one trait, and one dialect per kind of host.
//!
//! Owns the requests to hosts and their responses. Others write the texts of pull requests. docwright's own host,
//! whose pull requests are in the database, is elsewhere.

mod check_runs;
mod dialect;
mod github_app;
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

/// A pull request to open or update.
#[derive(Debug, Clone)]
pub struct NewPullRequest {
    /// Its branch.
    pub head: String,
    /// Its base branch.
    pub base: String,
    /// Its title, one line.
    pub title: String,
    /// Its text, in Markdown.
    pub body: String,
}

/// A pull request on its host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedPullRequest {
    /// Its web address.
    pub url: String,
    /// Whether it is open.
    pub is_open: bool,
}

/// An open pull request of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenPullRequest {
    /// Its number.
    pub number: i64,
    /// Its title.
    pub title: String,
    /// Its web address.
    pub url: String,
    /// Its author.
    pub author: String,
    /// Its branch.
    pub head_branch: String,
    /// The newest commit of that branch, as the host returns it: Bitbucket returns the first 12 characters.
    pub head_commit: String,
    /// Its base branch.
    pub base_branch: String,
    /// The address of the fork, if the repository itself has no ref for the head.
    pub fork: Option<String>,
    /// Whether the branch is in another repository, or in a deleted one.
    pub is_fork: bool,
    /// The ref to fetch: from `fork` if there is one, else from the repository itself.
    pub git_ref: String,
}

/// A comment on a pull request, which is created once and updated afterward.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// A line that identifies the comment, and that readers don't see. Letters, digits, `:`, `_`, and `-`;
    /// unguessable before the comment exists.
    pub marker: String,
    /// Its text, in Markdown.
    pub body: String,
}

/// Why a host failed.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct GitHostError {
    /// The error, its place, and the remedy. Never a secret.
    pub message: String,
    /// Whether a retry can help.
    pub is_transient: bool,
    /// The pause that the host requests, if any.
    pub retry_after: Option<Duration>,
}

impl GitHostError {
    /// An error that is transient or permanent.
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
    /// Git access to the repository.
    fn access(&self) -> BoxFuture<'_, Result<Access, GitHostError>>;

    /// The pull request of a branch, if it has one.
    fn find<'a>(
        &'a self,
        head: &'a str,
    ) -> BoxFuture<'a, Result<Option<OpenedPullRequest>, GitHostError>>;

    /// Opens the pull request of a branch, or updates it.
    fn open<'a>(
        &'a self,
        new: &'a NewPullRequest,
    ) -> BoxFuture<'a, Result<OpenedPullRequest, GitHostError>>;

    /// The open pull requests, newest first; at most the newest 500.
    fn pull_requests(&self) -> BoxFuture<'_, Result<Vec<OpenPullRequest>, GitHostError>>;

    /// Sets the status of a commit. It is idempotent.
    fn set_status<'a>(
        &'a self,
        status: &'a CommitStatus,
    ) -> BoxFuture<'a, Result<(), GitHostError>>;

    /// Creates a comment on a pull request, or updates the existing one: the one with the id `known`, or else the
    /// oldest with its marker. Returns the id of the comment.
    fn set_comment<'a>(
        &'a self,
        number: i64,
        known: Option<&'a str>,
        comment: &'a Comment,
    ) -> BoxFuture<'a, Result<String, GitHostError>>;
}
