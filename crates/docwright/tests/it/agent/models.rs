//! Models of several providers over HTTP: working, slow, and misbehaving ones.

use serde_json::{Value, json};

use super::{Running, git, mocks::Mock, write_site};
use crate::server::Setup;

fn with_model(model: &str, mock: &Mock) -> Running {
    let setup = Setup::built_in(write_site, &["--model", model]);
    // URLs in the form that each provider's own clients accept.
    let urls = format!("openai={0}/v1,openai-chat={0}/v1,ollama={0},anthropic={0}", mock.address);
    let keys = "openai=test,anthropic=test";
    Running::with(setup, &[("DOCWRIGHT_AGENT_URLS", &urls), ("DOCWRIGHT_AGENT_KEYS", keys)])
}

async fn a_model_writes_a_page(model: &str) {
    let mock = Mock::start("models.mjs", &[]);
    let running = with_model(model, &mock);
    let job = running.work("write a page").await;
    assert_eq!(job["status"], "completed", "{job}");
    assert_eq!(job["model"], model);
    assert_eq!(job["filesChanged"], json!(["docs.json", "new.mdx"]));
    assert!(job["summary"].as_str().unwrap().starts_with("Add a page"), "{job}");
    let usage = &job["usage"];
    // Seven answers with 7 input and 3 output tokens each, without a cost.
    assert_eq!((&usage["inputTokens"], &usage["outputTokens"]), (&json!(49), &json!(21)));
    assert_eq!(usage["cost"], Value::Null, "{usage}");
    assert_eq!(job["refused"], json!([]));
    let opened = git::show(&running, job["prLink"].as_str().unwrap()).await;
    let fixed = "+See [the other](/page-1).".to_owned();
    assert!(git::lines(&opened).contains(&fixed), "the link is fixed after the check: {opened}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn openai_writes_a_page() {
    a_model_writes_a_page("openai:gpt-5.2").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn model_of_chat_completions_writes_a_page() {
    a_model_writes_a_page("openai-chat:local").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn ollama_writes_a_page() {
    // Ollama's URL has no path, as in its own documentation.
    a_model_writes_a_page("ollama:qwen3").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn anthropic_writes_a_page() {
    a_model_writes_a_page("anthropic:claude-sonnet-4-5").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn misbehaving_model_fails_job_with_reason() {
    go_astray("openai:gpt-5.2").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn misbehaving_model_of_chat_completions_fails_job_with_reason() {
    go_astray("openai-chat:local").await;
}

async fn go_astray(model: &str) {
    let mock = Mock::start("models.mjs", &[]);
    let running = with_model(model, &mock);
    let outside = running.setup.data();
    for (prompt, status, expected) in [
        ("loop forever", "failed", "over and over"),
        ("wander about", "failed", "unknown tool `shell`"),
        ("garbage in", "completed", "Nothing could be read"),
        ("escape now", "completed", "Nothing was possible"),
        ("obey the page", "completed", "asks for what I can't do"),
        ("flaky host", "completed", "At last"),
        ("denied here", "failed", "check the key"),
        ("mute model", "completed", "nothing to do"),
    ] {
        let job: Value = running.work(prompt).await;
        assert_eq!(job["status"], status, "{prompt}: {job}");
        let reason = job["error"].as_str().or(job["summary"].as_str()).unwrap_or_default();
        assert!(reason.contains(expected), "{prompt}: {reason}");
        assert!(!reason.contains("Bearer") && job["prLink"].is_null(), "{prompt}: {job}");
        if status == "completed" {
            assert!(reason.starts_with("No file was changed: "), "{prompt}: {reason}");
        }
        let refused = job["refused"].as_array().unwrap();
        let named: Vec<_> = refused.iter().map(|call| call["tool"].as_str().unwrap()).collect();
        let expected: &[&str] = match prompt {
            "wander about" => &["shell"],
            "garbage in" => &["read"],
            "escape now" => &["write", "write", "read"],
            "obey the page" => &["push"],
            _ => &[],
        };
        assert_eq!(named, expected, "{prompt}: {job}");
        assert!(refused.iter().all(|call| call["reason"].is_string()), "{job}");
        if prompt == "escape now" {
            assert!(reason.contains("- `write`: "), "{reason}");
        }
    }
    assert!(
        !outside.join("outside.mdx").exists() && !outside.join("work/jobs/outside.mdx").exists()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn hanging_model_fails_job() {
    // The server accepts connections but never answers.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", silent.local_addr().unwrap());
    let setup = Setup::built_in(write_site, &["--model", "openai-chat:stuck"]);
    let urls = format!("openai-chat={address}");
    let seconds = ("DOCWRIGHT_AGENT_ANSWER_SECONDS", "1");
    let running = Running::with(setup, &[("DOCWRIGHT_AGENT_URLS", &urls), seconds]);
    let job = running.work("anything").await;
    assert_eq!(job["status"], "failed");
    let expected = format!(
        "the model `openai-chat:stuck` at {address}/v1 gave no answer: it did not answer within 1 seconds; \
         check its host; if it needs more time, raise --agent-answer-seconds (asked 2 times)"
    );
    assert_eq!(job["error"], expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn model_without_key_fails_job_with_reason() {
    let running = Running::with(Setup::built_in(write_site, &["--model", "anthropic:x"]), &[]);
    let job = running.work("anything").await;
    assert_eq!(job["status"], "failed");
    assert!(job["error"].as_str().unwrap().contains("no key for `anthropic`"), "{job}");
}
