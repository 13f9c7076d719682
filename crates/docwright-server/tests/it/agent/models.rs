//! Models of others, over the wire: good ones, slow ones, and those that go astray.

use serde_json::{Value, json};

use super::{Running, mocks::Mock, write_site};
use crate::server::Setup;

fn with_model(model: &str, mock: &Mock) -> Running {
    let setup = Setup::built_in(write_site, &["--model", model]);
    // The address as each provider's own clients take it.
    let urls = format!("openai={0}/v1,anthropic={0}", mock.address);
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
    // Seven answers of 7 and 3 tokens, at the price of the model.
    assert_eq!((&usage["inputTokens"], &usage["outputTokens"]), (&json!(49), &json!(21)));
    assert!(usage["cost"].as_f64().is_some_and(|cost| cost > 0.0), "{usage}");
    let page = running.api.client.get(job["prLink"].as_str().unwrap());
    let page = page.basic_auth("me", Some(&running.setup.key)).send().await.unwrap();
    assert!(
        page.text().await.unwrap().contains("+See [the other](/page-1)."),
        "the check made it fix the link"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn openai_writes_a_page() {
    a_model_writes_a_page("openai:gpt-5.2").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn anthropic_writes_a_page() {
    a_model_writes_a_page("anthropic:claude-sonnet-4-5").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn models_that_go_astray_end_with_a_reason() {
    let mock = Mock::start("models.mjs", &[]);
    let running = with_model("openai:gpt-5.2", &mock);
    let outside = running.setup.data();
    for (prompt, status, expected) in [
        ("loop forever", "failed", "over and over"),
        ("wander about", "failed", "there is no tool `shell`"),
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
    }
    assert!(
        !outside.join("outside.mdx").exists() && !outside.join("work/jobs/outside.mdx").exists()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_without_a_key_fails_and_says_so() {
    let running = Running::with(Setup::built_in(write_site, &["--model", "anthropic:x"]), &[]);
    let job = running.work("anything").await;
    assert_eq!(job["status"], "failed");
    assert!(job["error"].as_str().unwrap().contains("no key for `anthropic`"), "{job}");
}
