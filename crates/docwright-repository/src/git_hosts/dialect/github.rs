//! GitHub and GitHub Enterprise. <https://docs.github.com/en/rest/pulls/pulls>

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    super::{
        CommitState, CommitStatus, NewPullRequest, OpenPullRequest, OpenedPullRequest,
        hosted_repository::HostedRepository,
    },
    Dialect, ExistingComment, PAGE, Request, encode, named, text,
};
use crate::git::Credentials;

/// Longest description of a status, in characters.
const DESCRIPTION: usize = 140;

#[derive(Debug)]
pub(super) struct GitHub;

pub(super) fn pulls(at: &HostedRepository) -> String {
    format!("/repos/{}/{}/pulls", at.owner, at.name)
}

/// Comments on a pull request are those of the issue with its number.
pub(super) fn issues(at: &HostedRepository) -> String {
    format!("/repos/{}/{}/issues", at.owner, at.name)
}

impl Dialect for GitHub {
    fn base(&self, at: &HostedRepository) -> String {
        if at.host == "github.com" {
            return "https://api.github.com".to_owned();
        }
        format!("{}://{}/api/v3", at.scheme, at.host)
    }

    fn credentials(&self, token: &str) -> Credentials {
        named("x-access-token", token)
    }

    fn list(&self, at: &HostedRepository, head: &str, page: usize) -> Option<String> {
        let head = encode(&format!("{}:{head}", at.owner));
        (page == 1).then(|| format!("{}?state=all&head={head}", pulls(at)))
    }

    fn create(&self, at: &HostedRepository, new: &NewPullRequest) -> Request {
        let body =
            json!({ "title": new.title, "body": new.body, "head": new.head, "base": new.base });
        Request { method: Method::POST, path: pulls(at), body }
    }

    fn update(
        &self,
        at: &HostedRepository,
        found: &Value,
        new: &NewPullRequest,
    ) -> Option<Request> {
        let body = json!({ "title": new.title, "body": new.body });
        let path = format!("{}/{}", pulls(at), found["number"]);
        Some(Request { method: Method::PATCH, path, body })
    }

    fn read(&self, pull_request: &Value) -> OpenedPullRequest {
        OpenedPullRequest {
            url: text(&pull_request["html_url"]),
            is_open: pull_request["state"] == "open",
        }
    }

    fn open(&self, at: &HostedRepository, page: usize) -> String {
        format!("{}?state=open&sort=created&direction=desc&per_page={PAGE}&page={page}", pulls(at))
    }

    fn read_open(&self, _: &HostedRepository, pull_request: &Value) -> Option<OpenPullRequest> {
        let number = pull_request["number"].as_i64()?;
        let (head, base) = (&pull_request["head"], &pull_request["base"]);
        Some(OpenPullRequest {
            number,
            title: text(&pull_request["title"]),
            url: text(&pull_request["html_url"]),
            author: text(&pull_request["user"]["login"]),
            head_branch: text(&head["ref"]),
            head_commit: head["sha"].as_str()?.to_owned(),
            base_branch: text(&base["ref"]),
            fork: None,
            is_fork: head["repo"]["full_name"] != base["repo"]["full_name"],
            git_ref: format!("refs/pull/{number}/head"),
        })
    }

    fn status(&self, at: &HostedRepository, status: &CommitStatus) -> Vec<Request> {
        let state = match status.state {
            CommitState::Pending => "pending",
            CommitState::Success | CommitState::Skipped => "success",
            CommitState::Failure => "failure",
        };
        let body = json!({
            "state": state, "context": status.context, "description": status.short(DESCRIPTION),
            "target_url": status.target_url,
        });
        let path = format!("/repos/{}/{}/statuses/{}", at.owner, at.name, encode(&status.commit));
        vec![Request { method: Method::POST, path, body }]
    }

    fn comments(&self, at: &HostedRepository, number: i64, page: usize) -> Option<String> {
        Some(format!("{}/{number}/comments?per_page={PAGE}&page={page}", issues(at)))
    }

    fn comment(
        &self,
        at: &HostedRepository,
        number: i64,
        existing: Option<&ExistingComment>,
        text: &str,
    ) -> Request {
        let issues = issues(at);
        let (method, path) = match existing {
            Some(ExistingComment { id, .. }) => (Method::PATCH, format!("{issues}/comments/{id}")),
            None => (Method::POST, format!("{issues}/{number}/comments")),
        };
        Request { method, path, body: json!({ "body": text }) }
    }
}
