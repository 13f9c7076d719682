//! Bitbucket Cloud. <https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests/>

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    super::{
        Annotation, CommitState, CommitStatus, NewPullRequest, OpenPullRequest, OpenedPullRequest,
        hosted_repository::HostedRepository, status::shortened,
    },
    Dialect, ExistingComment, PAGE, Request, encode, named, text,
};
use crate::git::Credentials;

/// Longest description of a status, details of a report, and summary of an annotation, in characters.
const DESCRIPTION: usize = 255;
const DETAILS: usize = 2_000;
const SUMMARY: usize = 450;

#[derive(Debug)]
pub(super) struct Bitbucket;

fn pulls(at: &HostedRepository) -> String {
    format!("/repositories/{}/{}/pullrequests", at.owner, at.name)
}

fn insights(status: &CommitStatus) -> Value {
    let mut report = json!({
        "title": status.context, "details": status.short(DETAILS), "report_type": "BUG",
        "reporter": "docwright",
        "result": if status.state == CommitState::Failure { "FAILED" } else { "PASSED" },
    });
    if let Some(url) = &status.target_url {
        report["link"] = json!(url);
    }
    report
}

/// A report with the same id replaces the previous one.
fn annotation((number, annotation): (usize, &Annotation)) -> Value {
    let mut sent = json!({
        "external_id": format!("docwright-{number}"), "annotation_type": "BUG",
        "path": annotation.path, "summary": shortened(&annotation.message, SUMMARY),
        "severity": if annotation.is_error { "HIGH" } else { "LOW" },
    });
    if annotation.line > 0 {
        sent["line"] = json!(annotation.line);
    }
    sent
}

impl Dialect for Bitbucket {
    fn base(&self, at: &HostedRepository) -> String {
        if at.host == "bitbucket.org" {
            return "https://api.bitbucket.org/2.0".to_owned();
        }
        format!("{}://{}/2.0", at.scheme, at.host)
    }

    fn credentials(&self, token: &str) -> Credentials {
        named("x-token-auth", token)
    }

    fn list(&self, at: &HostedRepository, head: &str, page: usize) -> Option<String> {
        let query = encode(&format!("source.branch.name=\"{head}\""));
        let states = "state=OPEN&state=MERGED&state=DECLINED&state=SUPERSEDED";
        (page == 1).then(|| format!("{}?q={query}&{states}", pulls(at)))
    }

    fn all<'a>(&self, body: &'a Value) -> &'a [Value] {
        body["values"].as_array().map_or(&[], Vec::as_slice)
    }

    fn create(&self, at: &HostedRepository, new: &NewPullRequest) -> Request {
        let body = json!({
            "title": new.title,
            "description": new.body,
            "source": { "branch": { "name": new.head } },
            "destination": { "branch": { "name": new.base } },
        });
        Request { method: Method::POST, path: pulls(at), body }
    }

    fn update(
        &self,
        at: &HostedRepository,
        found: &Value,
        new: &NewPullRequest,
    ) -> Option<Request> {
        let body = json!({ "title": new.title, "description": new.body });
        let path = format!("{}/{}", pulls(at), found["id"]);
        Some(Request { method: Method::PUT, path, body })
    }

    fn read(&self, pull_request: &Value) -> OpenedPullRequest {
        OpenedPullRequest {
            url: text(&pull_request["links"]["html"]["href"]),
            is_open: pull_request["state"] == "OPEN",
        }
    }

    fn open(&self, at: &HostedRepository, page: usize) -> String {
        format!("{}?state=OPEN&sort=-created_on&pagelen={PAGE}&page={page}", pulls(at))
    }

    /// There are no refs of pull requests, so those of forks are fetched from the fork.
    fn read_open(&self, at: &HostedRepository, pull_request: &Value) -> Option<OpenPullRequest> {
        let (head, base) = (&pull_request["source"], &pull_request["destination"]);
        let (from, into) = (&head["repository"]["full_name"], &base["repository"]["full_name"]);
        let branch = text(&head["branch"]["name"]);
        Some(OpenPullRequest {
            number: pull_request["id"].as_i64()?,
            title: text(&pull_request["title"]),
            url: text(&pull_request["links"]["html"]["href"]),
            author: text(&pull_request["author"]["display_name"]),
            head_commit: head["commit"]["hash"].as_str()?.to_owned(),
            base_branch: text(&base["branch"]["name"]),
            fork: from
                .as_str()
                .filter(|_| from != into)
                .map(|name| format!("{}://{}/{name}.git", at.scheme, at.host)),
            is_fork: from != into,
            git_ref: format!("refs/heads/{branch}"),
            head_branch: branch,
        })
    }

    /// A build status, preceded by a report with annotations if there are any.
    fn status(&self, at: &HostedRepository, status: &CommitStatus) -> Vec<Request> {
        let commit =
            format!("/repositories/{}/{}/commit/{}", at.owner, at.name, encode(&status.commit));
        let state = match status.state {
            CommitState::Pending => "INPROGRESS",
            CommitState::Success => "SUCCESSFUL",
            CommitState::Failure => "FAILED",
            CommitState::Skipped => "STOPPED",
        };
        let key = status.key();
        let mut requests = Vec::new();
        if !status.annotations.is_empty() {
            let report = format!("{commit}/reports/{key}");
            requests.push(Request {
                method: Method::PUT,
                path: report.clone(),
                body: insights(status),
            });
            let all: Vec<_> = status.sent().iter().enumerate().map(annotation).collect();
            let path = format!("{report}/annotations");
            requests.push(Request { method: Method::POST, path, body: json!(all) });
        }
        let body = json!({
            "key": key, "state": state, "name": status.context,
            "description": status.short(DESCRIPTION),
            // The field is required.
            "url": status.target_url.clone().unwrap_or_else(|| "https://docwright.invalid/".to_owned()),
        });
        let path = format!("{commit}/statuses/build");
        requests.push(Request { method: Method::POST, path, body });
        requests
    }

    fn comments(&self, at: &HostedRepository, number: i64, page: usize) -> Option<String> {
        let order = "sort=created_on";
        Some(format!("{}/{number}/comments?{order}&pagelen={PAGE}&page={page}", pulls(at)))
    }

    fn comment_text<'a>(&self, comment: &'a Value) -> &'a str {
        comment["content"]["raw"].as_str().unwrap_or_default()
    }

    fn comment(
        &self,
        at: &HostedRepository,
        number: i64,
        existing: Option<&ExistingComment>,
        text: &str,
    ) -> Request {
        let comments = format!("{}/{number}/comments", pulls(at));
        let (method, path) = match existing {
            Some(ExistingComment { id, .. }) => (Method::PUT, format!("{comments}/{id}")),
            None => (Method::POST, comments),
        };
        Request { method, path, body: json!({ "content": { "raw": text } }) }
    }

    /// HTML comments would be shown; an unused link definition is not.
    fn hidden(&self, marker: &str) -> String {
        format!("[//]: # ({marker})")
    }
}
