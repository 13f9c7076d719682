//! Requests and reports to GitHub. A mock checks each request with GitHub's own API spec.

use std::{path::Path, time::Duration};

use docwright_repository::git_hosts::{Annotation, Comment, CommitState, CommitStatus, GitHost};
use serde_json::json;

use super::Hub;
use crate::server::git;

fn head(repository: &Path, name: &str) -> String {
    git(repository, &["rev-parse", name])
}

fn status(commit: &str, state: CommitState, diagnostics: u32) -> CommitStatus {
    let annotation = |line| Annotation {
        path: "docs/page-0.mdx".to_owned(),
        line,
        is_error: line % 2 == 0,
        code: "broken-link".to_owned(),
        message: "broken link to `/gone`".to_owned(),
    };
    CommitStatus {
        commit: commit.to_owned(),
        state,
        context: "docwright/docs.example.com".to_owned(),
        description: format!("{diagnostics} new diagnostics. {}", "x".repeat(200)),
        target_url: Some("https://docs.example.com".to_owned()),
        annotations: (0..diagnostics).map(annotation).collect(),
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn commit_statuses_are_set_with_token() {
    let hub = Hub::start();
    let git_hosts = hub.git_hosts(false);
    let commit = head(&hub.bare(), "trunk");
    for state in
        [CommitState::Pending, CommitState::Success, CommitState::Failure, CommitState::Skipped]
    {
        git_hosts.set_status(&status(&commit, state, 3)).await.unwrap();
    }
    let journal = hub.journal().await;
    let states: Vec<_> =
        journal["statuses"].as_array().unwrap().iter().map(|each| &each["state"]).collect();
    assert_eq!(states, ["pending", "success", "failure", "success"]);
    let first = &journal["statuses"][0];
    assert_eq!(
        (&first["sha"], &first["context"]),
        (&json!(commit), &json!("docwright/docs.example.com"))
    );
    assert_eq!(first["description"].as_str().unwrap().chars().count(), 140);
    assert_eq!(journal["checks"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn app_creates_check_runs_with_annotations() {
    let hub = Hub::start();
    let git_hosts = hub.git_hosts(true);
    let commit = head(&hub.bare(), "trunk");
    git_hosts.set_status(&status(&commit, CommitState::Pending, 0)).await.unwrap();
    let done = status(&commit, CommitState::Failure, 60);
    for _ in 0..3 {
        git_hosts.set_status(&done).await.unwrap();
    }
    let journal = hub.journal().await;
    let checks = journal["checks"].as_array().unwrap();
    assert_eq!(checks.len(), 1, "one check run, changed in place");
    assert_eq!(
        (&checks[0]["status"], &checks[0]["conclusion"]),
        (&json!("completed"), &json!("failure"))
    );
    let annotations = checks[0]["output"]["annotations"].as_array().unwrap();
    assert_eq!(annotations.len(), 50, "GitHub's limit for one request");
    assert_eq!(
        (&annotations[0]["start_line"], &annotations[2]["start_line"]),
        (&json!(1), &json!(2))
    );
    // A later result updates the first check run, whose annotations would stay otherwise.
    git_hosts.set_status(&status(&commit, CommitState::Success, 1)).await.unwrap();
    let journal = hub.journal().await;
    let checks = journal["checks"].as_array().unwrap();
    assert_eq!((checks.len(), &checks[1]["conclusion"]), (2, &json!("success")));
    assert_eq!(journal["statuses"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn comment_is_created_once_and_found_again() {
    let hub = Hub::start();
    let git_hosts = hub.git_hosts(false);
    let comment =
        |body: &str| Comment { marker: "docwright:prj_1".to_owned(), body: body.to_owned() };
    // Many other comments exist.
    for number in 0..70 {
        let other = Comment { marker: format!("other:{number}"), body: "Hello".to_owned() };
        git_hosts.set_comment(7, None, &other).await.unwrap();
    }
    let id = git_hosts.set_comment(7, None, &comment("one")).await.unwrap();
    assert_eq!(git_hosts.set_comment(7, Some(&id), &comment("two")).await.unwrap(), id);
    assert_eq!(
        git_hosts.set_comment(7, None, &comment("three")).await.unwrap(),
        id,
        "the id was lost"
    );
    assert_eq!(
        git_hosts.set_comment(7, Some("999"), &comment("four")).await.unwrap(),
        id,
        "the id was wrong"
    );
    let journal = hub.journal().await;
    let comments = journal["comments"].as_array().unwrap();
    assert_eq!(comments.len(), 71);
    assert_eq!(comments[70]["body"], "four\n\n<!-- docwright:prj_1 -->");
    let other = git_hosts.set_comment(8, None, &comment("elsewhere")).await.unwrap();
    assert_ne!(other, id, "each pull request has its own comment");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn open_pull_requests_are_listed_with_those_of_forks() {
    let hub = Hub::start();
    let git_hosts = hub.git_hosts(false);
    assert_eq!(git_hosts.pull_requests().await.unwrap(), []);
    let bare = hub.bare();
    let trunk = head(&bare, "trunk");
    git(&bare, &["update-ref", "refs/heads/topic", &trunk]);
    for number in 1..=52 {
        git(&bare, &["update-ref", &format!("refs/pull/{number}/head"), &trunk]);
        let owner = if number == 2 { "stranger" } else { "acme" };
        hub.ask(&format!("/pull?number={number}&head=topic&owner={owner}")).await;
    }
    let open = git_hosts.pull_requests().await.unwrap();
    assert_eq!(open.len(), 52, "the list has more than one page");
    let (own, fork) = (&open[0], &open[1]);
    assert_eq!((own.number, own.is_fork, own.git_ref.as_str()), (1, false, "refs/pull/1/head"));
    assert_eq!((fork.is_fork, fork.author.as_str(), &fork.fork), (true, "stranger", &None));
    assert_eq!((&fork.head_branch, &fork.base_branch), (&"topic".to_owned(), &"trunk".to_owned()));
    assert_eq!(fork.head_commit, trunk);
    hub.journal().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn requested_pause_of_host_is_kept() {
    let hub = Hub::start();
    let git_hosts = hub.git_hosts(false);
    let commit = head(&hub.bare(), "trunk");
    hub.ask("/fail?status=429&times=1&after=600").await;
    let error = git_hosts.set_status(&status(&commit, CommitState::Success, 0)).await.unwrap_err();
    assert!(error.is_transient, "{error}");
    assert_eq!(error.retry_after, Some(Duration::from_mins(10)));
    assert_eq!(
        hub.journal().await["requests"].as_array().unwrap().len(),
        1,
        "the host got no further request"
    );
    // GitHub reports an exhausted rate limit with a 403.
    let until = std::time::SystemTime::now() + Duration::from_mins(5);
    let until = until.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    hub.ask(&format!("/fail?status=403&times=1&reset={until}")).await;
    let error = git_hosts.set_status(&status(&commit, CommitState::Success, 0)).await.unwrap_err();
    let wait = error.retry_after.unwrap();
    assert!(error.is_transient && wait > Duration::from_mins(4) && wait <= Duration::from_mins(5));
}
