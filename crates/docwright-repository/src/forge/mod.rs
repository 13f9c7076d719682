//! Hosts of git repositories and their pull requests: one trait, one file a host.
//!
//! Owns what a host is asked and how its answers are read. Leaves to others what a pull request says,
//! and docwright's own host, whose pull requests are in the database.

mod bitbucket;
mod gitea;
mod github;
mod github_app;
mod gitlab;
mod host;
mod http;
mod place;

use std::fmt;

use futures::future::BoxFuture;

pub use github_app::GitHubApp;
pub use host::{HostSettings, RemoteHost};
pub use place::Kind;

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

/// Why a host did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ForgeError {
    /// What is wrong, where, and what to do. Never a secret.
    pub message: String,
    /// Whether asking again may help.
    pub may_pass: bool,
}

impl From<NetworkError> for ForgeError {
    fn from(error: NetworkError) -> Self {
        Self { message: error.to_string(), may_pass: error.may_pass() }
    }
}

/// The host of one repository's pull requests.
pub trait Forge: fmt::Debug + Send + Sync {
    /// How git gets into the repository.
    fn access(&self) -> BoxFuture<'_, Result<Access, ForgeError>>;

    /// The pull request of a branch, if it has one.
    fn find<'a>(
        &'a self,
        head: &'a str,
    ) -> BoxFuture<'a, Result<Option<OpenedPullRequest>, ForgeError>>;

    /// Opens the pull request of a branch, or brings the one that it has up to date.
    fn open<'a>(
        &'a self,
        new: &'a NewPullRequest,
    ) -> BoxFuture<'a, Result<OpenedPullRequest, ForgeError>>;
}
