//! Gitea and Forgejo. <https://docs.gitea.com/api/>

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    NewPullRequest, OpenedPullRequest,
    host::{Dialect, Found, Request, text},
    place::Place,
};

#[derive(Debug)]
pub(super) struct Gitea;

/// Pull requests on one page of a list, and pages that are looked through.
const PAGE: usize = 50;
const PAGES: usize = 20;

fn pulls(at: &Place) -> String {
    format!("/repos/{}/{}/pulls", at.owner, at.name)
}

impl Dialect for Gitea {
    fn base(&self, at: &Place) -> String {
        format!("{}://{}/api/v1", at.scheme, at.host)
    }

    fn username(&self) -> &'static str {
        "docwright"
    }

    fn header(&self, token: &str) -> (&'static str, String) {
        ("authorization", format!("token {token}"))
    }

    /// The list can't be narrowed to a branch, so it is looked through, newest first.
    fn list(&self, at: &Place, _: &str, page: usize) -> Option<String> {
        let query = format!("state=all&sort=newest&limit={PAGE}&page={page}");
        (page <= PAGES).then(|| format!("{}?{query}", pulls(at)))
    }

    fn all<'a>(&self, body: &'a Value) -> &'a [Value] {
        body.as_array().map_or(&[], Vec::as_slice)
    }

    fn is_of(&self, pull_request: &Value, head: &str) -> bool {
        pull_request["head"]["ref"] == head
    }

    fn is_last(&self, count: usize) -> bool {
        count < PAGE
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
