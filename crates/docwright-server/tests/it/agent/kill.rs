//! A process that dies in the middle of an agent job loses nothing and does nothing twice.

use serde_json::{Value, json};

use super::{Running, write_site};
use crate::server::Setup;

/// Kills of each kind: 30 in all.
const KILLS: usize = 6;

async fn killed_after(step: &'static str) {
    let setup = Setup::built_in(write_site, &[]);
    for round in 0..KILLS {
        let fragile = [("DOCWRIGHT_ABORT_AFTER", step), ("DOCWRIGHT_LEASE_SECONDS", "1")];
        let mut process = setup.serve_with(&fragile);
        let api = setup.api(&process);
        let prompt = format!("add page page-{step}-{round} titled \"New\"");
        let job = api.prompt(&setup.project, &prompt).await;
        process.wait();
        let process = setup.serve_with(&[("DOCWRIGHT_LEASE_SECONDS", "1")]);
        let api = setup.api(&process);
        let ended = api.finished(&setup.project, job["id"].as_str().unwrap()).await;
        assert_eq!(ended["status"], "completed", "{step}: {ended}");
        let link = ended["prLink"].as_str().unwrap();
        assert!(link.ends_with(&format!("/pull/{}", round + 1)), "{step}: {link}");
    }
    let branches = std::process::Command::new("git")
        .arg("-C")
        .arg(setup.data().join("git").join(format!("{}.git", setup.project)))
        .args(["for-each-ref", "--format=%(refname)", "refs/heads/docwright"])
        .output()
        .expect("git runs");
    let branches = String::from_utf8_lossy(&branches.stdout).lines().count();
    assert_eq!(branches, KILLS, "{step}: a branch a job");
    let running = Running::with(setup, &[]);
    let path = format!("/v2/agent/{}/jobs", running.setup.project);
    let list: Value =
        running.api.send(reqwest::Method::GET, &path, None).await.json().await.unwrap();
    let links: std::collections::BTreeSet<_> =
        list["jobs"].as_array().unwrap().iter().map(|job| job["prLink"].to_string()).collect();
    assert_eq!((list["jobs"].as_array().unwrap().len(), links.len()), (KILLS, KILLS));
    assert_eq!(list["nextCursor"], json!(null));
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_clone() {
    killed_after("cloned").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn in_the_middle_of_the_work() {
    killed_after("worked").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_commit() {
    killed_after("committed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_push() {
    killed_after("pushed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_pull_request() {
    killed_after("pull_request").await;
}
