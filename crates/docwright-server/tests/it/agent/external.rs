//! An external agent, over the Agent Client Protocol.

use serde_json::json;

use super::{Running, mocks, write_site};
use crate::server::Setup;

#[tokio::test(flavor = "multi_thread")]
async fn an_external_agent_works_under_the_same_rules() {
    let command = format!("test=node {}", mocks::script("external.mjs"));
    let setup = Setup::built_in(write_site, &["--model", "acp:test"]);
    let variables =
        [("DOCWRIGHT_AGENT_COMMANDS", command.as_str()), ("DOCWRIGHT_AGENT_KEYS", "openai=secret")];
    let running = Running::with(setup, &variables);
    let job = running.work("write a page").await;
    assert_eq!(job["status"], "completed", "{job}");
    assert_eq!(job["filesChanged"], json!(["docs.json", "new.mdx", "page-2.mdx"]));
    assert_eq!(job["summary"], "Fix the link", "it was asked to fix what the check found");
    let asked = running.work("ask for everything").await;
    assert_eq!(asked["summary"], "edit yes, execute no, fetch no, refused, refused, no secrets");
    for (prompt, reason) in [("escape now", "hidden file"), ("crash now", "external agent failed")]
    {
        let job = running.work(prompt).await;
        assert_eq!(job["status"], "failed", "{prompt}: {job}");
        assert!(job["error"].as_str().unwrap().contains(reason), "{prompt}: {job}");
    }
}
