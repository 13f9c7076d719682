//! New projects: example pages on the built-in git host, and a domain.

use axum::http::StatusCode;
use docwright_testing::wait::eventually;
use reqwest::Method;
use serde_json::json;

use crate::dashboard::{Browser, Dashboard};

/// Fills in the form for a new project of the organization.
async fn create(
    dashboard: &Dashboard,
    admin: &Browser,
    fields: &[(&str, &str)],
) -> crate::dashboard::Page {
    let path = format!("/organizations/{}/projects/new", dashboard.setup.organization);
    admin.post(&path, fields).await
}

/// Waits until a page of a site contains a text.
async fn reads(dashboard: &Dashboard, host: &str, words: &str) {
    let api = dashboard.api("read");
    eventually(&format!("{host} says {words:?}"), async || {
        let asked = api.client.get(&api.base).header("host", host);
        asked.send().await.unwrap().text().await.unwrap().contains(words)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn new_project_has_example_pages_at_local_domain() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let made = create(&dashboard, &admin, &[("name", "Our <Handbook>"), ("starter", "on")]).await;
    assert_eq!(made.status, 303, "{}", made.text);
    reads(&dashboard, "our-handbook.localhost", "These pages are yours").await;
    reads(&dashboard, "our-handbook.localhost", "Our &lt;Handbook&gt;").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn project_is_created_if_domain_is_taken() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let (_, stranger) = dashboard.member_of(&dashboard.other, "admin").await;
    let theirs = format!("/organizations/{}/projects/new", dashboard.other);
    assert_eq!(stranger.post(&theirs, &[("name", "Handbook")]).await.status, 303);
    // The user didn't request a domain, so the project gets a free one.
    let made = create(&dashboard, &admin, &[("name", "Handbook")]).await;
    assert_eq!(made.status, 303, "{}", made.text);
    admin.get(&made.location().unwrap()).await.says("handbook-2.localhost");
    let fields = [("name", "Second"), ("domain", "handbook.localhost")];
    let made = create(&dashboard, &admin, &fields).await;
    assert_eq!(made.status, 400);
    made.says("is taken").says("The project was created without this domain");
    assert_eq!(
        create(&dashboard, &admin, &[("name", "Second")]).await.status,
        400,
        "the domain exists"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn new_project_serves_the_branch_of_its_form() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let fields = [("name", "Next"), ("starter", "on"), ("branch", "next")];
    let path = create(&dashboard, &admin, &fields).await.location().unwrap();
    admin.get(&format!("{path}/domains/next.localhost")).await.says("value=\"next\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn example_pages_are_for_repositories_of_docwright_only() {
    let dashboard = Dashboard::start().await;
    let api = dashboard.api("admin");
    let repository = "https://github.com/acme/docs.git";
    let body = json!({ "name": "Docs", "repository": repository, "starter": true });
    let answer = api.send(Method::POST, "/v1/projects", Some(body)).await;
    assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
    assert!(answer.text().await.unwrap().contains("`starter`"));
}

#[tokio::test(flavor = "multi_thread")]
async fn next_steps_know_the_commit_of_example_pages() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let steps = async |fields: &[(&str, &str)]| {
        let path = create(&dashboard, &admin, fields).await.location().unwrap();
        admin.get(&path).await
    };
    // The domain isn't verified, so there is no release.
    let fields = [("name", "With"), ("starter", "on"), ("domain", "with.example.org")];
    let with = steps(&fields).await;
    with.says("git clone ").lacks("git init");
    let without = steps(&[("name", "Without"), ("domain", "without.example.org")]).await;
    without.says("git init -b main").lacks("git clone ");
}

#[tokio::test(flavor = "multi_thread")]
async fn git_accepts_the_lines_of_the_next_steps() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    let key = dashboard.setup.new_key(&["--scope", "write"]);
    let folder = tempfile::tempdir().unwrap();
    for (name, starter) in [("With", "on"), ("Without", "")] {
        let domain = format!("{}.example.org", name.to_lowercase());
        let fields = [("name", name), ("starter", starter), ("domain", &domain)];
        let path = create(&dashboard, &admin, &fields).await.location().unwrap();
        let page = admin.get(&path).await;
        assert_eq!(
            page.text.contains("Push a commit"),
            starter.is_empty(),
            "{name}: {}",
            page.text
        );
        let lines = page.text.split("<pre tabindex=\"0\"><code>").nth(1).unwrap();
        let lines = lines.split("</code>").next().unwrap();
        // A key stands in for the password that git asks for, and a new page for the edit.
        let lines = lines.replace("http://", &format!("http://x:{key}@"));
        let lines = lines.replace("&#39;", "'");
        let lines = lines.replace("# Edit the files.", "echo '# Edited' > edited.mdx");
        let work = folder.path().join(name);
        std::fs::create_dir(&work).unwrap();
        if starter.is_empty() {
            std::fs::write(work.join("docs.json"), r#"{"name":"D","navigation":["index"]}"#)
                .unwrap();
            std::fs::write(work.join("index.mdx"), "# Hello\n").unwrap();
        }
        let mut shell = std::process::Command::new("sh");
        shell.args(["-e", "-c", &lines]).current_dir(&work).env("GIT_TERMINAL_PROMPT", "0");
        for role in ["AUTHOR", "COMMITTER"] {
            shell.env(format!("GIT_{role}_NAME"), "T");
            shell.env(format!("GIT_{role}_EMAIL"), "t@example.com");
        }
        let output = shell.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{name}: {lines}: {said}");
        let after = admin.get(&path).await;
        after.says("git clone ").lacks("git init");
    }
}
