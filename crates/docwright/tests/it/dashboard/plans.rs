//! Plans: limits that the operator sets apply everywhere.

use reqwest::{Method, StatusCode};
use serde_json::json;

use super::Dashboard;

/// Puts the organization on a plan with limits.
async fn limit(dashboard: &Dashboard, projects: &str, members: &str, prompts: &str) {
    let plan = format!("/organizations/{}/plan", dashboard.setup.organization);
    let fields = [("name", "Acme"), ("plan", "pro")];
    dashboard.operator.submit(&plan, &fields).await.is(StatusCode::OK).says("Pro");
    let fields = [("projects", projects), ("members", members), ("prompts_an_hour", prompts)];
    dashboard.operator.submit("/plans/pro", &fields).await.is(StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn plan_limits_projects() {
    let dashboard = Dashboard::start().await;
    limit(&dashboard, "2", "", "100").await;
    let admin = dashboard.member("admin").await;
    let new = format!("/organizations/{}/projects/new", dashboard.setup.organization);
    let fields = |name| [("name", name), ("repository", ""), ("path", "")];
    admin.post(&new, &fields("Second")).await.is(StatusCode::SEE_OTHER);
    let third = admin.post(&new, &fields("Third")).await;
    third.is(StatusCode::FORBIDDEN).says("pro, includes 2 projects");
    // Keys and the operator have the same limit.
    let api = dashboard.api("admin");
    let third = api.send(Method::POST, "/v1/projects", Some(json!({ "name": "Third" }))).await;
    assert_eq!(third.status(), StatusCode::FORBIDDEN);
    dashboard.operator.post(&new, &fields("Third")).await.is(StatusCode::FORBIDDEN);
    // With a higher limit, creation succeeds.
    limit(&dashboard, "3", "", "100").await;
    admin.post(&new, &fields("Third")).await.is(StatusCode::SEE_OTHER);
    let plan = format!("/organizations/{}/plan", dashboard.setup.organization);
    admin.get(&plan).await.says("max=\"3\" value=\"3\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn simultaneous_projects_stop_at_limit() {
    let dashboard = Dashboard::start().await;
    limit(&dashboard, "4", "", "100").await;
    let api = dashboard.api("admin");
    let make = |number: usize| {
        let api = api.clone();
        let body = json!({ "name": format!("Project {number}") });
        async move { api.send(Method::POST, "/v1/projects", Some(body)).await.status().as_u16() }
    };
    let answers = futures::future::join_all((0..12).map(make)).await;
    assert_eq!(answers.iter().filter(|status| **status == 201).count(), 3, "{answers:?}");
    assert_eq!(answers.iter().filter(|status| **status == 403).count(), 9, "{answers:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn storage_is_shown_beside_its_limit() {
    let dashboard = Dashboard::start().await;
    let viewer = dashboard.member("viewer").await;
    let path = format!("/organizations/{}/plan", dashboard.setup.organization);
    let pool = dashboard.pool().await;
    let sql = "UPDATE projects SET repository_bytes = 3400000000";
    sqlx::query(sql).execute(&pool).await.unwrap();
    viewer.get(&path).await.says("3.4 GB");
    limit(&dashboard, "", "", "100").await;
    let fields = [
        ("projects", ""),
        ("members", ""),
        ("prompts_an_hour", "100"),
        ("storage_bytes", "3000000000"),
    ];
    dashboard.operator.submit("/plans/pro", &fields).await.is(StatusCode::OK).says("3000000000");
    let page = viewer.get(&path).await;
    page.says("3.4 GB of 3.0 GB used").says("New builds, pushes, and previews are refused.");
    let wrong =
        [("projects", ""), ("members", ""), ("prompts_an_hour", "1"), ("storage_bytes", "-1")];
    let page = dashboard.operator.post("/plans/pro", &wrong).await;
    page.is(StatusCode::BAD_REQUEST).says("must be a whole number from 0");
}

#[tokio::test(flavor = "multi_thread")]
async fn plan_limits_prompts_an_hour() {
    let dashboard = Dashboard::start().await;
    limit(&dashboard, "", "", "1").await;
    let api = dashboard.api("write");
    let path = format!("/v2/agent/{}/job", dashboard.setup.project);
    let body = || Some(json!({ "prompt": "Fix the links." }));
    let first = api.send(Method::POST, &path, body()).await;
    assert_eq!(first.status(), StatusCode::CREATED);
    assert!(first.headers()["ratelimit-policy"].to_str().unwrap().contains("q=1;"));
    let second = api.send(Method::POST, &path, body()).await;
    assert_eq!(second.status(), StatusCode::TOO_MANY_REQUESTS);
    let second: serde_json::Value = second.json().await.unwrap();
    assert!(
        second["error"].as_str().unwrap().contains("reached its limit of 1 prompt within an hour"),
        "{second}"
    );
    let editor = dashboard.member("editor").await;
    let new = format!("/projects/{}/jobs/new", dashboard.setup.project);
    let page = editor.post(&new, &[("prompt", "Keep this.")]).await;
    page.is(StatusCode::BAD_REQUEST).says("reached its limit").says("Keep this.");
}

#[tokio::test(flavor = "multi_thread")]
async fn plan_without_static_export_refuses_exports() {
    let dashboard = Dashboard::start().await;
    let api = dashboard.api("write");
    let export = || {
        let body = json!({ "domain": "docs.example.com" });
        api.send(Method::POST, "/v1/static-export/jobs", Some(body))
    };
    assert_eq!(export().await.status(), StatusCode::ACCEPTED);
    limit(&dashboard, "", "", "100").await;
    assert_eq!(export().await.status(), StatusCode::FORBIDDEN);
    let fields =
        [("static_export", "on"), ("projects", ""), ("members", ""), ("prompts_an_hour", "100")];
    dashboard.operator.submit("/plans/pro", &fields).await.is(StatusCode::OK);
    assert_eq!(export().await.status(), StatusCode::ACCEPTED);
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_limits_are_refused_with_reason() {
    let dashboard = Dashboard::start().await;
    for (projects, members, prompts, said) in [
        ("many", "", "100", "whole number"),
        ("-1", "", "100", "must be a whole number from 0"),
        ("", "0", "100", "must be a whole number from 1"),
        ("", "", "99999999999", "must be a whole number"),
    ] {
        let fields = [("projects", projects), ("members", members), ("prompts_an_hour", prompts)];
        let page = dashboard.operator.post("/plans/free", &fields).await;
        page.is(StatusCode::BAD_REQUEST).says(said);
    }
    let fields = [("projects", ""), ("members", ""), ("prompts_an_hour", "1")];
    let none = dashboard.operator.post("/plans/golden", &fields).await;
    assert!(matches!(none.status, 400 | 404), "{}", none.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn unnamed_limit_stays() {
    let dashboard = Dashboard::start().await;
    let set = dashboard.setup.admin(&["plan", "set", "pro", "--projects", "7"]);
    assert_eq!(set["projects"], 7);
    assert_eq!(set["promptsAnHour"], 100, "unnamed limits stay");
    let set = dashboard.setup.admin(&["plan", "set", "pro", "--projects", "none"]);
    assert_eq!(set["projects"], serde_json::Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn organization_is_deleted_by_its_name() {
    let dashboard = Dashboard::start().await;
    let operator = &dashboard.operator;
    let made = operator.post("/organizations", &[("name", "Gone & more"), ("plan", "free")]).await;
    let path = made.location().unwrap();
    let delete = format!("{path}/plan/delete");
    let wrong = operator.post(&delete, &[("name", "Gone")]).await;
    wrong.is(StatusCode::BAD_REQUEST).says("Nothing was deleted").says("Gone &amp; more");
    let taken = operator.post("/organizations", &[("name", "Gone & more"), ("plan", "free")]).await;
    taken.is(StatusCode::BAD_REQUEST).says("choose another name");
    operator.submit(&delete, &[("name", "Gone & more")]).await.is(StatusCode::OK);
    operator.get(&path).await.is(StatusCode::NOT_FOUND);
}
