//! Gitea and Forgejo. <https://docs.gitea.com/api/>

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    ForgeError, NewPullRequest, OpenedPullRequest, http::Http, remote::Found,
    repository::Repository,
};

/// Pull requests on one page of a list, and pages that are looked through.
const PAGE: usize = 50;
const PAGES: usize = 20;

pub(super) fn api(repository: &Repository) -> String {
    format!("{}://{}/api/v1", repository.scheme, repository.host)
}

fn pulls(at: &Repository) -> String {
    format!("/repos/{}/{}/pulls", at.owner, at.name)
}

/// The list can't be narrowed to a branch, so it is looked through, newest first.
pub(super) async fn find(
    http: &Http,
    at: &Repository,
    head: &str,
) -> Result<Option<Found>, ForgeError> {
    for page in 1..=PAGES {
        let path = format!("{}?state=all&sort=newest&limit={PAGE}&page={page}", pulls(at));
        let answer = http.send(Method::GET, &path, None, &[]).await?;
        let all = answer.body.as_array().cloned().unwrap_or_default();
        if let Some(found) = all.iter().find(|each| each["head"]["ref"] == head) {
            return Ok(Some(read(found)));
        }
        if all.len() < PAGE {
            break;
        }
    }
    Ok(None)
}

/// `None` if the branch has one already.
pub(super) async fn create(
    http: &Http,
    at: &Repository,
    new: &NewPullRequest,
) -> Result<Option<Found>, ForgeError> {
    let body = json!({ "title": new.title, "body": new.body, "head": new.head, "base": new.base });
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
    let body = json!({ "title": new.title, "body": new.body });
    http.send(Method::PATCH, &format!("{}/{number}", pulls(at)), Some(body), &[]).await.map(drop)
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
