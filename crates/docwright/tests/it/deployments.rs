//! Deployments over HTTP: their settings, and bundles that are made for them.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::server::{Api, Process, Setup};

mod bundles;

/// The path of a project's deployments.
fn path(setup: &Setup, rest: &str) -> String {
    format!("/v1/projects/{}/deployments{rest}", setup.project)
}

fn admin(setup: &Setup, process: &Process) -> Api {
    Api { key: setup.new_key(&["--scope", "admin"]), ..setup.api(process) }
}

async fn send(api: &Api, method: Method, path: &str, body: Option<Value>) -> (StatusCode, Value) {
    let response = api.send(method, path, body).await;
    let status = response.status();
    let text = response.text().await.expect("the body is text");
    let body = if text.is_empty() { Value::Null } else { serde_json::from_str(&text).unwrap() };
    (status, body)
}

#[tokio::test(flavor = "multi_thread")]
async fn deployment_is_created_changed_and_deleted() {
    let setup = Setup::new();
    let process = setup.serve();
    let api = admin(&setup, &process);
    let (status, list) = send(&api, Method::GET, &path(&setup, ""), None).await;
    assert_eq!((status, list["deployments"].as_array().map(Vec::len)), (StatusCode::OK, Some(1)));
    assert_eq!(list["deployments"][0]["type"], "cloud");
    assert_eq!(list["deployments"][0]["features"]["playground"]["mode"], "proxy");

    let new = json!({
        "name": "plant",
        "type": "air-gapped",
        "address": "http://docs.internal/",
        "features": { "playground": {
            "mode": "browser", "baseUrl": "http://api.internal:8080", "hosts": [],
        } },
    });
    let (status, created) = send(&api, Method::POST, &path(&setup, ""), Some(new.clone())).await;
    assert_eq!(status, StatusCode::CREATED, "{created}");
    assert_eq!(created["features"]["playground"], new["features"]["playground"]);
    assert_eq!(created["features"]["assistant"]["mode"], "off");
    let (status, taken) = send(&api, Method::POST, &path(&setup, ""), Some(new)).await;
    assert_eq!(status, StatusCode::CONFLICT, "{taken}");

    // By its name, too. Omitted features stay.
    let change =
        json!({ "features": { "search": { "mode": "off" } }, "address": "", "revision": 1 });
    let (status, changed) = send(&api, Method::PATCH, &path(&setup, "/plant"), Some(change)).await;
    assert_eq!(status, StatusCode::OK, "{changed}");
    assert_eq!(changed["features"]["playground"], created["features"]["playground"]);
    assert_eq!(
        (&changed["features"]["search"]["mode"], &changed["address"], &changed["revision"]),
        (&json!("off"), &Value::Null, &json!(2))
    );
    let stale = json!({ "name": "factory", "revision": 1 });
    let (status, _) = send(&api, Method::PATCH, &path(&setup, "/plant"), Some(stale)).await;
    assert_eq!(status, StatusCode::CONFLICT);

    let id = created["id"].as_str().unwrap();
    let (status, _) = send(&api, Method::DELETE, &path(&setup, &format!("/{id}")), None).await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    let (status, _) = send(&api, Method::GET, &path(&setup, &format!("/{id}")), None).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    let (status, kept) = send(&api, Method::DELETE, &path(&setup, "/cloud"), None).await;
    assert_eq!(status, StatusCode::CONFLICT, "{kept}");
    let export = json!({ "domain": "docs.example.com", "deployment": "plant" });
    let (status, gone) = send(&api, Method::POST, "/v1/static-export/jobs", Some(export)).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert_eq!(gone["error"], "`deployment`: the project has no deployment `plant`.");
}

#[tokio::test(flavor = "multi_thread")]
async fn mode_that_the_type_forbids_is_named() {
    let setup = Setup::new();
    let process = setup.serve();
    let api = admin(&setup, &process);
    let on = json!({ "mode": "on" });
    for (kind, features, named) in [
        ("air-gapped", json!({ "assistant": on }), "`features.assistant.mode` can't be `on`"),
        ("air-gapped", json!({ "analytics": on }), "`features.analytics.mode` can't be `on`"),
        ("air-gapped", json!({ "integrations": on }), "`features.integrations.mode` can't be `on`"),
        (
            "air-gapped",
            json!({ "playground": { "mode": "browser" } }),
            "`features.playground.baseUrl` is missing",
        ),
        (
            "air-gapped",
            json!({ "playground": { "mode": "proxy", "baseUrl": "http://api.internal" } }),
            "`features.playground.mode` can't be `proxy` in an air-gapped deployment",
        ),
        (
            "client-hosted",
            json!({ "playground": { "mode": "browser", "hosts": ["https://a.example"] } }),
            "`features.playground.hosts` has no effect",
        ),
        (
            "client-hosted",
            json!({ "assistant": { "mode": "on", "address": "ftp://a" } }),
            "`features.assistant.address` must start with https://",
        ),
        (
            "client-hosted",
            json!({ "assistant": { "mode": "on", "starterQuestions": ["a", "b", "c", "d"] } }),
            "`features.assistant.starterQuestions` has more than 3 entries",
        ),
        (
            "client-hosted",
            json!({ "assistant": { "mode": "on", "supportAddress": "javascript:alert(1)" } }),
            "`features.assistant.supportAddress` must be an email address",
        ),
        (
            "client-hosted",
            json!({ "assistant": { "mode": "on", "keepDays": 366 } }),
            "`features.assistant.keepDays` must be 0 to 365",
        ),
        ("client-hosted", json!({ "search": { "mode": "maybe" } }), "must be `on` or `off`"),
        ("cloud", json!({}), "`type` can't be `cloud`"),
    ] {
        let new = json!({ "name": "place", "type": kind, "features": features });
        let (status, refused) = send(&api, Method::POST, &path(&setup, ""), Some(new)).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{kind}: {features}");
        let error = refused["error"].as_str().unwrap();
        assert!(error.contains(named), "{named} in {error}");
    }
    let cloud =
        json!({ "features": { "assistant": { "mode": "on", "address": "https://a.example" } } });
    let (status, refused) = send(&api, Method::PATCH, &path(&setup, "/cloud"), Some(cloud)).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{refused}");
}
