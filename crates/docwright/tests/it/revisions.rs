//! Concurrent updates: a record has a revision, and an update that names an older one is refused.

use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    dashboard::Dashboard,
    server::{Api, Setup},
};

/// Number of parallel updates.
const AT_ONCE: usize = 8;

/// A record: its path, and update bodies with distinct texts.
struct Record {
    name: &'static str,
    path: String,
    method: Method,
    body: fn(usize) -> Value,
    /// The path of the record, and a JSON pointer to its revision.
    read: (String, &'static str),
}

impl Record {
    async fn update(&self, api: &Api, number: usize, revision: Value) -> (u16, Value) {
        let mut body = (self.body)(number);
        body["revision"] = revision;
        let answer = api.send(self.method.clone(), &self.path, Some(body)).await;
        (answer.status().as_u16(), answer.json().await.expect("the body is JSON"))
    }
}

fn named(number: usize) -> Value {
    json!({ "name": format!("Name {number}") })
}

/// A record that is read and updated at the same path.
fn patched(name: &'static str, path: String, body: fn(usize) -> Value) -> Record {
    Record { name, read: (path.clone(), "/revision"), path, method: Method::PATCH, body }
}

#[tokio::test(flavor = "multi_thread")]
async fn update_is_refused_if_its_revision_is_stale() {
    let setup = Setup::new();
    let process = setup.serve();
    let admin = Api { key: setup.new_key(&["--scope", "admin"]), ..setup.api(&process) };
    let created = setup.admin(&["key", "create", "operator", "--scope", "operator"]);
    let operator = created["key"].as_str().expect("the response has a key").to_owned();
    let operator = Api { key: operator, ..setup.api(&process) };
    let key = setup.new_key(&["--scope", "read"]);
    let key = key.split('_').nth(1).expect("a key has an id");
    let branch = |number| json!({ "branch": format!("branch-{number}") });
    for record in [
        patched("project", format!("/v1/projects/{}", setup.project), named),
        patched("key", format!("/v1/keys/{key}"), named),
        patched("domain", "/v1/domains/docs.example.com".to_owned(), branch),
    ] {
        stale_is_refused(&admin, &record).await;
    }
    let plan = Record {
        name: "plan",
        path: "/v1/plans/pro".to_owned(),
        method: Method::PUT,
        body: |number| json!({ "staticExport": true, "promptsAnHour": number }),
        read: ("/v1/plans".to_owned(), "/plans/1/revision"),
    };
    let path = format!("/v1/organizations/{}", setup.organization);
    for record in [patched("organization", path, named), plan] {
        stale_is_refused(&operator, &record).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn update_of_member_or_feedback_is_refused_if_its_revision_is_stale() {
    let dashboard = Dashboard::start().await;
    // The organization keeps an admin when the member's role changes.
    dashboard.account("admin").await;
    let (account, _) = dashboard.account("viewer").await;
    let entry = dashboard.feedback(false, Some("Which version?")).await;
    let Setup { organization, project, .. } = &dashboard.setup;
    let member = format!("/v1/organizations/{organization}/members/{account}");
    let role = |number| json!({ "role": if number % 2 == 0 { "editor" } else { "admin" } });
    stale_is_refused(&dashboard.api("admin"), &patched("member", member, role)).await;
    let path = format!("/v1/projects/{project}/feedback");
    let entry = Record {
        name: "feedback entry",
        path: format!("{path}/{entry}"),
        method: Method::PATCH,
        body: |number| json!({ "note": format!("Note {number}") }),
        read: (path, "/feedback/0/revision"),
    };
    stale_is_refused(&dashboard.api("write"), &entry).await;
}

async fn stale_is_refused(api: &Api, record: &Record) {
    let Record { name, read: (path, pointer), .. } = record;
    let answers = (0..AT_ONCE).map(|number| record.update(api, number, json!(1)));
    let answers = join_all(answers).await;
    let (made, refused): (Vec<_>, Vec<_>) =
        answers.into_iter().partition(|(status, _)| *status == 200);
    assert_eq!((made.len(), refused.len()), (1, AT_ONCE - 1), "{name}: {refused:?}");
    assert_eq!(made[0].1["revision"], 2, "{name}");
    for (status, answer) in refused {
        let sentence = format!(
            "Someone else changed this {name} since revision 1. Read it again, then update it."
        );
        assert_eq!((status, &answer["error"]), (409, &json!(sentence)), "{answer}");
        assert_eq!(answer["code"], "conflict");
    }
    let (status, _) = record.update(api, AT_ONCE, json!(null)).await;
    assert_eq!(status, 200, "{name}: an update without a revision replaces what is stored");
    let read: Value =
        api.send(Method::GET, path, None).await.json().await.expect("the body is JSON");
    assert_eq!(read.pointer(pointer), Some(&json!(3)), "{read}");
    for wrong in [json!(0), json!(-1), json!(1.5), json!("3")] {
        let (status, answer) = record.update(api, 0, wrong.clone()).await;
        assert_eq!(
            (status, &answer["code"]),
            (400, &json!("invalid_request")),
            "{wrong}: {answer}"
        );
    }
    let (status, answer) = record.update(api, 0, json!(3)).await;
    assert_eq!((status, &answer["revision"]), (200, &json!(4)), "{name}");
}
