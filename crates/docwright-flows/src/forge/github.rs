//! GitHub and GitHub Enterprise. <https://docs.github.com/en/rest/pulls/pulls>

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    ForgeError, NewPullRequest, OpenedPullRequest, http::Http, remote::Found,
    repository::Repository,
};

pub(super) fn api(repository: &Repository) -> String {
    if repository.host == "github.com" {
        return "https://api.github.com".to_owned();
    }
    format!("{}://{}/api/v3", repository.scheme, repository.host)
}

pub(super) async fn find(
    http: &Http,
    at: &Repository,
    head: &str,
) -> Result<Option<Found>, ForgeError> {
    let Repository { owner, name, .. } = at;
    let head = super::remote::encode(&format!("{owner}:{head}"));
    let path = format!("/repos/{owner}/{name}/pulls?state=all&head={head}");
    let answer = http.send(Method::GET, &path, None, &[]).await?;
    Ok(answer.body[0].is_object().then(|| read(&answer.body[0])))
}

/// `None` if the branch has one already.
pub(super) async fn create(
    http: &Http,
    at: &Repository,
    new: &NewPullRequest,
) -> Result<Option<Found>, ForgeError> {
    let body = json!({ "title": new.title, "body": new.body, "head": new.head, "base": new.base });
    let path = format!("/repos/{}/{}/pulls", at.owner, at.name);
    let answer = http.send(Method::POST, &path, Some(body), &[409, 422]).await?;
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
    let path = format!("/repos/{}/{}/pulls/{number}", at.owner, at.name);
    let body = json!({ "title": new.title, "body": new.body });
    http.send(Method::PATCH, &path, Some(body), &[]).await.map(drop)
}

fn read(body: &Value) -> Found {
    Found {
        number: body["number"].to_string(),
        opened: OpenedPullRequest {
            url: body["html_url"].as_str().unwrap_or_default().to_owned(),
            is_open: body["state"] == "open",
        },
    }
}
