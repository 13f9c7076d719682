//! The audit log: each change leaves one entry with its actor; requests without effect leave none.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

use crate::server::{Api, Setup, git, write_repository};

/// The newest entries that a key can see.
pub(crate) async fn entries(api: &Api, query: &str) -> Vec<Value> {
    let answer = api.send(Method::GET, &format!("/v1/audit?limit=100{query}"), None).await;
    assert_eq!(answer.status(), 200);
    let page: Value = answer.json().await.unwrap();
    page["entries"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_keys_are_audited() {
    let setup =
        Setup::built_in(|folder| write_repository(folder, 1), &["--model", "builtin:edits"]);
    let process = setup.serve();
    let api = setup.api(&process);
    let admin = Api { key: setup.new_key(&["--scope", "admin"]), ..api.clone() };
    let project = setup.project.clone();
    let export = api.start_export().await;
    let update = api.send(Method::POST, &format!("/v1/project/update/{project}"), None).await;
    let update: Value = update.json().await.unwrap();
    let secret = "the prompt says hunter2";
    let job = api.prompt(&project, secret).await["id"].as_str().unwrap().to_owned();
    let path = |what: &str| format!("/v2/agent/{project}/job/{job}/{what}");
    api.finished(&project, &job).await;
    let again = api.send(Method::POST, &path("message"), Some(json!({ "prompt": secret }))).await;
    assert_eq!(again.status(), 200);
    api.send(Method::POST, &path("cancel"), None).await;
    api.send(Method::POST, &path("archive"), None).await;
    let key_id = api.key.split('_').nth(1).unwrap();
    let all = entries(&admin, &format!("&actor={key_id}")).await;
    let done: BTreeSet<_> = all
        .iter()
        .map(|entry| (entry["action"].as_str().unwrap(), entry["subject"]["id"].as_str().unwrap()))
        .collect();
    for expected in [
        ("export_job.create", export.as_str()),
        ("update.create", update["statusId"].as_str().unwrap()),
        ("agent_job.create", job.as_str()),
        ("agent_job.message", job.as_str()),
        ("agent_job.archive", job.as_str()),
    ] {
        assert!(done.contains(&expected), "{expected:?} is not in {done:?}");
    }
    for entry in &all {
        assert_eq!(entry["actor"], json!({ "kind": "key", "id": key_id, "name": "test" }));
        assert_eq!(entry["address"], "127.0.0.1", "{entry}");
        assert_eq!(entry["organizationId"], *setup.organization, "{entry}");
        assert!(entry["requestId"].as_str().is_some_and(|id| !id.is_empty()), "{entry}");
    }
    assert!(!json!(all).to_string().contains("hunter2"), "prompts aren't recorded");
    // Requests without effect leave no entry.
    let count = entries(&admin, "").await.len();
    for body in [None, Some(json!({ "prompt": "" })), Some(json!({ "prompt": "x" }))] {
        assert!(!api.send(Method::POST, &path("message"), body).await.status().is_success());
    }
    api.send(Method::POST, &path("archive"), None).await;
    assert_eq!(entries(&admin, "").await.len(), count);
    let answer = api.send(Method::GET, "/v1/audit", None).await;
    assert_eq!(answer.status(), 403, "reading the log needs the scope `admin`");
    let other = admin.send(Method::GET, "/v1/audit?organizationId=org_other", None).await;
    assert_eq!(other.status(), 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn push_and_merge_are_audited() {
    let setup = Setup::built_in(|folder| write_repository(folder, 1), &[]);
    let process = setup.serve();
    let admin = Api { key: setup.new_key(&["--scope", "admin"]), ..setup.api(&process) };
    let (work, project) = (setup.folder.path().join("work"), &setup.project);
    let with_key = process.address.replace("http://", &format!("http://x:{}@", setup.key));
    let remote = format!("{with_key}/git/{project}.git");
    git(setup.folder.path(), &["clone", "--quiet", &remote, "work"]);
    let before = git(&work, &["rev-parse", "HEAD"]);
    std::fs::write(work.join("page-0.mdx"), "Another text.\n").unwrap();
    git(&work, &["commit", "--quiet", "--all", "--message", "Second"]);
    git(&work, &["push", "--quiet", "origin", "HEAD:main", "HEAD:side"]);
    let after = git(&work, &["rev-parse", "HEAD"]);
    let pushes = entries(&admin, "&action=repository.push").await;
    let [push] = pushes.as_slice() else { panic!("expected one entry: {pushes:?}") };
    assert_eq!(push["before"], json!({ "main": before, "side": null }));
    assert_eq!(push["after"], json!({ "main": after, "side": after }));
    assert_eq!(push["subject"], json!({ "kind": "repository", "id": project }));
    // A push without new commits changes nothing.
    git(&work, &["push", "--quiet", "origin", "HEAD:main"]);
    assert_eq!(entries(&admin, "&action=repository.push").await, pushes);
}
