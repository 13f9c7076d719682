//! The inbox: what concerns a person, and until when the person has read.

use docwright_testing::wait::eventually;
use reqwest::{Method, StatusCode};

use super::{Browser, Dashboard, PASSWORD, Page};

const PROMPT: &str = "Add page hello titled \"Hello\" with text \"Hello.\"";

/// Waits until the inbox of a person has a text.
async fn inbox_with(browser: &Browser, text: &str) -> Page {
    eventually(&format!("the inbox has {text}"), async || {
        let page = browser.get("/inbox").await;
        if page.text.contains(text) { Ok(page) } else { Err(page.text) }
    })
    .await
}

/// The number on the bell.
fn count(page: &Page) -> u32 {
    let Some((_, rest)) = page.text.split_once("aria-label=\"Inbox, ") else { return 0 };
    rest.split(' ').next().unwrap().parse().unwrap()
}

/// Saves the settings of the project with some values.
async fn set(admin: &Browser, project: &str, changes: &[(&str, &str)]) {
    let mut fields = vec![
        ("name", "Docs"),
        ("repository", "built-in"),
        ("path", ""),
        ("model", ""),
        ("activation", "automatic"),
    ];
    fields.retain(|(name, _)| changes.iter().all(|(changed, _)| changed != name));
    fields.extend(changes);
    let path = format!("/projects/{project}/settings");
    admin.post(&path, &fields).await.is(StatusCode::SEE_OTHER);
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_release_concerns_only_the_person_who_asked_for_it() {
    let dashboard = Dashboard::start().await;
    let project = dashboard.setup.project.as_str();
    let api = dashboard.api("admin");
    dashboard.released(&api, 1).await;
    let (admin, editor) = (dashboard.member("admin").await, dashboard.member("editor").await);
    editor.get("/inbox").await.says("No items yet").lacks("Mark all");
    assert_eq!(count(&editor.get("/account").await), 0);
    set(&admin, project, &[("path", "nowhere")]).await;
    editor
        .post(&format!("/projects/{project}/releases/build"), &[])
        .await
        .is(StatusCode::SEE_OTHER);
    let page = inbox_with(&editor, "Release failed").await;
    page.says(&format!("/projects/{project}/releases/rel_")).says("nowhere").says("Unread");
    // The bell is on every page.
    assert_eq!(count(&editor.get(&format!("/projects/{project}")).await), 1);
    admin.get("/inbox").await.lacks("Release failed");
    // An item that came after the page was shown stays unread.
    let shown = page.after("name=\"until\" value=\"").split('"').next().unwrap().to_owned();
    let read = editor.submit("/inbox", &[("until", "2026-01-01T00:00:00Z")]).await;
    read.says("All items marked as read").says("Unread");
    editor.submit("/inbox", &[("until", &shown)]).await.says("Release failed").lacks("Unread");
    assert_eq!(count(&editor.get("/account").await), 0);
    editor.post("/inbox", &[("until", "soon")]).await.is(StatusCode::BAD_REQUEST);
    // An earlier time changes nothing.
    editor.submit("/inbox", &[("until", "2026-01-01T00:00:00Z")]).await.lacks("Unread");
    // A person who leaves the organization hears nothing of it anymore.
    let members =
        admin.get(&format!("/organizations/{}/members", dashboard.setup.organization)).await;
    members.says("editor1@example.com");
    let remove = format!("/organizations/{}/members/acc_1/remove", dashboard.setup.organization);
    admin.post(&remove, &[]).await.is(StatusCode::SEE_OTHER);
    editor.get("/inbox").await.says("No items yet").lacks("Docs");
}

#[tokio::test(flavor = "multi_thread")]
async fn ended_job_and_merged_pull_request_concern_the_person() {
    let dashboard = Dashboard::start().await;
    let project = dashboard.setup.project.as_str();
    let (admin, editor) = (dashboard.member("admin").await, dashboard.member("editor").await);
    let new = format!("/projects/{project}/jobs/new");
    editor.post(&new, &[("prompt", PROMPT), ("model", "")]).await.is(StatusCode::SEE_OTHER);
    let page = inbox_with(&editor, "Agent job completed").await;
    page.says("Add page hello").says(&format!("/projects/{project}/jobs/agt_"));
    let pull = format!("/projects/{project}/pull-requests/1");
    admin.submit(&format!("{pull}/merge"), &[]).await.says("Merged");
    let page = inbox_with(&editor, "Pull request merged").await;
    page.says(&format!("href=\"{pull}\""));
    assert_eq!(count(&page), 2);
    // The person who merged knows it.
    admin.get("/inbox").await.lacks("Pull request merged").lacks("Agent job");
}

#[tokio::test(flavor = "multi_thread")]
async fn accepted_invitation_and_waiting_release_are_in_the_inbox() {
    let dashboard = Dashboard::start().await;
    let project = dashboard.setup.project.as_str();
    let api = dashboard.api("admin");
    dashboard.released(&api, 1).await;
    let (admin, viewer) = (dashboard.member("admin").await, dashboard.member("viewer").await);
    let path = format!("/organizations/{}/invitations", dashboard.setup.organization);
    let made = admin.post(&path, &[("email", "ada@example.com"), ("role", "viewer")]).await;
    let guest = dashboard.browser();
    let link = made.after("data-copy=\"");
    guest.submit(&link, &[("name", "Ada"), ("password", PASSWORD)]).await.is(StatusCode::OK);
    let page = inbox_with(&admin, "Invitation accepted").await;
    page.says("ada@example.com").says("members?search=ada%40example.com");
    set(&admin, project, &[("activation", "manual")]).await;
    let build = format!("/projects/{project}/releases/build");
    let body = serde_json::json!({ "domain": "docs.example.com", "withoutCache": true });
    let made = api.send(Method::POST, "/v1/releases", Some(body)).await;
    if !made.status().is_success() {
        admin.post(&build, &[]).await.is(StatusCode::SEE_OTHER);
    }
    inbox_with(&admin, "Release waits for activation").await;
    viewer.get("/inbox").await.lacks("Release waits");
    let release = inbox_with(&admin, "Release waits")
        .await
        .after(&format!("/projects/{project}/releases/rel_"));
    let release = release.split('"').next().unwrap();
    let activate = format!("/projects/{project}/releases/rel_{release}/activate");
    admin.submit(&activate, &[]).await.is(StatusCode::OK);
    admin.get("/inbox").await.lacks("Release waits");
}

#[tokio::test(flavor = "multi_thread")]
async fn problems_of_projects_concern_those_who_can_edit() {
    let dashboard = Dashboard::start().await;
    let project = dashboard.setup.project.as_str();
    let (editor, viewer) = (dashboard.member("editor").await, dashboard.member("viewer").await);
    let (_, stranger) = dashboard.member_of(&dashboard.other, "admin").await;
    let pool = dashboard.pool().await;
    let change = async |sql: &'static str| {
        sqlx::query(sql).execute(&pool).await.unwrap();
    };
    change(
        "INSERT INTO polls (id, project_id, status, requested, error, error_kind, failures, failing_since, interruptions, \
         run_after, lease_number, created_at, updated_at) SELECT id, id, 'idle', 0, 'cannot read it', 'credentials', 1, \
         4000000000000, 0, 9000000000000, 0, 1, 1 FROM projects WHERE 1 = 1 ON CONFLICT (id) DO UPDATE SET \
         error = 'cannot read it', error_kind = 'credentials', failing_since = 4000000000000",
    )
    .await;
    change(
        "INSERT INTO certificates (host, order_after, failures, problem, problem_since) \
         VALUES ('docs.example.com', 1, 1, 'the order failed', 4000000000001)",
    )
    .await;
    let page = editor.get("/inbox").await;
    page.says("Repository needs credentials").says("cannot read it");
    page.says("Hostname has no valid certificate").says("the order failed");
    page.says(&format!("/projects/{project}/domains/docs.example.com"));
    assert_eq!(count(&page), 2);
    for other in [&viewer, &stranger] {
        other.get("/inbox").await.says("No items yet");
    }
    // A problem is gone when its cause is.
    change("UPDATE polls SET error = NULL, failing_since = NULL").await;
    change("UPDATE certificates SET problem = NULL, problem_since = NULL").await;
    pool.close().await;
    editor.get("/inbox").await.says("No items yet");
}
