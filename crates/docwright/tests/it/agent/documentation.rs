//! Agents change only documentation, even if the docs root is the root of a program's repository.

use std::{fs, path::Path};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{Running, mocks::Mock, write_site};
use crate::server::Setup;

/// Writes a site in the root of a program's repository.
fn write_program(folder: &Path) {
    write_site(folder);
    fs::create_dir(folder.join("src")).unwrap();
    fs::write(folder.join("src/main.rs"), "fn main() {}\n").unwrap();
}

fn with_model(mock: &Mock) -> Running {
    let setup = Setup::built_in(write_program, &["--model", "openai-chat:local"]);
    let urls = format!("openai-chat={}/v1", mock.address);
    Running::with(setup, &[("DOCWRIGHT_AGENT_URLS", &urls)])
}

/// The paths that a job's tool calls were refused for.
fn refused(job: &Value) -> Vec<String> {
    let calls = job["refused"].as_array().unwrap();
    let path =
        |call: &Value| call["reason"].as_str().unwrap().split('`').nth(1).unwrap().to_owned();
    calls.iter().map(path).collect()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn programs_are_refused_and_the_page_is_changed() {
    let mock = Mock::start("models.mjs", &[]);
    let running = with_model(&mock);
    let job = running.work("build something").await;
    assert_eq!(job["status"], "completed", "{job}");
    assert_eq!(job["filesChanged"], json!(["page-1.mdx"]), "{job}");
    let expected = [
        "Makefile",
        "package.json",
        "Codeowners",
        "src/main.rs",
        "docs/../Makefile",
        "src/main.rs",
    ];
    assert_eq!(refused(&job), expected, "{job}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn patterns_of_a_project_allow_more_but_never_owners() {
    let mock = Mock::start("models.mjs", &[]);
    let running = with_model(&mock);
    let path = format!("/v1/projects/{}", running.setup.project);
    let admin = running.setup.new_key(&["--scope", "admin"]);
    let api = crate::server::Api { key: admin, ..running.setup.api(&running.process) };
    for wrong in [json!(["/etc/**"]), json!(["../**"]), json!(["[a"]), json!(["a\\b"]), json!("a")]
    {
        let answer = api.send(Method::PATCH, &path, Some(json!({ "agentPaths": wrong }))).await;
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{wrong}");
        let said: Value = answer.json().await.unwrap();
        assert!(said["error"].as_str().unwrap().contains("agentPaths"), "{said}");
    }
    let answer = api.send(Method::PATCH, &path, Some(json!({ "agentPaths": ["**"] }))).await;
    assert_eq!(answer.status(), StatusCode::OK);
    let project: Value = api.send(Method::GET, &path, None).await.json().await.unwrap();
    assert_eq!(project["agentPaths"], json!(["**"]));
    let job = running.work("build something").await;
    assert_eq!(job["status"], "completed", "{job}");
    assert_eq!(refused(&job), ["Codeowners", "docs/../Makefile"], "{job}");
    let changed = job["filesChanged"].as_array().unwrap();
    assert!(
        changed.contains(&json!("Makefile")) && changed.contains(&json!("src/main.rs")),
        "{job}"
    );
    let (id, none) = (running.setup.project.as_str(), "--agent-path=");
    let shown = running.setup.admin(&["project", "update", id, none]);
    assert_eq!(shown["agentPaths"], json!([]));
}

/// Changes in a saved run that didn't come from a tool.
#[tokio::test(flavor = "multi_thread")]
async fn changes_are_checked_again_before_they_are_pushed() {
    let setup = Setup::built_in(write_program, &[]);
    let running = Running::with(setup, &[("DOCWRIGHT_ROLE", "api")]);
    let job = running.api.prompt(&running.setup.project, "replace Text with Words").await;
    let run = json!({
        "prompts": 1,
        "run": {
            "turns": [{ "user": "replace Text with Words" }],
            "changes": { "Makefile": { "written": "all:\n" }, "page-1.mdx": { "written": "Words\n" } },
            "usage": { "inputTokens": 0, "outputTokens": 0, "cost": null },
            "phase": { "ended": { "completed": "Done" } },
            "steps": 0, "checks": 1, "refusals": 0, "repeats": 0, "seconds": 0.0, "summary": "Done",
            "refused": [], "summaries": ["Done"],
        },
    });
    let pool = running.pool().await;
    let saved = sqlx::query("UPDATE agent_jobs SET run = $1").bind(run.to_string());
    saved.execute(&pool).await.unwrap();
    let running = Running::with(running.setup, &[]);
    let ended = running.finish(&job).await;
    assert_eq!(ended["status"], "failed", "{ended}");
    let reason = ended["error"].as_str().unwrap();
    assert!(reason.starts_with("nothing was pushed: `Makefile` isn't documentation"), "{reason}");
    assert!(ended["source"]["ref"].is_null() && ended["prLink"].is_null(), "{ended}");
}
