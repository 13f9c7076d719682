//! Agent jobs in the API: each status of each operation, the limit, and events.

use std::collections::BTreeMap;

use futures::future::join_all;
use reqwest::{Method, header};
use serde_json::{Value, json};

use super::{Running, write_site};
use crate::server::Setup;

fn post(running: &Running, path: &str, key: &str, body: &Value) -> reqwest::RequestBuilder {
    running.api.client.post(format!("{}{path}", running.api.base)).bearer_auth(key).json(body)
}

async fn refused(request: reqwest::RequestBuilder) -> u16 {
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    let body: Value = response.json().await.expect("an error is JSON");
    assert!(body["error"].as_str().is_some_and(|error| error.ends_with('.')), "{body}");
    status
}

#[tokio::test(flavor = "multi_thread")]
async fn every_refusal_has_its_status() {
    let running = Running::start();
    let jobs = format!("/v2/agent/{}/job", running.setup.project);
    let key = running.setup.key.clone();
    let create = |body: &Value| post(&running, &jobs, &key, body);
    for body in [
        json!({}),
        json!({ "prompt": "" }),
        json!({ "prompt": " \n" }),
        json!({ "prompt": 1 }),
        json!([]),
        json!({ "prompt": "x".repeat(100_001) }),
    ] {
        assert_eq!(refused(create(&body)).await, 400, "{}", body.to_string().len());
    }
    let good = json!({ "prompt": "fix broken links" });
    assert_eq!(refused(post(&running, &jobs, "wrong", &good)).await, 401);
    let reader = running.setup.new_key(&["--scope", "read"]);
    assert_eq!(refused(post(&running, &jobs, &reader, &good)).await, 403);
    let elsewhere = "/v2/agent/prj_none/job";
    assert_eq!(refused(post(&running, elsewhere, &key, &good)).await, 404);
    let other = other_organization(&running.setup);
    assert_eq!(
        refused(post(&running, &jobs, &other, &good)).await,
        404,
        "other projects aren't found"
    );
    let with_key = |body: &Value| create(body).header("idempotency-key", "k");
    let first: Value = with_key(&good).send().await.unwrap().json().await.unwrap();
    let again: Value = with_key(&good).send().await.unwrap().json().await.unwrap();
    assert_eq!(first["id"], again["id"]);
    assert_eq!(refused(with_key(&json!({ "prompt": "something else" }))).await, 409);
    assert_eq!(refused(create(&json!({ "prompt": "x".repeat(2_000_000) }))).await, 413);
    let text = running.api.client.post(format!("{}{jobs}", running.api.base)).bearer_auth(&key);
    let text = text.header(header::CONTENT_TYPE, "text/plain").body(good.to_string());
    assert_eq!(refused(text).await, 415);
    let delete = running.api.client.delete(format!("{}{jobs}", running.api.base)).bearer_auth(&key);
    assert_eq!(refused(delete).await, 405);
    let missing = format!("{jobs}/agt_none");
    for rest in ["", "/events"] {
        let get = running.api.client.get(format!("{}{missing}{rest}", running.api.base));
        assert_eq!(refused(get.bearer_auth(&key)).await, 404, "{rest}");
    }
    for rest in ["/message", "/cancel", "/archive"] {
        assert_eq!(
            refused(post(&running, &format!("{missing}{rest}"), &key, &good)).await,
            404,
            "{rest}"
        );
    }
    let list = |query: &str| {
        running.api.client.get(format!("{}{jobs}s?{query}", running.api.base)).bearer_auth(&key)
    };
    for query in ["limit=0", "limit=x", "status=none"] {
        assert_eq!(refused(list(query)).await, 400, "{query}");
    }
}

