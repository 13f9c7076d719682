//! Gitea and Forgejo: most of their API is GitHub's. <https://docs.gitea.com/api/>

use serde_json::Value;

use super::{
    super::{
        CommitStatus, NewPullRequest, OpenPullRequest, OpenedPullRequest,
        hosted_repository::HostedRepository,
    },
    Dialect, ExistingComment, PAGE, Request,
    github::{GitHub, issues, pulls},
    named,
};
use crate::git::Credentials;

#[derive(Debug)]
pub(super) struct Gitea;

impl Dialect for Gitea {
    fn base(&self, at: &HostedRepository) -> String {
        format!("{}://{}/api/v1", at.scheme, at.host)
    }

    fn credentials(&self, token: &str) -> Credentials {
        named("docwright", token)
    }

    fn header(&self, token: &str) -> (&'static str, String) {
        ("authorization", format!("token {token}"))
    }

    /// The list can't be filtered by branch, so it is searched, newest first.
    fn list(&self, at: &HostedRepository, _: &str, page: usize) -> Option<String> {
        let query = format!("state=all&sort=newest&limit={PAGE}&page={page}");
        Some(format!("{}?{query}", pulls(at)))
    }

    fn is_of(&self, pull_request: &Value, head: &str) -> bool {
        pull_request["head"]["ref"] == head
    }

    fn create(&self, at: &HostedRepository, new: &NewPullRequest) -> Request {
        GitHub.create(at, new)
    }

    fn update(
        &self,
        at: &HostedRepository,
        found: &Value,
        new: &NewPullRequest,
    ) -> Option<Request> {
        GitHub.update(at, found, new)
    }

    fn read(&self, pull_request: &Value) -> OpenedPullRequest {
        GitHub.read(pull_request)
    }

    fn open(&self, at: &HostedRepository, page: usize) -> String {
        format!("{}?state=open&sort=newest&limit={PAGE}&page={page}", pulls(at))
    }

    fn read_open(&self, at: &HostedRepository, pull_request: &Value) -> Option<OpenPullRequest> {
        GitHub.read_open(at, pull_request)
    }

    fn status(&self, at: &HostedRepository, status: &CommitStatus) -> Vec<Request> {
        GitHub.status(at, status)
    }

    /// All of them are on one page.
    fn comments(&self, at: &HostedRepository, number: i64, page: usize) -> Option<String> {
        (page == 1).then(|| format!("{}/{number}/comments", issues(at)))
    }

    fn comment(
        &self,
        at: &HostedRepository,
        number: i64,
        existing: Option<&ExistingComment>,
        text: &str,
    ) -> Request {
        GitHub.comment(at, number, existing, text)
    }
}
