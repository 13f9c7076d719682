//! Bitbucket Cloud. <https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests/>

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    ForgeError, NewPullRequest, OpenedPullRequest,
    http::Http,
    remote::{Found, encode},
    repository::Repository,
};

pub(super) fn api(repository: &Repository) -> String {
    if repository.host == "bitbucket.org" {
        return "https://api.bitbucket.org/2.0".to_owned();
    }
    format!("{}://{}/2.0", repository.scheme, repository.host)
}

fn pulls(at: &Repository) -> String {
    format!("/repositories/{}/{}/pullrequests", at.owner, at.name)
}

pub(super) async fn find(
    http: &Http,
    at: &Repository,
    head: &str,
) -> Result<Option<Found>, ForgeError> {
    let query = encode(&format!("source.branch.name=\"{head}\""));
    let states = "state=OPEN&state=MERGED&state=DECLINED&state=SUPERSEDED";
    let answer =
        http.send(Method::GET, &format!("{}?q={query}&{states}", pulls(at)), None, &[]).await?;
    let first = &answer.body["values"][0];
    Ok(first.is_object().then(|| read(first)))
}

/// `None` if the branch has one already.
pub(super) async fn create(
    http: &Http,
    at: &Repository,
    new: &NewPullRequest,
) -> Result<Option<Found>, ForgeError> {
    let body = json!({
        "title": new.title,
        "description": new.body,
        "source": { "branch": { "name": new.head } },
        "destination": { "branch": { "name": new.base } },
    });
    let answer = http.send(Method::POST, &pulls(at), Some(body), &[409]).await?;
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
    http.send(Method::PUT, &format!("{}/{number}", pulls(at)), Some(body), &[]).await.map(drop)
}

fn read(body: &Value) -> Found {
    Found {
        number: body["id"].to_string(),
        opened: OpenedPullRequest {
            url: body["links"]["html"]["href"].as_str().unwrap_or_default().to_owned(),
            is_open: body["state"] == "OPEN",
        },
    }
}
