//! GitLab, also self-managed. <https://docs.gitlab.com/api/merge_requests/>

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    super::{
        CommitState, CommitStatus, NewPullRequest, OpenPullRequest, OpenedPullRequest,
        hosted_repository::HostedRepository, http::HostResponse,
    },
    Dialect, ExistingComment, PAGE, Request, encode, named, text,
};
use crate::git::Credentials;

#[derive(Debug)]
pub(super) struct GitLab;

/// Longest description of a status, in characters.
const DESCRIPTION: usize = 255;

fn project(at: &HostedRepository) -> String {
    format!("/projects/{}", encode(&format!("{}/{}", at.owner, at.name)))
}

fn requests(at: &HostedRepository) -> String {
    format!("{}/merge_requests", project(at))
}

impl Dialect for GitLab {
    fn base(&self, at: &HostedRepository) -> String {
        format!("{}://{}/api/v4", at.scheme, at.host)
    }

    fn credentials(&self, token: &str) -> Credentials {
        named("oauth2", token)
    }

    fn header(&self, token: &str) -> (&'static str, String) {
        ("private-token", token.to_owned())
    }

    fn list(&self, at: &HostedRepository, head: &str, page: usize) -> Option<String> {
        let head = encode(head);
        (page == 1).then(|| format!("{}?state=all&source_branch={head}", requests(at)))
    }

    fn create(&self, at: &HostedRepository, new: &NewPullRequest) -> Request {
        let body = json!({
            "title": new.title, "description": new.body, "source_branch": new.head, "target_branch": new.base,
        });
        Request { method: Method::POST, path: requests(at), body }
    }

    fn update(
        &self,
        at: &HostedRepository,
        found: &Value,
        new: &NewPullRequest,
    ) -> Option<Request> {
        let body = json!({ "title": new.title, "description": new.body });
        let path = format!("{}/{}", requests(at), found["iid"]);
        Some(Request { method: Method::PUT, path, body })
    }

    fn read(&self, pull_request: &Value) -> OpenedPullRequest {
        OpenedPullRequest {
            url: text(&pull_request["web_url"]),
            is_open: pull_request["state"] == "opened",
        }
    }

    fn open(&self, at: &HostedRepository, page: usize) -> String {
        let order = "order_by=created_at&sort=desc";
        format!("{}?state=opened&{order}&per_page={PAGE}&page={page}", requests(at))
    }

    fn read_open(&self, _: &HostedRepository, pull_request: &Value) -> Option<OpenPullRequest> {
        let number = pull_request["iid"].as_i64()?;
        Some(OpenPullRequest {
            number,
            title: text(&pull_request["title"]),
            url: text(&pull_request["web_url"]),
            author: text(&pull_request["author"]["username"]),
            head_branch: text(&pull_request["source_branch"]),
            head_commit: pull_request["sha"].as_str()?.to_owned(),
            base_branch: text(&pull_request["target_branch"]),
            fork: None,
            is_fork: pull_request["source_project_id"] != pull_request["target_project_id"],
            git_ref: format!("refs/merge-requests/{number}/head"),
        })
    }

    fn status(&self, at: &HostedRepository, status: &CommitStatus) -> Vec<Request> {
        let state = match status.state {
            CommitState::Pending => "pending",
            CommitState::Success => "success",
            CommitState::Failure => "failed",
            CommitState::Skipped => "canceled",
        };
        let mut body = json!({
            "state": state, "name": status.context, "description": status.short(DESCRIPTION),
        });
        if let Some(url) = &status.target_url {
            body["target_url"] = json!(url);
        }
        let path = format!("{}/statuses/{}", project(at), encode(&status.commit));
        vec![Request { method: Method::POST, path, body }]
    }

    /// It refuses a state that the commit already has.
    fn is_said(&self, answer: &HostResponse) -> bool {
        answer.body["message"].to_string().contains("Cannot transition status")
    }

    fn comments(&self, at: &HostedRepository, number: i64, page: usize) -> Option<String> {
        let order = "order_by=created_at&sort=asc";
        Some(format!("{}/{number}/notes?{order}&per_page={PAGE}&page={page}", requests(at)))
    }

    fn comment(
        &self,
        at: &HostedRepository,
        number: i64,
        existing: Option<&ExistingComment>,
        text: &str,
    ) -> Request {
        let notes = format!("{}/{number}/notes", requests(at));
        let (method, path) = match existing {
            Some(ExistingComment { id, .. }) => (Method::PUT, format!("{notes}/{id}")),
            None => (Method::POST, notes),
        };
        Request { method, path, body: json!({ "body": text }) }
    }
}
