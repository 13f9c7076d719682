//! Agent jobs in a browser: from a prompt to a pull request and follow-ups.

use docwright_testing::wait::eventually;
use reqwest::{Method, StatusCode};
use serde_json::json;

use super::{Browser, Dashboard, Page};

/// Waits until a job is no longer active. Returns its page.
async fn ended(browser: &Browser, path: &str) -> Page {
    eventually("the job has ended", async || {
        let page = browser.get(path).await;
        if page.text.contains("aria-busy") { Err(page.text) } else { Ok(page) }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn prompt_becomes_an_archived_job() {
    let dashboard = Dashboard::start().await;
    let editor = dashboard.member("editor").await;
    let jobs = format!("/projects/{}/jobs", dashboard.setup.project);
    editor.get(&jobs).await.says("No agent jobs yet").says("New job");
    editor.get(&format!("{jobs}/new")).await.says("builtin:edits").says("No language model");
    let prompt = "Add page hello titled \"Hello\" with text \"<script>alert(1)</script> there.\"";
    let fields = [("prompt", prompt), ("model", "builtin:edits")];
    let path = editor.post(&format!("{jobs}/new"), &fields).await.location().unwrap();
    let page = ended(&editor, &path).await;
    page.says("Completed").says("hello.mdx").says("/pull-requests/1").says("Pull request opened");
    page.says("&lt;script&gt;alert(1)");
    assert!(!page.text.contains("<script>alert"), "{}", page.text);
    page.says(">Changes<")
        .says("<span class=\"added\">+&lt;script&gt;alert(1)&lt;/script&gt; there.");
    // A follow-up continues in the same pull request.
    let more = "Add page second titled \"Second\" with text \"More.\"";
    editor.post(&format!("{path}/message"), &[("prompt", more)]).await.is(StatusCode::SEE_OTHER);
    // The page shows all changes of the pull request, not only those of the last prompt.
    let page = ended(&editor, &path).await;
    page.says("second.mdx").says("/pull-requests/1").says("+&lt;script&gt;alert(1)").says("+More.");
    let viewer = dashboard.member("viewer").await;
    viewer.get(&path).await.says("+More.");
    // The pull request stands if a follow-up fails.
    editor.post(&format!("{path}/message"), &[("prompt", "Be wise.")]).await;
    let page = ended(&editor, &path).await;
    page.says("Follow-up failed").says("/pull-requests/1").says("+More.").lacks("The job failed");
    editor.get(&jobs).await.says("Follow-up failed");
    editor.submit(&format!("{path}/archive"), &[]).await.says("Archived");
    let again = editor.post(&format!("{path}/message"), &[("prompt", more)]).await;
    again.is(StatusCode::CONFLICT).says("Only completed or failed jobs");
    editor.get(&format!("{jobs}?status=archived")).await.says(&path);
    editor.get(&format!("{jobs}?status=failed")).await.says("No results");
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_prompt_shows_the_reason() {
    let dashboard = Dashboard::start().await;
    let editor = dashboard.member("editor").await;
    let jobs = format!("/projects/{}/jobs", dashboard.setup.project);
    let path = editor.post(&format!("{jobs}/new"), &[("prompt", "Be wise.")]).await;
    let path = path.location().unwrap();
    let page = ended(&editor, &path).await;
    page.says("Failed").says("The job failed").says("Follow up");
    // The list shows the prompt, and the error beside it.
    let list = editor.get(&jobs).await;
    let row = list.text.split("<li>").find(|row| row.contains(&path)).unwrap();
    assert!(row.contains(">Be wise.</a>") && row.contains("class=\"error\""), "{row}");
    let blank = editor.post(&format!("{jobs}/new"), &[("prompt", "  ")]).await;
    blank.is(StatusCode::BAD_REQUEST).says("blank");
    let fields = [("prompt", "Fix the links."), ("model", "anthropic:claude-sonnet-4-5")];
    let other = editor.post(&format!("{jobs}/new"), &fields).await;
    other.is(StatusCode::BAD_REQUEST).says("“Model” must be one of").says("Fix the links.");
}

#[tokio::test(flavor = "multi_thread")]
async fn example_fills_the_form() {
    let dashboard = Dashboard::start().await;
    let editor = dashboard.member("editor").await;
    let new = format!("/projects/{}/jobs/new", dashboard.setup.project);
    let page = editor.get(&new).await;
    let example = page.text.split("class=\"examples\"").nth(1).unwrap();
    let link = example.split("href=\"").nth(1).unwrap().split('"').next().unwrap();
    let filled = editor.get(&link.replace("&amp;", "&")).await;
    filled.says(">Fix the broken links.</textarea>").says("Start job");
}

#[tokio::test(flavor = "multi_thread")]
async fn job_that_cannot_open_a_pull_request_is_not_started() {
    let dashboard = Dashboard::start().await;
    let admin = dashboard.member("admin").await;
    // Nothing tells which kind of git host it is, so it has no pull requests.
    let repository = "https://git.example.org/docs.git";
    let body = json!({ "name": "Plain", "repository": repository, "organizationId": dashboard.setup.organization });
    let made = dashboard.api("admin").send(Method::POST, "/v1/projects", Some(body)).await;
    let made: serde_json::Value = made.json().await.unwrap();
    let project = format!("/projects/{}", made["id"].as_str().unwrap());
    let form = format!("{project}/jobs/new");
    admin.get(&form).await.says("Agent jobs can't work in this project").says("disabled");
    let refused = admin.post(&form, &[("prompt", "Fix the broken links.")]).await;
    refused.is(StatusCode::CONFLICT).says("pull request").says("Fix the broken links.");
    admin.get(&format!("{project}/jobs")).await.says("No agent jobs yet");
}

#[tokio::test(flavor = "multi_thread")]
async fn model_without_key_is_shown_and_cannot_be_chosen() {
    let variables = [("DOCWRIGHT_AGENT_MODEL", "anthropic:claude-sonnet-4-5")];
    let dashboard = Dashboard::with(&variables).await;
    let editor = dashboard.member("editor").await;
    let page = editor.get(&format!("/projects/{}/jobs/new", dashboard.setup.project)).await;
    page.says("anthropic:claude-sonnet-4-5").says("--agent-keys").says("disabled");
    let viewer = dashboard.member("viewer").await;
    let jobs = viewer.get(&format!("/projects/{}/jobs", dashboard.setup.project)).await;
    assert!(!jobs.text.contains("New job"), "{}", jobs.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn job_of_another_project_is_not_found() {
    let dashboard = Dashboard::start().await;
    let job = dashboard.ended_job("Fix the links.").await;
    let new = format!("/organizations/{}/projects/new", dashboard.other);
    let fields = [("name", "Other"), ("repository", ""), ("path", "")];
    let other = dashboard.operator.post(&new, &fields).await.location().unwrap();
    let (_, stranger) = dashboard.member_of(&dashboard.other, "admin").await;
    stranger.get(&format!("{other}/jobs/{job}")).await.is(StatusCode::NOT_FOUND);
    for what in ["cancel", "archive"] {
        let path = format!("{other}/jobs/{job}/{what}");
        stranger.post(&path, &[]).await.is(StatusCode::NOT_FOUND);
    }
}
