//! Reports to git hosts about releases.

use docwright_testing::wait::eventually;
use serde_json::{Value, json};

use super::{Hub, Running};
use crate::server::git;

/// Polls often, so that pushes are found quickly.
const OFTEN: (&str, &str) = ("DOCWRIGHT_POLL_SECONDS", "1");

/// Waits until the reports on a commit match a condition. Returns all of them.
async fn reported(hub: &Hub, commit: &str, holds: impl Fn(&Value) -> bool) -> Vec<Value> {
    eventually("it was reported to GitHub", async || {
        let journal = hub.ask("/journal").await;
        let of_commit = |each: &&Value| each["sha"] == commit || each["head_sha"] == commit;
        let both = ["statuses", "checks"].map(|name| journal[name].as_array().unwrap().clone());
        let all: Vec<_> = both.iter().flatten().filter(of_commit).cloned().collect();
        if all.last().is_some_and(&holds) { Ok(all) } else { Err(journal) }
    })
    .await
}

fn is(state: &str) -> impl Fn(&Value) -> bool {
    move |reported| reported["state"] == state || reported["conclusion"] == state
}

async fn release(running: &Running, status: &str) {
    let sql = format!("SELECT COUNT(*) FROM releases WHERE status = '{status}'");
    let what = format!("a release is {status}");
    eventually(&what, async || running.number(&sql).await > 0).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn commit_status_shows_result_and_new_diagnostics() {
    let hub = Hub::start();
    let running = hub.serve(&[OFTEN]);
    let first = hub.push("A [link](/gone).");
    let all = reported(&hub, &first, is("success")).await;
    // A build can finish before its first report.
    let states = ["pending", "success"];
    assert!(all.iter().all(|each| states.contains(&each["state"].as_str().unwrap())), "{all:?}");
    let last = all.last().unwrap();
    assert_eq!(last["context"], "docwright/docs.example.com");
    assert_eq!(last["target_url"], "http://docs.example.com");
    // The link moves to another line, and another diagnostic appears.
    let second = hub.push("Words before.\n\nA [link](/gone) and [another](/missing).");
    let last = reported(&hub, &second, is("success")).await.pop().unwrap();
    let text = last["description"].as_str().unwrap();
    assert!(text.contains("1 new error. page-0.mdx:7: ") && text.contains("/missing"), "{text}");
    assert!(!text.contains("/gone"), "{text}");
    let third = hub.push("More words before.\n\nA [link](/gone) and [another](/missing).");
    let last = reported(&hub, &third, is("success")).await.pop().unwrap();
    assert!(last["description"].as_str().unwrap().contains("no new diagnostics"), "{last}");
    // The commit doesn't change the docs root.
    let work = hub.folder.path().join("work");
    git(&work, &["commit", "--quiet", "--allow-empty", "--message", "Nothing"]);
    git(&work, &["push", "--quiet", &hub.bare().display().to_string(), "HEAD:trunk"]);
    let fourth = git(&work, &["rev-parse", "HEAD"]);
    let last = reported(&hub, &fourth, is("success")).await.pop().unwrap();
    assert_eq!(last["description"], "No pages changed.");
    // A failed build leaves the site unchanged.
    git(&work, &["rm", "--quiet", "docs.json"]);
    git(&work, &["commit", "--quiet", "--message", "Break it"]);
    git(&work, &["push", "--quiet", &hub.bare().display().to_string(), "HEAD:trunk"]);
    let fifth = git(&work, &["rev-parse", "HEAD"]);
    let last = reported(&hub, &fifth, |reported| {
        reported["state"] == "failure" || reported["state"] == "success"
    })
    .await;
    let last = last.last().unwrap();
    assert_eq!(last["state"], "failure", "{last}");
    assert!(last["description"].as_str().unwrap().starts_with("The build failed: "), "{last}");
    running.shows("page-0", "More words before.").await;
    hub.journal().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn app_annotates_lines_of_new_diagnostics() {
    let hub = Hub::start();
    let key = hub.folder.path().join("app.pem").display().to_string();
    let app = [
        OFTEN,
        ("DOCWRIGHT_GITHUB_APP", "12"),
        ("DOCWRIGHT_GITHUB_APP_KEY", key.as_str()),
        ("DOCWRIGHT_GIT_TOKENS", "other.example=x"),
    ];
    let _running = hub.serve(&app);
    let first = hub.push("Good words.");
    reported(&hub, &first, is("success")).await;
    let second = hub.push("A [link](/gone).");
    let run = reported(&hub, &second, is("success")).await.pop().unwrap();
    assert_eq!(
        (&run["status"], &run["details_url"]),
        (&json!("completed"), &json!("http://docs.example.com"))
    );
    let annotation = &run["output"]["annotations"][0];
    assert_eq!((&annotation["path"], &annotation["start_line"]), (&json!("page-0.mdx"), &json!(5)));
    assert_eq!(run["output"]["annotations"].as_array().unwrap().len(), 1);
    hub.journal().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn host_outage_delays_status_and_fails_no_release() {
    let hub = Hub::start();
    hub.ask("/fail?status=503&times=5").await;
    let running = hub.serve(&[OFTEN]);
    let commit = git(&hub.bare(), &["rev-parse", "trunk"]);
    running.shows("page-0", "Text of page-0").await;
    release(&running, "ready").await;
    reported(&hub, &commit, is("success")).await;
    // No unnecessary reports are sent.
    hub.ask("/fail?status=429&times=1&after=3").await;
    let next = hub.push("Later words.");
    let all = reported(&hub, &next, is("success")).await;
    assert!(all.len() <= 2, "{all:?}");
    // A refusal is shown in the dashboard and changes nothing else.
    hub.ask("/fail?status=403&times=100").await;
    hub.push("Last words.");
    running.shows("page-0", "Last words.").await;
    let refused =
        "SELECT COUNT(*) FROM reports WHERE status = 'idle' AND error LIKE '%commit statuses%'";
    eventually("the refusal is kept", async || running.number(refused).await > 0).await;
}