/// A key of another organization.
fn other_organization(setup: &Setup) -> String {
    let made = setup.admin(&["organization", "create", "Other"]);
    let id = made["id"].as_str().unwrap_or_default();
    setup.admin(&["key", "create", "test", "--organization", id])["key"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_are_listed_cancelled_and_archived() {
    // A model that doesn't answer keeps the job active.
    let setup = Setup::built_in(write_site, &["--model", "openai:slow"]);
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("openai=http://{}/v1", silent.local_addr().unwrap());
    let running = Running::with(
        setup,
        &[("DOCWRIGHT_AGENT_URLS", &url), ("DOCWRIGHT_AGENT_KEYS", "openai=k")],
    );
    let job = running.api.prompt(&running.setup.project, "wait").await;
    assert_eq!(
        (&job["status"], &job["prLink"], &job["archivedAt"]),
        (&json!("active"), &json!(null), &json!(null))
    );
    assert_eq!(job["model"], "openai:slow");
    let send = |rest: &str, body: Option<Value>| {
        let path = running.path(&job, rest);
        let api = running.api.clone();
        async move { api.send(Method::POST, &path, body).await }
    };
    let message = Some(json!({ "prompt": "more" }));
    assert_eq!(send("/message", message.clone()).await.status(), 409, "the job is active");
    let cancelled: Value = send("/cancel", None).await.json().await.unwrap();
    assert_eq!(
        (&cancelled["status"], &cancelled["error"]),
        (&json!("failed"), &json!("cancelled"))
    );
    assert_eq!(send("/cancel", None).await.status(), 200, "canceling is idempotent");
    let archived: Value = send("/archive", None).await.json().await.unwrap();
    assert_eq!(archived["status"], "archived");
    assert!(archived["archivedAt"].is_string());
    assert_eq!(send("/message", message).await.status(), 409, "the job is archived");
    assert_eq!(send("/cancel", None).await.status(), 200);
    for _ in 0..2 {
        running.api.prompt(&running.setup.project, "wait").await;
    }
    let list = |query: &str| {
        let path = format!("/v2/agent/{}/jobs?{query}", running.setup.project);
        let api = running.api.clone();
        async move { api.send(Method::GET, &path, None).await.json::<Value>().await.unwrap() }
    };
    let page = list("limit=2").await;
    assert_eq!(page["jobs"].as_array().unwrap().len(), 2);
    let rest = list(&format!("limit=2&cursor={}", page["nextCursor"].as_str().unwrap())).await;
    assert_eq!((&rest["jobs"][0]["id"], &rest["nextCursor"]), (&job["id"], &json!(null)));
    assert_eq!(list("status=archived").await["jobs"].as_array().unwrap().len(), 1);
    let sessions = |query: &str| {
        let path = format!("/v1/agent/{}/jobs?{query}", running.setup.project);
        let api = running.api.clone();
        async move { api.send(Method::GET, &path, None).await.json::<Value>().await.unwrap() }
    };
    let all = sessions("").await["allSessions"].as_array().unwrap().clone();
    assert_eq!(all.len(), 3);
    assert_eq!((&all[0]["haulted"], &all[0]["haultReason"]), (&json!(false), &json!(null)));
    let oldest = &all[2];
    assert_eq!((&oldest["sessionId"], &oldest["createdAt"]), (&job["id"], &job["createdAt"]));
    assert_eq!((&oldest["haultReason"], &oldest["todos"]), (&json!("error"), &json!([])));
    assert_eq!(oldest["messageToUser"], "cancelled");
    assert_eq!(sessions("skip=1&take=1").await["allSessions"], json!([all[1]]));
    assert_eq!(sessions("skip=3").await["allSessions"], json!([]));
    let error = sessions("take=101").await["error"].to_string();
    assert!(error.contains("take"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn hundred_of_thousand_simultaneous_prompts_pass() {
    let setup = Setup::built_in(write_site, &[]);
    let running = Running::with(setup, &[("DOCWRIGHT_ROLE", "api")]);
    let path = format!("/v2/agent/{}/job", running.setup.project);
    let body = json!({ "prompt": "fix broken links" });
    let asked = (0..1000).map(|_| post(&running, &path, &running.setup.key, &body).send());
    let mut counts = BTreeMap::new();
    for response in join_all(asked).await {
        let response = response.unwrap();
        let headers = response.headers();
        assert!(headers["ratelimit-policy"].to_str().unwrap().contains("q=100;w=3600"));
        if response.status() == 429 {
            let wait: u64 = headers["retry-after"].to_str().unwrap().parse().unwrap();
            assert!((3500..=3600).contains(&wait), "{wait}");
        }
        *counts.entry(response.status().as_u16()).or_insert(0) += 1;
    }
    assert_eq!(counts, BTreeMap::from([(201, 100), (429, 900)]));
}

#[tokio::test(flavor = "multi_thread")]
async fn events_resume_after_last_event_of_client() {
    let running = Running::start();
    let job = running.work("add page new titled New").await;
    let url = format!("{}{}", running.api.base, running.path(&job, "/events"));
    let read = |last: Option<&str>| {
        let mut request = running.api.client.get(&url).bearer_auth(&running.setup.key);
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        async move { request.send().await.unwrap().text().await.unwrap() }
    };
    let all = read(None).await;
    let steps: Vec<_> = all.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    for step in ["checked_out", "committed", "pushed", "pull_request"] {
        assert!(steps.iter().any(|data| data.contains(step)), "{step} is missing:\n{all}");
    }
    assert!(steps.last().unwrap().contains("completed"), "{all}");
    let rest = read(Some("2")).await;
    assert!(!rest.contains("id: 2\n") && rest.contains("id: 3\n"), "{rest}");
    assert!(all.ends_with(&rest));
}
