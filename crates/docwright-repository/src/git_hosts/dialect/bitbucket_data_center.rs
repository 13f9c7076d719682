//! Bitbucket Data Center, on hosts of its users. <https://developer.atlassian.com/server/bitbucket/rest/v902/>
//!
//! A list continues at the `nextPageStart` of its last page, and not at the number of entries that were read:
//! <https://docs.atlassian.com/bitbucket-server/rest/5.16.0/bitbucket-rest.html>

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    super::{
        Annotation, CommitState, CommitStatus, NewPullRequest, OpenPullRequest, OpenedPullRequest,
        hosted_repository::HostedRepository, http::HostResponse, status::shortened,
    },
    Dialect, ExistingComment, PAGE, Request,
    bitbucket::Bitbucket,
    encode, named, text,
};
use crate::git::Credentials;

/// Longest description of a status, details of a report, and message of an annotation, in characters.
const DESCRIPTION: usize = 255;
const DETAILS: usize = 2_000;
const MESSAGE: usize = 2_000;
/// The folder of all repositories in the addresses that git clones.
const CLONES: &str = "scm";

#[derive(Debug)]
pub(super) struct BitbucketDataCenter;

/// The path of the service on its host, such as `/bitbucket`, and the key of the project. Git clones
/// `/bitbucket/scm/KEY/name.git` over HTTP, and `/KEY/name.git` over SSH.
fn context_and_key(at: &HostedRepository) -> (String, &str) {
    let (before, key) = at.owner.rsplit_once('/').unwrap_or(("", &at.owner));
    let context = before.strip_suffix(CLONES).unwrap_or_default().trim_end_matches('/');
    let context = if context.is_empty() { String::new() } else { format!("/{context}") };
    (context, key)
}

fn repository(at: &HostedRepository) -> String {
    format!("projects/{}/repos/{}", context_and_key(at).1, at.name)
}

fn pulls(at: &HostedRepository) -> String {
    format!("/api/1.0/{}/pull-requests", repository(at))
}

/// A page of a list: its number is that of its first entry.
fn page(page: usize) -> String {
    format!("limit={PAGE}&start={}", page.saturating_sub(1))
}

fn branch(name: &str) -> String {
    format!("refs/heads/{name}")
}

fn report(status: &CommitStatus) -> Value {
    let mut report = json!({
        "title": status.context, "details": status.short(DETAILS), "reporter": "docwright", "data": [],
        "result": if status.state == CommitState::Failure { "FAIL" } else { "PASS" },
    });
    if let Some(url) = &status.target_url {
        report["link"] = json!(url);
    }
    report
}

/// Line 0 is the whole file.
fn annotation(annotation: &Annotation) -> Value {
    json!({
        "path": annotation.path, "line": annotation.line, "type": "BUG",
        "message": shortened(&annotation.message, MESSAGE),
        "severity": if annotation.is_error { "HIGH" } else { "LOW" },
    })
}

/// A report with annotations. The host keeps those of an earlier report, so they are deleted first.
/// <https://developer.atlassian.com/server/bitbucket/how-tos/code-insights/>
fn insights(at: &HostedRepository, status: &CommitStatus) -> Vec<Request> {
    let commit = encode(&status.commit);
    let path =
        format!("/insights/1.0/{}/commits/{commit}/reports/{}", repository(at), status.key());
    let annotations = format!("{path}/annotations");
    let all: Vec<_> = status.sent().iter().map(annotation).collect();
    let body = json!({ "annotations": all });
    vec![
        Request { method: Method::PUT, path, body: report(status) },
        Request { method: Method::DELETE, path: annotations.clone(), body: json!({}) },
        Request { method: Method::POST, path: annotations, body },
    ]
}

impl Dialect for BitbucketDataCenter {
    fn base(&self, at: &HostedRepository) -> String {
        format!("{}://{}{}/rest", at.scheme, at.host, context_and_key(at).0)
    }

    /// Tokens of projects and repositories have no name, so git sends them as the API gets them.
    /// <https://confluence.atlassian.com/bitbucketserver/http-access-tokens-939515499.html>
    fn credentials(&self, token: &str) -> Credentials {
        named("", token)
    }

    fn list(&self, at: &HostedRepository, head: &str, number: usize) -> Option<String> {
        let head = encode(&branch(head));
        let query = format!("at={head}&direction=OUTGOING&state=ALL&order=NEWEST");
        Some(format!("{}?{query}&{}", pulls(at), page(number)))
    }

