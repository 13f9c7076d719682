//! Check runs: GitHub's view of a commit for apps, with annotations. <https://docs.github.com/en/rest/checks/runs>

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    GitHostError,
    dialect::encode,
    hosted_repository::HostedRepository,
    http::Http,
    status::{Annotation, CommitState, CommitStatus},
};

/// Updates the check run of a commit. A finished one stays unchanged, since annotations can't be removed: after
/// further changes, a new one replaces it.
pub(super) async fn set(
    http: &Http,
    at: &HostedRepository,
    status: &CommitStatus,
) -> Result<(), GitHostError> {
    let runs = format!("/repos/{}/{}/check-runs", at.owner, at.name);
    let commit = encode(&status.commit);
    let list = format!(
        "/repos/{}/{}/commits/{commit}/check-runs?check_name={}&filter=latest",
        at.owner,
        at.name,
        encode(&status.context)
    );
    let listed = http.send(Method::GET, &list, None, &[]).await?;
    let newest = listed.body["check_runs"][0].clone();
    let mut body = described(status);
    if newest["conclusion"] == body["conclusion"]
        && newest["output"]["title"] == body["output"]["title"]
    {
        return Ok(());
    }
    let (method, path) = match newest["id"].as_i64() {
        Some(id) if newest["status"] != "completed" => (Method::PATCH, format!("{runs}/{id}")),
        _ => {
            body["head_sha"] = json!(status.commit);
            (Method::POST, runs)
        }
    };
    http.send(method, &path, Some(body), &[]).await.map(drop)
}

fn described(status: &CommitStatus) -> Value {
    let conclusion = match status.state {
        CommitState::Pending => None,
        CommitState::Success => Some("success"),
        CommitState::Failure => Some("failure"),
        CommitState::Skipped => Some("skipped"),
    };
    let annotations: Vec<_> = status.sent().iter().map(annotation).collect();
    let mut body = json!({
        "name": status.context,
        "status": if conclusion.is_some() { "completed" } else { "in_progress" },
        "output": {
            "title": status.short(255),
            "summary": status.description,
            "annotations": annotations,
        },
    });
    if let Some(conclusion) = conclusion {
        body["conclusion"] = json!(conclusion);
    }
    if let Some(url) = &status.target_url {
        body["details_url"] = json!(url);
    }
    body
}

fn annotation(annotation: &Annotation) -> Value {
    let line = annotation.line.max(1);
    json!({
        "path": annotation.path,
        "start_line": line,
        "end_line": line,
        "annotation_level": if annotation.is_error { "failure" } else { "warning" },
        "title": annotation.code,
        "message": annotation.message,
    })
}
