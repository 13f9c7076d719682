//! Golden questions as a check of a pull request on the built-in git host.

use std::{fs, path::Path};

use docwright_testing::wait::eventually;
use reqwest::Method;
use serde_json::Value;

use super::Running;
use crate::{
    agent::write_site,
    server::{Setup, git},
};

const QUESTIONS: &str = "\
- question: When does an upload fail?
  pages: [page-0]
  contains: [20 MB]
- question: How do I rotate a token?
  pages: [page-2]
";

fn page(folder: &Path, name: &str, title: &str, text: &str) {
    let text = format!("---\ntitle: {title}\n---\n\n{text}\n");
    fs::write(folder.join(name), text).unwrap();
}

fn write_site_with(folder: &Path, questions: &str) {
    write_site(folder);
    page(folder, "page-0.mdx", "Limits", "## Uploads\n\nAn upload fails above 20 MB.");
    fs::create_dir(folder.join(".docwright")).unwrap();
    fs::write(folder.join(".docwright/questions.yaml"), questions).unwrap();
}

async fn start(questions: &'static str) -> Running {
    let setup = Setup::built_in(|folder| write_site_with(folder, questions), &[]);
    let process = setup.serve_with(&[]);
    let api = setup.api(&process);
    let running = Running { setup, process, api };
    let export = running.api.start_export().await;
    running.api.wait_for(&export, &["completed"]).await;
    running
}

/// Opens the pull request of an agent job.
async fn propose(running: &Running, prompt: &str) -> Value {
    let project = running.setup.project.clone();
    let job = running.api.prompt(&project, prompt).await;
    running.api.finished(&project, job["id"].as_str().unwrap()).await;
    running.newest(|preview| preview["releaseStatus"] == "ready").await
}

/// Waits until the comment contains some words.
async fn comment(running: &Running, words: &str) -> String {
    let path = format!("/v1/projects/{}/pull-requests/1", running.setup.project);
    eventually(&format!("the comment says {words}"), async || {
        let found: Value = running.api.send(Method::GET, &path, None).await.json().await.unwrap();
        let text = found["comments"][0].as_str().unwrap_or_default().to_owned();
        if text.contains(words) { Ok(text) } else { Err(found) }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn pull_request_names_the_questions_that_it_loses_and_gains() {
    let running = start(QUESTIONS).await;
    let lost = "replace \"An upload fails above 20 MB.\" with \"Ask the team.\"\n\
        replace \"## Uploads\" with \"## Files\"";
    let preview = propose(&running, lost).await;
    let url = preview["previewUrl"].as_str().unwrap();
    let text = comment(&running, "1 question lost its page. 0 of 2 questions pass.").await;
    let line = format!("- When does an upload fail\\?: [page\\-0]({url}/page-0). ");
    assert!(text.contains("Lost:\n\n") && text.contains(&line), "{text}");
    assert!(!text.contains("rotate"), "a question that failed before isn't listed: {text}");

    // The base branch answers the second question now, which is no loss of the pull request.
    let folder = running.setup.folder.path();
    let address = format!(
        "http://x:{}@{}/git/{}.git",
        running.setup.key,
        running.process.address.trim_start_matches("http://"),
        running.setup.project
    );
    git(folder, &["clone", "--quiet", &address, "main"]);
    let main = folder.join("main");
    page(&main, "page-2.mdx", "Tokens", "To rotate a token, open the settings.");
    git(&main, &["commit", "--quiet", "--all", "--message", "Explain tokens"]);
    git(&main, &["push", "--quiet", &address, "HEAD"]);
    eventually("the base branch is published", async || {
        let site = running.api.client.get(format!("{}/page-2", running.api.base));
        let site = site.header("host", "docs.example.com").send().await.unwrap();
        site.text().await.unwrap().contains("rotate a token").then_some(())
    })
    .await;
    let branch = preview["branch"].as_str().unwrap();
    git(&main, &["checkout", "--quiet", branch]);
    page(&main, "page-1.mdx", "Other", "Other words.");
    git(&main, &["commit", "--quiet", "--all", "--message", "Change another page"]);
    git(&main, &["push", "--quiet", &address, "HEAD"]);
    running.shows(&preview, "page-1", "Other words.").await;
    // The page that changed on the base branch is no change of the pull request either.
    let text = comment(&running, "2 pages changed").await;
    assert!(text.contains("1 question lost its page. 0 of 2 questions pass."), "{text}");

    // The pull request answers it too, and repairs the first one.
    page(&main, "page-2.mdx", "Tokens", "To rotate a token, open the settings.");
    page(&main, "page-0.mdx", "Limits", "## Uploads\n\nAn upload fails above 20 MB.");
    git(&main, &["commit", "--quiet", "--all", "--message", "Answer both questions"]);
    git(&main, &["push", "--quiet", &address, "HEAD"]);
    let text = comment(&running, "1 question found its page. 2 of 2 questions pass.").await;
    assert!(
        text.contains("Gained:\n\n- How do I rotate a token") && !text.contains("Lost:"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_question_file_is_a_diagnostic_and_fails_no_build() {
    let running = start("- question: How?\n  pages: [page-0]\n- question: Why?\n").await;
    let preview = propose(&running, "replace \"fails\" with \"ends\"").await;
    let path = format!("/v1/releases/{}", preview["releaseId"].as_str().unwrap());
    let found: Value = running.api.send(Method::GET, &path, None).await.json().await.unwrap();
    let shown = &found["diagnostics"][0];
    assert_eq!(
        (&shown["rule"], &shown["line"]),
        (&"invalid-questions".into(), &3.into()),
        "{found}"
    );
    let text = comment(&running, "1 page changed").await;
    assert!(!text.contains("question"), "{text}");
}
