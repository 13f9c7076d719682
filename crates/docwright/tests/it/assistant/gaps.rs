//! From a gap to a fix: readers ask what the pages don't say, an agent writes it, the pull request is checked with the
//! golden questions, and the next reader gets an answer.

use std::fs;

use docwright_testing::wait::eventually;
use reqwest::Method;
use serde_json::{Value, json};

use super::{Answer, hosted, write_docs};
use crate::{
    scripted::scripted,
    server::{Api, Setup},
};

const HOST: &str = "docs.example.com";
const GOLDEN: &str = "- question: When do keys expire?\n  pages: [guides/start]\n";

async fn kind(address: &str, question: &str) -> String {
    Answer::whole(hosted::ask(address, HOST, question).await).await.kind().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn gap_becomes_a_merged_pull_request() {
    let page = "---\ntitle: Zebra race\n---\n\n## Winner\n\nStripes won the zebra race.\n";
    let golden = format!("{GOLDEN}- question: Who won the zebra race?\n  pages: [guides/zebra]\n");
    let (model, requests) = scripted(vec![
        ("write", json!({ "path": "guides/zebra.mdx", "text": page })),
        ("navigation", json!({ "action": "add", "page": "guides/zebra", "group": "Guides" })),
        ("write", json!({ "path": ".docwright/questions.yaml", "text": golden })),
        ("finish", json!({ "summary": "Say who won the zebra race" })),
    ])
    .await;
    let write = |folder: &std::path::Path| {
        write_docs(folder);
        fs::create_dir(folder.join(".docwright")).unwrap();
        fs::write(folder.join(".docwright/questions.yaml"), GOLDEN).unwrap();
    };
    let setup = Setup::built_in(write, &["--model", "openai-chat:tiny"]);
    let urls = format!("openai-chat={model}");
    let process = setup.serve_with(&[("DOCWRIGHT_AGENT_URLS", &urls)]);
    let key = setup.new_key(&["--scope", "admin"]);
    let api = Api { key, ..setup.api(&process) };
    hosted::switch(&api, &setup.project, "on").await;
    hosted::publish(&api, HOST).await;
    hosted::answers(&process.address, HOST, true).await;

    // Two readers ask the same, and a third one something else.
    for question in
        ["Who won the zebra race?", "winner of the zebra race", "What about Kubernetes?"]
    {
        assert_eq!(kind(&process.address, question).await, "refused", "{question}");
    }
    let get = async |path: String| -> Value {
        api.send(Method::GET, &path, None).await.json().await.unwrap()
    };
    let list = format!("/v1/analytics/{}/gaps", setup.project);
    let gaps = eventually("the questions are written", async || {
        let gaps = get(list.clone()).await;
        if gaps["questionCount"] == 3 { Ok(gaps) } else { Err(gaps) }
    })
    .await;
    assert_eq!((&gaps["total"], &gaps["gaps"][0]["count"]), (&json!(2), &json!(2)), "{gaps}");
    let gap = &gaps["gaps"][0];
    assert_eq!((&gap["refused"], &gap["notHelpful"]), (&json!(2), &json!(0)));
    let none = get(format!("{list}?dateTo=2026-01-01")).await;
    assert_eq!((&none["gaps"], &none["questionCount"]), (&json!([]), &json!(0)));

    let prompt = gap["prompt"].as_str().unwrap();
    let job = api.prompt(&setup.project, prompt).await;
    let job = api.finished(&setup.project, job["id"].as_str().unwrap()).await;
    assert_eq!(job["status"], "completed", "{job}");
    let asked = requests.lock().unwrap()[0]["messages"].to_string();
    for part in ["Who won the zebra race?", "winner of the zebra race", "Don't invent facts"] {
        assert!(asked.contains(part), "{part}: {asked}");
    }
    assert!(!asked.contains("Kubernetes"), "another gap has another job");

    // The pull request shows what it does to the golden questions.
    let pull = format!("/v1/projects/{}/pull-requests/1", setup.project);
    eventually("the golden questions are compared", async || {
        let found = get(pull.clone()).await;
        let text = found["comments"][0].as_str().unwrap_or_default().to_owned();
        let passes = "1 question found its page. 2 of 2 questions pass.";
        if text.contains(passes) { Ok(()) } else { Err(found) }
    })
    .await;
    let merged = api.send(Method::POST, &format!("{pull}/merge"), None).await;
    assert_eq!(merged.status(), 200);
    hosted::serves(&process.address, HOST, "/guides/zebra").await;
    assert_eq!(kind(&process.address, "Who won the zebra race?").await, "extract");
}