    fn all<'a>(&self, body: &'a Value) -> &'a [Value] {
        Bitbucket.all(body)
    }

    fn next(&self, body: &Value, page: usize) -> Option<usize> {
        let start = body["nextPageStart"].as_u64().filter(|_| body["isLastPage"] != true)?;
        // A list that doesn't continue would never end.
        usize::try_from(start).ok().map(|start| start + 1).filter(|next| *next > page)
    }

    /// The list also has pull requests to other repositories.
    fn is_of(&self, pull_request: &Value, head: &str) -> bool {
        let (from, to) = (&pull_request["fromRef"], &pull_request["toRef"]);
        from["id"] == branch(head) && from["repository"]["id"] == to["repository"]["id"]
    }

    fn create(&self, at: &HostedRepository, new: &NewPullRequest) -> Request {
        let reference = |name: &str| {
            let project = json!({ "key": context_and_key(at).1 });
            json!({ "id": branch(name), "repository": { "slug": at.name, "project": project } })
        };
        let body = json!({
            "title": new.title, "description": new.body,
            "fromRef": reference(&new.head), "toRef": reference(&new.base),
        });
        Request { method: Method::POST, path: pulls(at), body }
    }

    /// 409 also means that there is nothing to merge.
    fn has_one(&self, answer: &HostResponse) -> bool {
        answer.body.to_string().contains("DuplicatePullRequestException")
    }

    /// Names the version that it changes, and keeps the reviewers: those that aren't sent are removed. Merged and
    /// declined ones can't be changed.
    fn update(
        &self,
        at: &HostedRepository,
        found: &Value,
        new: &NewPullRequest,
    ) -> Option<Request> {
        let reviewers = found["reviewers"].as_array().into_iter().flatten();
        let reviewers = reviewers.map(|each| json!({ "user": { "name": each["user"]["name"] } }));
        let body = json!({
            "title": new.title, "description": new.body, "version": found["version"],
            "reviewers": reviewers.collect::<Vec<_>>(),
        });
        let path = format!("{}/{}", pulls(at), found["id"]);
        self.read(found).is_open.then_some(Request { method: Method::PUT, path, body })
    }

    fn read(&self, pull_request: &Value) -> OpenedPullRequest {
        OpenedPullRequest {
            url: text(&pull_request["links"]["self"][0]["href"]),
            is_open: pull_request["state"] == "OPEN",
        }
    }

    fn open(&self, at: &HostedRepository, number: usize) -> String {
        format!("{}?state=OPEN&order=NEWEST&{}", pulls(at), page(number))
    }

    /// The host promises no refs of pull requests, so those of forks are fetched from the fork.
    fn read_open(&self, at: &HostedRepository, pull_request: &Value) -> Option<OpenPullRequest> {
        let (from, into) = (&pull_request["fromRef"], &pull_request["toRef"]);
        let is_fork = from["repository"]["id"] != into["repository"]["id"];
        let git_ref = from["id"].as_str()?.to_owned();
        let mut fork = None;
        if is_fork {
            let name = from["repository"]["slug"].as_str()?;
            let key = from["repository"]["project"]["key"].as_str()?;
            let context = context_and_key(at).0;
            fork = Some(format!("{}://{}{context}/{CLONES}/{key}/{name}.git", at.scheme, at.host));
        }
        Some(OpenPullRequest {
            number: pull_request["id"].as_i64()?,
            title: text(&pull_request["title"]),
            url: text(&pull_request["links"]["self"][0]["href"]),
            author: text(&pull_request["author"]["user"]["displayName"]),
            head_branch: text(&from["displayId"]),
            head_commit: from["latestCommit"].as_str()?.to_owned(),
            base_branch: text(&into["displayId"]),
            fork,
            is_fork,
            git_ref,
        })
    }

    /// A build status, preceded by a report with annotations if there are any.
    /// <https://developer.atlassian.com/server/bitbucket/how-tos/updating-build-status-for-commits/>
    fn status(&self, at: &HostedRepository, status: &CommitStatus) -> Vec<Request> {
        let state = match status.state {
            CommitState::Pending => "INPROGRESS",
            CommitState::Success => "SUCCESSFUL",
            CommitState::Failure => "FAILED",
            CommitState::Skipped => "CANCELLED",
        };
        let annotated = !status.annotations.is_empty();
        let mut requests = if annotated { insights(at, status) } else { Vec::new() };
        let body = json!({
            "key": status.key(), "state": state, "name": shortened(&status.context, DESCRIPTION),
            "description": status.short(DESCRIPTION),
            // The field is required.
            "url": status.target_url.clone().unwrap_or_else(|| "https://docwright.invalid/".to_owned()),
        });
        let path = format!("/api/1.0/{}/commits/{}/builds", repository(at), encode(&status.commit));
        requests.push(Request { method: Method::POST, path, body });
        requests
    }

    /// The list of comments is one of a file, so they are read among all activities.
    fn comments(&self, at: &HostedRepository, number: i64, start: usize) -> Option<String> {
        Some(format!("{}/{number}/activities?{}", pulls(at), page(start)))
    }

    fn newest_comment_is_first(&self) -> bool {
        true
    }

    fn comment_of<'a>(&self, entry: &'a Value) -> Option<&'a Value> {
        entry.get("comment").filter(|_| entry["action"] == "COMMENTED")
    }

    fn comment_text<'a>(&self, comment: &'a Value) -> &'a str {
        comment["text"].as_str().unwrap_or_default()
    }

    /// A change names the version of the comment.
    fn read_comment(&self, at: &HostedRepository, number: i64, id: &str) -> Option<String> {
        Some(format!("{}/{number}/comments/{id}", pulls(at)))
    }

    fn comment(
        &self,
        at: &HostedRepository,
        number: i64,
        existing: Option<&ExistingComment>,
        text: &str,
    ) -> Request {
        let comments = format!("{}/{number}/comments", pulls(at));
        match existing {
            Some(ExistingComment { id, version }) => Request {
                method: Method::PUT,
                path: format!("{comments}/{id}"),
                body: json!({ "text": text, "version": version }),
            },
            None => Request { method: Method::POST, path: comments, body: json!({ "text": text }) },
        }
    }

    /// HTML would be shown.
    fn hidden(&self, marker: &str) -> String {
        Bitbucket.hidden(marker)
    }
}
