//! The next step of a project: the first thing that isn't set up, one at a time.

use docwright_testing::{git_server::GitServer, wait::eventually};
use reqwest::Method;
use serde_json::json;

use crate::{
    dashboard::{Browser, Dashboard},
    server::Setup,
};

/// The title of the next step on an overview; empty if there is none.
async fn step(browser: &Browser, project: &str) -> String {
    let page = browser.get(project).await;
    let section = page.text.split_once("<section class=\"next\"").map_or("", |(_, rest)| rest);
    assert!(!section.contains("<section class=\"next\""), "one at a time: {}", page.text);
    let title = section.split_once("<strong>").map_or("", |(_, rest)| rest);
    title.split("</strong>").next().unwrap_or_default().to_owned()
}

async fn becomes(browser: &Browser, project: &str, expected: &str) {
    eventually(&format!("the next step is {expected:?}"), async || {
        let now = step(browser, project).await;
        if now == expected { Ok(()) } else { Err(now) }
    })
    .await;
}

async fn dismiss(browser: &Browser, project: &str, name: &str) {
    let sent = browser.post(&format!("{project}/next-step/dismiss"), &[("step", name)]).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
}

/// Creates a project with the form. Returns its path.
async fn create(dashboard: &Dashboard, admin: &Browser, fields: &[(&str, &str)]) -> String {
    let path = format!("/organizations/{}/projects/new", dashboard.setup.organization);
    let made = admin.post(&path, fields).await;
    made.location().unwrap_or_else(|| panic!("{}: {}", made.status, made.text))
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_follow_one_after_the_other() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let project = create(&dashboard, &admin, &[("name", "Empty")]).await;
    assert_eq!(step(&admin, &project).await, "Push a commit");
    // A required step has no button that dismisses it. An empty repository is no failure.
    let overview = admin.get(&project).await;
    overview.lacks("next-step/dismiss").lacks("role=\"alert\"").lacks("class=\"problem\"");
    let project = create(&dashboard, &admin, &[("name", "With pages"), ("starter", "on")]).await;
    becomes(&admin, &project, "Add a domain of your own").await;
    let viewer = dashboard.member("viewer").await;
    assert_eq!(step(&viewer, &project).await, "", "viewers can't do an optional step");
    dismiss(&admin, &project, "own-domain").await;
    // The organization has two members since the viewer joined.
    becomes(&admin, &project, "Turn on the assistant").await;
    let api = dashboard.api("admin");
    let id = project.trim_start_matches("/projects/");
    let path = format!("/v1/projects/{id}/deployments/cloud");
    let on = json!({ "features": { "assistant": { "mode": "on" } } });
    assert_eq!(api.send(Method::PATCH, &path, Some(on)).await.status(), 200);
    becomes(&admin, &project, "").await;
    // Only the operator can set a model.
    assert_eq!(step(&dashboard.operator, &project).await, "Set a model for agent jobs");
    dismiss(&dashboard.operator, &project, "model").await;
    assert_eq!(step(&dashboard.operator, &project).await, "");
    // Another project has its own steps.
    let first = format!("/projects/{}", dashboard.setup.project);
    dashboard.released(&api, 1).await;
    becomes(&dashboard.operator, &first, "Turn on the assistant").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn team_is_invited_once_the_site_is_published() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    dashboard.released(&dashboard.api("read"), 1).await;
    let project = format!("/projects/{}", dashboard.setup.project);
    assert_eq!(step(&admin, &project).await, "Invite your team");
    dashboard.invitation(1).await;
    assert_eq!(step(&admin, &project).await, "Turn on the assistant");
}

#[tokio::test(flavor = "multi_thread")]
async fn domain_comes_before_the_release() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let fields = [("name", "Own"), ("starter", "on"), ("domain", "own.example.org")];
    let own = create(&dashboard, &admin, &fields).await;
    assert_eq!(step(&admin, &own).await, "Verify the domain");
    let viewer = dashboard.member("viewer").await;
    assert_eq!(step(&viewer, &own).await, "Verify the domain", "everyone sees what is missing");
}

#[tokio::test(flavor = "multi_thread")]
async fn problem_comes_before_everything_that_is_optional() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let api = dashboard.api("admin");
    dashboard.released(&api, 1).await;
    let project = format!("/projects/{}", dashboard.setup.project);
    let path = format!("/v1/projects/{}", dashboard.setup.project);
    let wrong = json!({ "path": "nowhere" });
    assert_eq!(api.send(Method::PATCH, &path, Some(wrong)).await.status(), 200);
    becomes(&admin, &project, "Repair the release").await;
    admin.get(&project).await.says("href=\"#problem\"").says("id=\"problem\"");
    let right = json!({ "path": "" });
    assert_eq!(api.send(Method::PATCH, &path, Some(right)).await.status(), 200);
    becomes(&admin, &project, "Invite your team").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn first_release_is_activated_by_hand_if_the_project_says_so() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let api = dashboard.api("admin");
    let body = json!({ "name": "By hand", "activation": "manual", "starter": true,
        "organizationId": dashboard.setup.organization });
    let made = api.send(Method::POST, "/v1/projects", Some(body)).await;
    let made: serde_json::Value = made.json().await.unwrap();
    let project = format!("/projects/{}", made["id"].as_str().unwrap());
    assert_eq!(step(&admin, &project).await, "Add a domain");
    let domain = [("domain", "by-hand.localhost"), ("branch", "")];
    assert_eq!(admin.post(&format!("{project}/domains"), &domain).await.status, 303);
    becomes(&admin, &project, "Activate the first release").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn repository_elsewhere_gets_a_webhook() {
    let server = GitServer::start().await;
    let files = [("docs.json", r#"{"name":"D","navigation":["index"]}"#), ("index.mdx", "# Hello")];
    server.create("public/docs.git", &files);
    let variables = [("DOCWRIGHT_PRIVATE_HOSTS", server.host())];
    let dashboard = Dashboard::on(Setup::new(), &variables).await;
    let admin = dashboard.member("admin").await;
    let repository = server.url("public/docs.git");
    let fields =
        [("name", "Elsewhere"), ("repository", &*repository), ("domain", "elsewhere.localhost")];
    // Only the operator can use `http://`.
    let project = create(&dashboard, &dashboard.operator, &fields).await;
    becomes(&admin, &project, "Add a domain of your own").await;
    // Plain git takes no commit statuses, which is no problem.
    let pool = dashboard.pool().await;
    let id = project.trim_start_matches("/projects/");
    let open = "SELECT COUNT(*), SUM(status = 'open') FROM reports WHERE project_id = $1";
    eventually("the release is reported", async || {
        let (all, open): (i64, i64) = sqlx::query_as(open)
            .bind(id)
            .fetch_one(&pool)
            .await
            .map_err(|error| error.to_string())?;
        if all > 0 && open == 0 { Ok(()) } else { Err(format!("{open} of {all} are open")) }
    })
    .await;
    pool.close().await;
    assert_eq!(step(&admin, &project).await, "Add a domain of your own");
    dismiss(&admin, &project, "own-domain").await;
    becomes(&admin, &project, "Add a webhook").await;
    admin.post(&format!("{project}/settings/webhooks/secret"), &[]).await;
    assert_ne!(step(&admin, &project).await, "Add a webhook");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_optional_steps_are_dismissed() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let path = format!("/projects/{}/next-step/dismiss", dashboard.setup.project);
    for step in ["push", "", "<b>"] {
        assert_eq!(admin.post(&path, &[("step", step)]).await.status, 400, "{step}");
    }
}
