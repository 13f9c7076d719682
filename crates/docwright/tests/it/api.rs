//! Each status of each operation, and rules that all operations share.

use docwright_storage::{Keyring, Objects};
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::server::{Api, Setup};

const JOBS: &str = "/v1/static-export/jobs";

/// Returns status and code, and checks that the error is a sentence.
async fn refused(api: &Api, method: Method, path: &str, body: Option<Value>) -> (u16, String) {
    let response = api.send(method, path, body).await;
    let status = response.status().as_u16();
    assert!(response.headers().contains_key("x-request-id"), "{path}");
    assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json", "{path}");
    let body: Value = response.json().await.expect("an error is JSON");
    assert!(body["error"].as_str().is_some_and(|error| error.ends_with('.')), "{body}");
    (status, body["code"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn completed_export_has_valid_links() {
    let setup = Setup::new();
    let process = setup.serve();
    let api = setup.api(&process);
    let id = api.start_export().await;
    let job = api.wait_for(&id, &["completed", "failed"]).await;
    assert_eq!(
        (job["status"].as_str(), job["progress"].as_i64(), job["pageCount"].as_i64()),
        (Some("completed"), Some(100), Some(3))
    );
    let bundle = api.bundle(&id).await;
    let link = bundle["bundleUrl"].as_str().unwrap();
    let whole = reqwest::get(link).await.unwrap();
    assert_eq!(whole.status(), 200);
    let whole = whole.bytes().await.unwrap();
    assert_eq!(bundle["sizeBytes"].as_u64(), Some(whole.len() as u64));
    ranges(&api, link, &whole).await;
    altered_links(&api, link).await;
    expired_links(&setup, &api, link).await;
    let again = api.bundle(&id).await;
    assert_eq!(again["sha256"], bundle["sha256"]);
    let second = api.start_export().await;
    api.wait_for(&second, &["completed"]).await;
    assert_eq!(
        api.bundle(&second).await["sha256"],
        bundle["sha256"],
        "exports of the same commit have the same bundle"
    );
    let site = api
        .client
        .get(format!("{}/page-1", api.base))
        .header("host", "docs.example.com")
        .send()
        .await
        .unwrap();
    assert!(site.headers()["server-timing"].to_str().unwrap().contains("feedback"));
    assert!(site.text().await.unwrap().contains("Text of page-1."));
    feedback(&setup, &api).await;
}

async fn feedback(setup: &Setup, api: &Api) {
    for (answer, status) in [
        (r#"{"page":"page-1","helpful":false,"comment":"Too short"}"#.to_owned(), 204),
        (r#"{"page":"/page-1","helpful":true}"#.to_owned(), 204),
        (r#"{"page":"../page-1","helpful":true}"#.to_owned(), 400),
        (r#"{"page":"nowhere","helpful":true}"#.to_owned(), 400),
        (r#"{"page":"page-1"}"#.to_owned(), 400),
        (format!(r#"{{"page":"page-1","helpful":true,"comment":"{}"}}"#, "x".repeat(2_001)), 400),
        ("x".repeat(20_000), 400),
    ] {
        let request = api.client.post(format!("{}/_docwright/feedback", api.base));
        let request = request.header("host", "docs.example.com");
        let request = request.header("content-type", "application/json").body(answer.clone());
        assert_eq!(request.send().await.unwrap().status(), status, "{answer}");
    }
    let said = setup.admin(&["feedback", "list", "--domain", "docs.example.com"]);
    assert_eq!(
        said,
        json!([{ "page": "page-1", "helpful": 1, "unhelpful": 1, "comments": ["Too short"] }])
    );
}

async fn ranges(api: &Api, link: &str, whole: &[u8]) {
    let part = api.client.get(link).header(header::RANGE, "bytes=10-19").send().await.unwrap();
    assert_eq!(part.status(), StatusCode::PARTIAL_CONTENT);
    assert_eq!(part.bytes().await.unwrap(), whole[10..20]);
    let rest = api.client.get(link).header(header::RANGE, "bytes=20-").send().await.unwrap();
    assert_eq!(rest.bytes().await.unwrap(), whole[20..]);
    let beyond =
        api.client.get(link).header(header::RANGE, "bytes=99999999-").send().await.unwrap();
    assert_eq!(beyond.status(), StatusCode::RANGE_NOT_SATISFIABLE);
    let head = api.client.head(link).send().await.unwrap();
    assert_eq!(head.headers()[header::CONTENT_LENGTH], whole.len().to_string());
}

async fn altered_links(api: &Api, link: &str) {
    let (path, query) = link.split_once('?').unwrap();
    let later = query.replacen("expires=1", "expires=2", 1);
    let mut signature = query.to_owned();
    let last = if signature.ends_with('0') { '1' } else { '0' };
    signature.pop();
    signature.push(last);
    for altered in [
        path.to_owned(),
        format!("{path}?{later}"),
        format!("{path}?{signature}"),
        format!("{}x?{query}", path.trim_end_matches('z')),
    ] {
        assert_eq!(api.client.get(&altered).send().await.unwrap().status(), 403, "{altered}");
    }
}

/// A link with a valid signature that expired.
async fn expired_links(setup: &Setup, api: &Api, link: &str) {
    let objects =
        Objects::open_folder(&setup.data(), Keyring::open_folder(&setup.data()).unwrap()).unwrap();
    let key = link.split_once("/objects/").unwrap().1.split('?').next().unwrap();
    let expired = objects.link(key, &api.base, (0, 1000)).await.unwrap();
    let response = api.client.get(expired).send().await.unwrap();
    assert_eq!(response.status(), 403);
    assert!(response.text().await.unwrap().contains("expired"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_refusal_has_its_status() {
    let setup = Setup::new();
    let process = setup.serve();
    let api = setup.api(&process);
    let domain = |domain: &str| Some(json!({ "domain": domain }));
    for (method, path, body, status, code) in [
        (Method::POST, JOBS, Some(json!({})), 400, "invalid_request"),
        (Method::POST, JOBS, Some(json!([])), 400, "invalid_request"),
        (Method::POST, JOBS, Some(json!({ "domain": 1 })), 400, "invalid_request"),
        (Method::POST, JOBS, domain("https://docs.example.com"), 400, "invalid_request"),
        (Method::POST, JOBS, domain("docs.example.com/x"), 400, "invalid_request"),
        (Method::POST, JOBS, domain("docs.example.com:80"), 400, "invalid_request"),
        (
            Method::POST,
            JOBS,
            Some(json!({ "domain": "docs.example.com", "version": 1 })),
            400,
            "invalid_request",
        ),
        (
            Method::POST,
            JOBS,
            Some(json!({ "domain": "docs.example.com", "paths": ["nowhere"] })),
            400,
            "invalid_request",
        ),
        (Method::POST, JOBS, domain("other.example.com"), 404, "not_found"),
        (Method::GET, "/v1/static-export/jobs/none", None, 404, "not_found"),
        (Method::POST, "/v1/static-export/jobs/none/bundle", None, 404, "not_found"),
        (Method::GET, "/v1/nothing", None, 404, "not_found"),
        (Method::DELETE, JOBS, None, 405, "method_not_allowed"),
        (Method::POST, JOBS, None, 415, "unsupported_media_type"),
        (Method::POST, JOBS, Some(json!({ "domain": "x".repeat(2_000_000) })), 413, "too_large"),
    ] {
        assert_eq!(
            refused(&api, method.clone(), path, body).await,
            (status, code.to_owned()),
            "{method} {path}"
        );
    }
    let wrong_method = api.send(Method::DELETE, JOBS, None).await;
    assert!(wrong_method.headers()[header::ALLOW].to_str().unwrap().contains("POST"));
    let broken = api
        .client
        .post(format!("{}{JOBS}", api.base))
        .bearer_auth(&api.key)
        .header("content-type", "application/json")
        .body("{");
    assert_eq!(broken.send().await.unwrap().status(), 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_decide_access() {
    let setup = Setup::new();
    let process = setup.serve();
    let api = setup.api(&process);
    let id = api.start_export().await;
    let with = |key: String| Api { key, ..api.clone() };
    let status = format!("{JOBS}/{id}");
    let bundle = format!("{JOBS}/{id}/bundle");
    let operations =
        [(Method::POST, JOBS), (Method::GET, status.as_str()), (Method::POST, bundle.as_str())];
    let ended = setup.new_key(&["--days", "0"]);
    let revoked = setup.new_key(&[]);
    setup.admin(&["key", "revoke", revoked.split('_').nth(1).unwrap()]);
    for key in [
        "",
        "x",
        "dw_0123456789abcdef_000000000000000000000000000000000000000000000000",
        &ended,
        &revoked,
    ] {
        for (method, path) in &operations {
            let response = with(key.to_owned()).send(method.clone(), path, None).await;
            assert_eq!(
                (
                    response.status().as_u16(),
                    response.headers()["www-authenticate"].to_str().unwrap()
                ),
                (401, "Bearer")
            );
        }
    }
    let reader = with(setup.new_key(&["--scope", "read"]));
    assert_eq!(reader.send(Method::GET, &status, None).await.status(), 200);
    assert_eq!(
        refused(&reader, Method::POST, JOBS, Some(json!({ "domain": "docs.example.com" }))).await.0,
        403
    );
    let elsewhere = with(setup.new_key(&["--allow", "10.0.0.0/8"]));
    assert_eq!(refused(&elsewhere, Method::GET, &status, None).await.0, 403);
    let other = setup.admin(&["organization", "create", "Other"]);
    let other_key =
        setup.admin(&["key", "create", "x", "--organization", other["id"].as_str().unwrap()]);
    let stranger = with(other_key["key"].as_str().unwrap().to_owned());
    assert_eq!(refused(&stranger, Method::GET, &status, None).await.0, 404);
    assert_eq!(
        refused(&stranger, Method::POST, JOBS, Some(json!({ "domain": "docs.example.com" })))
            .await
            .0,
        404
    );
    api.wait_for(&id, &["completed"]).await;
    setup.admin(&["organization", "update", &setup.organization, "--plan", "pro"]);
    let export = json!({ "domain": "docs.example.com" });
    assert_eq!(refused(&api, Method::POST, JOBS, Some(export)).await.0, 403);
    // Exports of an earlier plan stay.
    assert_eq!(api.job(&id).await["status"], "completed");
    let link = api.bundle(&id).await["bundleUrl"].as_str().unwrap().to_owned();
    assert_eq!(reqwest::get(link).await.unwrap().status(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn thousand_starts_with_one_key_create_one_job() {
    let setup = Setup::new();
    let process = setup.serve();
    let api = setup.api(&process);
    let start = |body: Value| {
        let request = api
            .client
            .post(format!("{}{JOBS}", api.base))
            .bearer_auth(&api.key)
            .header("idempotency-key", "k");
        request.json(&body).send()
    };
    let body = json!({ "domain": "docs.example.com" });
    let answers = futures::future::join_all((0..1000).map(|_| start(body.clone()))).await;
    let mut ids = std::collections::BTreeSet::new();
    for answer in answers {
        let answer = answer.expect("the server answers");
        assert_eq!(answer.status(), 202);
        ids.insert(answer.json::<Value>().await.unwrap()["jobId"].as_str().unwrap().to_owned());
    }
    assert_eq!(ids.len(), 1);
    let other = start(json!({ "domain": "docs.example.com", "version": "2" })).await.unwrap();
    assert_eq!(other.status(), 409);
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_export_has_no_bundle() {
    let setup = Setup::new();
    std::fs::remove_file(setup.folder.path().join("repository/docs.json")).unwrap();
    let process = setup.serve();
    let api = setup.api(&process);
    let id = api.start_export().await;
    let job = api.wait_for(&id, &["failed"]).await;
    assert!(job["error"].as_str().is_some_and(|error| error.contains("docs.json")), "{job}");
    assert_eq!(
        refused(&api, Method::POST, &format!("{JOBS}/{id}/bundle"), None).await,
        (409, "conflict".to_owned())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn service_describes_and_observes_itself() {
    let setup = Setup::new();
    let process = setup.serve();
    let api = setup.api(&process);
    let get = async |path: &str| reqwest::get(format!("{}{path}", api.base)).await.unwrap();
    let description: Value = get("/openapi.json").await.json().await.unwrap();
    assert_eq!(description["info"]["version"], "2.0.0");
    let snapshot = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/api/openapi.json");
    let text = get("/openapi.json").await.text().await.unwrap();
    let text = text.replace(&process.address, "http://127.0.0.1:8080");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(snapshot, &text).unwrap();
    }
    assert!(
        std::fs::read_to_string(snapshot).unwrap() == text,
        "docs/api/openapi.json is not current; run with UPDATE=1"
    );
    assert_eq!(get("/healthz").await.status(), 200);
    assert_eq!(get("/readyz").await.status(), 200);
    let kept = api
        .client
        .get(format!("{}/healthz", api.base))
        .header("x-request-id", "my-id")
        .send()
        .await
        .unwrap();
    assert_eq!(kept.headers()["x-request-id"], "my-id");
    let replaced = api
        .client
        .get(format!("{}/healthz", api.base))
        .header("x-request-id", "a b<")
        .send()
        .await
        .unwrap();
    assert_ne!(replaced.headers()["x-request-id"], "a b<");
}
