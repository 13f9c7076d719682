//! The state of the instance, as its operator sees it.

use docwright_testing::wait::eventually;
use reqwest::{Method, StatusCode};
use serde_json::Value;

use super::Dashboard;
use crate::agent::mocks::Mock;

#[tokio::test(flavor = "multi_thread")]
async fn operator_sees_dependencies_of_service() {
    let variables = [("DOCWRIGHT_AGENT_MODEL", "openai:gpt-5")];
    let dashboard = Dashboard::with(&variables).await;
    let page = dashboard.operator.get("/instance").await;
    page.is(StatusCode::OK).says("SQLite responded in").says("GiB free").says("Idle");
    page.says("openai:gpt-5").says("Not usable").says("builtin:edits").says("Set up");
    let made = dashboard.setup.admin(&["key", "create", "watch", "--scope", "operator"]);
    let mut api = dashboard.setup.api(&dashboard.process);
    made["key"].as_str().unwrap().clone_into(&mut api.key);
    let instance: Value = api.send(Method::GET, "/v1/instance", None).await.json().await.unwrap();
    let git = instance["git"]["version"].as_str().unwrap();
    assert!(git.starts_with(|letter: char| letter.is_ascii_digit()), "{git}");
    assert_eq!(instance["queues"].as_array().unwrap().len(), 4);
    assert!(instance["disk"]["freeBytes"].as_u64().unwrap() > 0, "{instance}");
    assert_eq!(instance["version"], env!("CARGO_PKG_VERSION"));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn operator_tests_models() {
    let mock = Mock::start("models.mjs", &[]);
    let urls = format!("openai-chat={}/v1", mock.address);
    let variables =
        [("DOCWRIGHT_AGENT_MODEL", "openai-chat:local"), ("DOCWRIGHT_AGENT_URLS", urls.as_str())];
    let dashboard = Dashboard::with(&variables).await;
    // Viewing the page sends no request to a model.
    dashboard.operator.get("/instance").await.says("Not tested since the service started");
    let page = dashboard.operator.submit("/instance/models", &[]).await;
    page.says("Responds").says(" ms").says("just now");
    // A host's outage shows after the next allowed check.
    drop(mock);
    let page = dashboard.operator.submit("/instance/models", &[]).await;
    page.says("Responds");
    let page = eventually("the host gives no answer", async || {
        let page = dashboard.operator.submit("/instance/models", &[]).await;
        if page.text.contains("No answer") { Ok(page) } else { Err(page.text) }
    });
    page.await.says("openai-chat:local");
    let admin = dashboard.member("admin").await;
    admin.post("/instance/models", &[]).await.is(StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_key_of_host_is_reported_and_not_shown() {
    let host = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = host.local_addr().unwrap();
    let answer = |headers: axum::http::HeaderMap| {
        let key = headers.get("authorization").map(|key| format!("{key:?}"));
        std::future::ready((axum::http::StatusCode::UNAUTHORIZED, format!("wrong key {key:?}")))
    };
    let router = axum::Router::new().fallback(answer);
    tokio::spawn(async move { axum::serve(host, router).await });
    let variables = [
        ("DOCWRIGHT_AGENT_MODEL", "openai:gpt-5"),
        ("DOCWRIGHT_AGENT_URLS", &format!("openai=http://{address}/v1")),
        ("DOCWRIGHT_AGENT_KEYS", "openai=sk-s3cret"),
    ];
    let dashboard = Dashboard::with(&variables).await;
    let page = dashboard.operator.submit("/instance/models", &[]).await;
    page.says("No answer").says("openai:gpt-5");
    assert!(!page.text.contains("s3cret"), "{}", page.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_without_worker_are_shown() {
    // This process runs no jobs.
    let dashboard = Dashboard::with(&[("DOCWRIGHT_ROLE", "api")]).await;
    let api = dashboard.setup.api(&dashboard.process);
    api.prompt(&dashboard.setup.project, "Fix the links.").await;
    dashboard.operator.get("/instance").await.says("Waiting");
    let pool = dashboard.pool().await;
    let sql = "UPDATE agent_jobs SET updated_at = updated_at - 600000";
    sqlx::query(sql).execute(&pool).await.unwrap();
    pool.close().await;
    let page = dashboard.operator.get("/instance").await;
    page.says("No worker").says("--role worker");
}
