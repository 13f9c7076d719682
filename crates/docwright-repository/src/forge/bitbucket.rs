//! Bitbucket Cloud. <https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests/>

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    NewPullRequest, OpenedPullRequest,
    host::{Dialect, Found, Request, encode, text},
    place::Place,
};

#[derive(Debug)]
pub(super) struct Bitbucket;

fn pulls(at: &Place) -> String {
    format!("/repositories/{}/{}/pullrequests", at.owner, at.name)
}

impl Dialect for Bitbucket {
    fn base(&self, at: &Place) -> String {
        if at.host == "bitbucket.org" {
            return "https://api.bitbucket.org/2.0".to_owned();
        }
        format!("{}://{}/2.0", at.scheme, at.host)
    }

    fn username(&self) -> &'static str {
        "x-token-auth"
    }

    fn header(&self, token: &str) -> (&'static str, String) {
        ("authorization", format!("Bearer {token}"))
    }

    fn list(&self, at: &Place, head: &str, page: usize) -> Option<String> {
        let query = encode(&format!("source.branch.name=\"{head}\""));
        let states = "state=OPEN&state=MERGED&state=DECLINED&state=SUPERSEDED";
        (page == 1).then(|| format!("{}?q={query}&{states}", pulls(at)))
    }

    fn all<'a>(&self, body: &'a Value) -> &'a [Value] {
        body["values"].as_array().map_or(&[], Vec::as_slice)
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
            "title": new.title,
            "description": new.body,
            "source": { "branch": { "name": new.head } },
            "destination": { "branch": { "name": new.base } },
        });
        Request { method: Method::POST, path: pulls(at), body }
    }

    fn update(&self, at: &Place, number: &str, new: &NewPullRequest) -> Request {
        let body = json!({ "title": new.title, "description": new.body });
        Request { method: Method::PUT, path: format!("{}/{number}", pulls(at)), body }
    }

    fn read(&self, pull_request: &Value) -> Found {
        Found {
            number: pull_request["id"].to_string(),
            opened: OpenedPullRequest {
                url: text(&pull_request["links"]["html"]["href"]),
                is_open: pull_request["state"] == "OPEN",
            },
        }
    }
}
