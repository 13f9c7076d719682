//! GitHub and GitHub Enterprise. <https://docs.github.com/en/rest/pulls/pulls>

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    NewPullRequest, OpenedPullRequest,
    host::{Dialect, Found, Request, encode, text},
    place::Place,
};

#[derive(Debug)]
pub(super) struct GitHub;

fn pulls(at: &Place) -> String {
    format!("/repos/{}/{}/pulls", at.owner, at.name)
}

impl Dialect for GitHub {
    fn base(&self, at: &Place) -> String {
        if at.host == "github.com" {
            return "https://api.github.com".to_owned();
        }
        format!("{}://{}/api/v3", at.scheme, at.host)
    }

    fn username(&self) -> &'static str {
        "x-access-token"
    }

    fn header(&self, token: &str) -> (&'static str, String) {
        ("authorization", format!("Bearer {token}"))
    }

    fn list(&self, at: &Place, head: &str, page: usize) -> Option<String> {
        let head = encode(&format!("{}:{head}", at.owner));
        (page == 1).then(|| format!("{}?state=all&head={head}", pulls(at)))
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
        let body =
            json!({ "title": new.title, "body": new.body, "head": new.head, "base": new.base });
        Request { method: Method::POST, path: pulls(at), body }
    }

    fn update(&self, at: &Place, number: &str, new: &NewPullRequest) -> Request {
        let body = json!({ "title": new.title, "body": new.body });
        Request { method: Method::PATCH, path: format!("{}/{number}", pulls(at)), body }
    }

    fn read(&self, pull_request: &Value) -> Found {
        Found {
            number: pull_request["number"].to_string(),
            opened: OpenedPullRequest {
                url: text(&pull_request["html_url"]),
                is_open: pull_request["state"] == "open",
            },
        }
    }
}
