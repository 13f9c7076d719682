//! How the install is doing, as its operator sees it.

use reqwest::{Method, StatusCode};
use serde_json::Value;

use super::Dashboard;

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_sees_what_the_service_depends_on() {
    let variables = [("DOCWRIGHT_AGENT_MODEL", "openai:gpt-5")];
    let dashboard = Dashboard::with(&variables).await;
    let page = dashboard.operator.get("/install").await;
    page.is(StatusCode::OK).says("SQLite answered in").says("GiB free").says("Idle");
    page.says("openai:gpt-5").says("Not usable").says("builtin:edits").says("Set up");
    let made = dashboard.setup.admin(&["key", "create", "watch", "--scope", "operator"]);
    let mut api = dashboard.setup.api(&dashboard.process);
    made["key"].as_str().unwrap().clone_into(&mut api.key);
    let install: Value = api.send(Method::GET, "/v1/install", None).await.json().await.unwrap();
    let git = install["git"]["version"].as_str().unwrap();
    assert!(git.starts_with(|letter: char| letter.is_ascii_digit()), "{git}");
    assert_eq!(install["queues"].as_array().unwrap().len(), 4);
    assert!(install["disk"]["freeBytes"].as_u64().unwrap() > 0, "{install}");
    assert_eq!(install["version"], env!("CARGO_PKG_VERSION"));
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_that_nobody_begins_are_shown() {
    // This process only answers.
    let dashboard = Dashboard::with(&[("DOCWRIGHT_ROLE", "api")]).await;
    let api = dashboard.setup.api(&dashboard.process);
    api.prompt(&dashboard.setup.project, "Fix the links.").await;
    dashboard.operator.get("/install").await.says("Waiting");
    let pool = dashboard.pool().await;
    let sql = "UPDATE agent_jobs SET updated_at = updated_at - 600000";
    sqlx::query(sql).execute(&pool).await.unwrap();
    pool.close().await;
    let page = dashboard.operator.get("/install").await;
    page.says("No worker").says("--role worker");
}
