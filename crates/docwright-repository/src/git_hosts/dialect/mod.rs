//! What each kind of host is asked, and how its answers are read: one file per kind. Sends nothing.

mod bitbucket;
mod bitbucket_data_center;
mod gitea;
mod github;
mod gitlab;

use std::fmt;

use docwright_types::git_host::GitHostKind;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Method;
use serde_json::Value;

use super::{
    CommitStatus, NewPullRequest, OpenPullRequest, OpenedPullRequest,
    hosted_repository::HostedRepository, http::HostResponse,
};
use crate::git::Credentials;

/// The dialect of a kind of host.
pub(super) fn of(kind: GitHostKind) -> Box<dyn Dialect> {
    match kind {
        GitHostKind::GitHub => Box::new(github::GitHub),
        GitHostKind::GitLab => Box::new(gitlab::GitLab),
        GitHostKind::Gitea => Box::new(gitea::Gitea),
        GitHostKind::Bitbucket => Box::new(bitbucket::Bitbucket),
        GitHostKind::BitbucketDataCenter => Box::new(bitbucket_data_center::BitbucketDataCenter),
    }
}

/// A request to the API.
pub(super) struct Request {
    pub(super) method: Method,
    /// Path below the root of the API.
    pub(super) path: String,
    pub(super) body: Value,
}

/// A comment that exists on the host.
#[derive(Debug)]
pub(super) struct ExistingComment {
    pub(super) id: String,
    /// Its version, for hosts where a change names it.
    pub(super) version: Option<i64>,
}

impl ExistingComment {
    /// Reads a comment. `None` if it has no id.
    pub(super) fn of(comment: &Value) -> Option<Self> {
        let id = comment["id"].as_i64()?.to_string();
        Some(Self { id, version: comment["version"].as_i64() })
    }
}

/// Requests and responses of one kind of host. Pages of lists have numbers, and the first is 1.
pub(super) trait Dialect: fmt::Debug + Send + Sync {
    /// Root of the API, without a slash at its end.
    fn base(&self, at: &HostedRepository) -> String;
    /// What git sends with a token.
    fn credentials(&self, token: &str) -> Credentials;
    /// Name and value of the header with a token.
    fn header(&self, token: &str) -> (&'static str, String) {
        ("authorization", format!("Bearer {token}"))
    }
    /// Path of a page of a list that contains the pull request of a branch. `None` after the last.
    fn list(&self, at: &HostedRepository, head: &str, page: usize) -> Option<String>;
    /// The entries on a page.
    fn all<'a>(&self, body: &'a Value) -> &'a [Value] {
        body.as_array().map_or(&[], Vec::as_slice)
    }
    /// The number of the next page. `None` after the last.
    fn next(&self, body: &Value, page: usize) -> Option<usize> {
        (self.all(body).len() >= PAGE).then_some(page + 1)
    }
    /// Whether a pull request in the list belongs to a branch. Most lists have no others.
    fn is_of(&self, _pull_request: &Value, _head: &str) -> bool {
        true
    }
    /// Opens a pull request.
    fn create(&self, at: &HostedRepository, new: &NewPullRequest) -> Request;
    /// Whether a refusal to open a pull request means that the branch already has one.
    fn has_one(&self, answer: &HostResponse) -> bool {
        answer.status == 409 || answer.body.to_string().contains("already exists")
    }
    /// Updates a pull request of the list. `None` if the host refuses changes of this one.
    fn update(&self, at: &HostedRepository, found: &Value, new: &NewPullRequest)
    -> Option<Request>;
    /// Reads a pull request.
    fn read(&self, pull_request: &Value) -> OpenedPullRequest;
    /// Path of a page of the list of open pull requests, newest first, of at most [`PAGE`].
    fn open(&self, at: &HostedRepository, page: usize) -> String;
    /// Reads one of them. `None` if it lacks what the host promises.
    fn read_open(&self, at: &HostedRepository, pull_request: &Value) -> Option<OpenPullRequest>;
    /// The requests for the status of a commit.
    fn status(&self, at: &HostedRepository, status: &CommitStatus) -> Vec<Request>;
    /// Whether a refusal of such a request means that the wanted state already exists.
    fn is_said(&self, _: &HostResponse) -> bool {
        false
    }
    /// Path of a page of a list with the comments on a pull request. `None` after the last.
    fn comments(&self, at: &HostedRepository, number: i64, page: usize) -> Option<String>;
    /// Whether that list starts with the newest.
    fn newest_comment_is_first(&self) -> bool {
        false
    }
    /// The comment of an entry of that list. `None` if the entry is something else.
    fn comment_of<'a>(&self, entry: &'a Value) -> Option<&'a Value> {
        Some(entry)
    }
    /// The text of a comment.
    fn comment_text<'a>(&self, comment: &'a Value) -> &'a str {
        comment["body"].as_str().unwrap_or_default()
    }
    /// Path of a comment that must be read before it is changed. `None` if its id suffices.
    fn read_comment(&self, _at: &HostedRepository, _number: i64, _id: &str) -> Option<String> {
        None
    }
    /// Creates a comment, or updates one.
    fn comment(
        &self,
        at: &HostedRepository,
        number: i64,
        existing: Option<&ExistingComment>,
        text: &str,
    ) -> Request;
    /// A line that readers don't see.
    fn hidden(&self, marker: &str) -> String {
        format!("<!-- {marker} -->")
    }
}

/// Entries on a page of a list: a size that all hosts support.
pub(super) const PAGE: usize = 50;

/// Characters that need no encoding in a path or query.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

pub(super) fn encode(text: &str) -> String {
    utf8_percent_encode(text, KEPT).to_string()
}

/// A field of a response as text; empty if it is missing.
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Credentials of hosts that need a name beside a token.
fn named(username: &str, token: &str) -> Credentials {
    Credentials { username: username.to_owned(), password: token.to_owned() }
}
