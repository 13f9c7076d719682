//! An external agent, over the Agent Client Protocol.

use serde_json::{Value, json};

use super::{Running, mocks, write_site};
use crate::server::Setup;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn external_agent_works_under_the_same_rules() {
    let command = format!("test=node {}", mocks::script("external.mjs"));
    let setup = Setup::built_in(write_site, &["--model", "acp:test"]);
    let variables =
        [("DOCWRIGHT_AGENT_COMMANDS", command.as_str()), ("DOCWRIGHT_AGENT_KEYS", "openai=secret")];
    let running = Running::with(setup, &variables);
    let job = running.work("write a page").await;
    assert_eq!(job["status"], "completed", "{job}");
    assert_eq!(job["filesChanged"], json!(["docs.json", "new.mdx", "page-2.mdx"]));
    assert_eq!(job["summary"], "Fix the link", "the check's diagnostics were sent to the agent");
    let asked = running.work("ask for everything").await;
    let summary = asked["summary"].as_str().unwrap();
    let said = "No file was changed: edit yes, execute no, fetch no, refused, refused, no secrets";
    assert!(summary.starts_with(said), "{summary}");
    let refused = asked["refused"].as_array().unwrap();
    let tools: Vec<_> = refused.iter().map(|call| call["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["execute", "fetch"], "{asked}");
    let escaped = running.work("escape now").await;
    assert_eq!(escaped["filesChanged"], json!([]), "{escaped}");
    let reason = escaped["refused"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("`.hidden` is a hidden file"), "{escaped}");
    let crashed = running.work("crash now").await;
    assert_eq!(crashed["status"], "failed", "{crashed}");
    assert!(crashed["error"].as_str().unwrap().contains("external agent failed"), "{crashed}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn external_agent_accesses_only_its_copy() {
    let command = format!("test=node {}", mocks::script("external.mjs"));
    let setup = Setup::built_in(write_site, &["--model", "acp:test"]);
    let variables = [
        ("DOCWRIGHT_AGENT_COMMANDS", command.as_str()),
        ("DOCWRIGHT_AGENT_ENVIRONMENT", "LISTED"),
        ("LISTED", "passed on"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("PGPASSWORD", "secret"),
        ("GITHUB_TOKEN", "secret"),
    ];
    let running = Running::with(setup, &variables);
    let (data, home) = (running.setup.data(), running.setup.folder.path().join("home"));
    std::fs::create_dir(&home).unwrap();
    std::fs::write(home.join("x"), "of another user").unwrap();
    let task = json!({
        "readable": {
            "the database": data.join("docwright.db"),
            "the root secret": data.join("root-secret"),
            "a repository": data.join(format!("git/{}.git/HEAD", running.setup.project)),
            "another home": home.join("x"),
        },
        "writable": { "the data folder": data.join("x"), "another home": home.join("y") },
        "address": running.process.address,
    });
    for path in task["readable"].as_object().unwrap().values() {
        assert!(
            std::fs::exists(path.as_str().unwrap()).unwrap(),
            "{path} doesn't exist, so this tests nothing"
        );
    }
    let job = running.work(&format!("trespass {task}")).await;
    let summary = job["summary"].as_str().unwrap();
    let said = summary.strip_prefix("No file was changed: ").expect("the agent changed no file");
    let results: Value = serde_json::from_str(said).unwrap();
    let expected = json!({
        "read the database": "EACCES",
        "read the root secret": "EACCES",
        "read a repository": "EACCES",
        "read another home": "EACCES",
        "write the data folder": "EACCES",
        "write another home": "EACCES",
        "read the server's environment": "EACCES",
        "signal the server": "EPERM",
        "read its own file": "done",
        "write to its home": "done",
        "write to its temporary folder": "done",
        "run a program": "done",
        "use the network": "done",
        "variables": ["LISTED"],
    });
    assert_eq!(results, expected);
}
