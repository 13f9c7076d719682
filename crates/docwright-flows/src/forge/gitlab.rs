//! GitLab, self-managed too. <https://docs.gitlab.com/api/merge_requests/>

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    ForgeError, NewPullRequest, OpenedPullRequest,
    http::Http,
    remote::{Found, encode},
    repository::Repository,
};

pub(super) fn api(repository: &Repository) -> String {
    format!("{}://{}/api/v4", repository.scheme, repository.host)
}

fn requests(at: &Repository) -> String {
    format!("/projects/{}/merge_requests", encode(&format!("{}/{}", at.owner, at.name)))
}

pub(super) async fn find(
    http: &Http,
    at: &Repository,
    head: &str,
) -> Result<Option<Found>, ForgeError> {
    let path = format!("{}?state=all&source_branch={}", requests(at), encode(head));
    let answer = http.send(Method::GET, &path, None, &[]).await?;
    Ok(answer.body[0].is_object().then(|| read(&answer.body[0])))
}

/// `None` if the branch has one already.
pub(super) async fn create(
    http: &Http,
    at: &Repository,
    new: &NewPullRequest,
) -> Result<Option<Found>, ForgeError> {
    let body = json!({
        "title": new.title, "description": new.body, "source_branch": new.head, "target_branch": new.base,
    });
    let answer = http.send(Method::POST, &requests(at), Some(body), &[409]).await?;
    if answer.status.is_success() {
        return Ok(Some(read(&answer.body)));
    }
    super::remote::exists_or_error(http, &answer)
}

pub(super) async fn update(
    http: &Http,
    at: &Repository,
    number: &str,
    new: &NewPullRequest,
) -> Result<(), ForgeError> {
    let body = json!({ "title": new.title, "description": new.body });
    http.send(Method::PUT, &format!("{}/{number}", requests(at)), Some(body), &[]).await.map(drop)
}

fn read(body: &Value) -> Found {
    Found {
        number: body["iid"].to_string(),
        opened: OpenedPullRequest {
            url: body["web_url"].as_str().unwrap_or_default().to_owned(),
            is_open: body["state"] == "opened",
        },
    }
}
