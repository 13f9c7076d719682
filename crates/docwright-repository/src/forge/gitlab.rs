//! GitLab, self-managed too. <https://docs.gitlab.com/api/merge_requests/>

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    NewPullRequest, OpenedPullRequest,
    host::{Dialect, Found, Request, encode, text},
    place::Place,
};

#[derive(Debug)]
pub(super) struct GitLab;

fn requests(at: &Place) -> String {
    format!("/projects/{}/merge_requests", encode(&format!("{}/{}", at.owner, at.name)))
}

impl Dialect for GitLab {
    fn base(&self, at: &Place) -> String {
        format!("{}://{}/api/v4", at.scheme, at.host)
    }

    fn username(&self) -> &'static str {
        "oauth2"
    }

    fn header(&self, token: &str) -> (&'static str, String) {
        ("private-token", token.to_owned())
    }

    fn list(&self, at: &Place, head: &str, page: usize) -> Option<String> {
        let head = encode(head);
        (page == 1).then(|| format!("{}?state=all&source_branch={head}", requests(at)))
    }

    fn all<'a>(&self, body: &'a Value) -> &'a [Value] {
        body.as_array().map_or(&[], Vec::as_slice)
    }

    /// The list holds no other.
    fn is_of(&self, _: &Value, _: &str) -> bool {
        true
    }

    fn is_last(&self, _: usize) -> bool {
        true
    }

    fn create(&self, at: &Place, new: &NewPullRequest) -> Request {
        let body = json!({
            "title": new.title, "description": new.body, "source_branch": new.head, "target_branch": new.base,
        });
        Request { method: Method::POST, path: requests(at), body }
    }

    fn update(&self, at: &Place, number: &str, new: &NewPullRequest) -> Request {
        let body = json!({ "title": new.title, "description": new.body });
        Request { method: Method::PUT, path: format!("{}/{number}", requests(at)), body }
    }

    fn read(&self, pull_request: &Value) -> Found {
        Found {
            number: pull_request["iid"].to_string(),
            opened: OpenedPullRequest {
                url: text(&pull_request["web_url"]),
                is_open: pull_request["state"] == "opened",
            },
        }
    }
}
