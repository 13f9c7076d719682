//! Jobs on GitHub Enterprise. A mock checks requests with GitHub's own API spec; git is real.

use std::{path::Path, process::Command};

use serde_json::{Value, json};

use super::{Running, mocks::Mock, write_site};
use crate::server::Setup;

const TOKEN: &str = "github-test-token";

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "user.name=T", "-c", "user.email=t@example.com"]);
    let output = command.args(arguments).output().expect("git runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

struct Hub {
    folder: tempfile::TempDir,
    mock: Mock,
    running: Running,
}

impl Hub {
    /// Starts a service whose operator has a token for the host.
    fn start() -> Self {
        Self::with(|host| vec![("DOCWRIGHT_GIT_TOKENS", format!("{host}={TOKEN}"))])
    }

    /// Starts a service with more variables, which can depend on the host's name.
    fn with(variables: impl Fn(&str) -> Vec<(&'static str, String)>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (work, bare) = (folder.path().join("work"), folder.path().join("acme/docs.git"));
        write_site(&work);
        git(&work, &["init", "--quiet", "--initial-branch", "trunk"]);
        git(&work, &["add", "--all"]);
        git(&work, &["commit", "--quiet", "--message", "Start"]);
        std::fs::create_dir_all(bare.parent().unwrap()).unwrap();
        let paths = [work.display().to_string(), bare.display().to_string()];
        git(folder.path(), &["clone", "--quiet", "--bare", &paths[0], &paths[1]]);
        let mock = Mock::start("github.mjs", &[&folder.path().display().to_string(), TOKEN]);
        let host = mock.address.trim_start_matches("http://").to_owned();
        let setup = Setup::at_address(&format!("{}/acme/docs.git", mock.address));
        let mut all = vec![
            ("DOCWRIGHT_GIT_HOSTS", format!("{host}=github")),
            ("DOCWRIGHT_LEASE_SECONDS", "2".to_owned()),
        ];
        all.extend(variables(&host));
        let all: Vec<_> = all.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let running = Running::with(setup, &all);
        Self { folder, mock, running }
    }

    async fn ask(&self, path: &str) -> Value {
        reqwest::get(format!("{}{path}", self.mock.address)).await.unwrap().json().await.unwrap()
    }

    /// Requests that GitHub received. All must be valid.
    async fn journal(&self) -> Value {
        let journal = self.ask("/journal").await;
        for request in journal["requests"].as_array().unwrap() {
            assert_eq!(request["valid"], true, "{request}");
        }
        journal
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn agent_job_opens_one_pull_request_for_all_prompts() {
    let hub = Hub::start();
    let job = hub.running.work("add page new titled New").await;
    assert_eq!(job["status"], "completed", "{job}");
    assert_eq!(job["prLink"], "https://github.example/acme/docs/pull/1");
    assert!(!job.to_string().contains(TOKEN));
    let body = json!({ "prompt": "replace New with Newer" });
    let path = hub.running.path(&job, "/message");
    assert_eq!(hub.running.api.send(reqwest::Method::POST, &path, Some(body)).await.status(), 200);
    let again = hub.running.finish(&job).await;
    assert_eq!(
        (&again["status"], &again["prLink"]),
        (&json!("completed"), &job["prLink"]),
        "{again}"
    );
    let journal = hub.journal().await;
    assert_eq!(journal["pulls"].as_array().unwrap().len(), 1);
    assert_eq!(journal["pulls"][0]["base"], "trunk");
    let text = journal["pulls"][0]["body"].as_str().unwrap();
    assert!(
        text.contains("> add page new")
            && text.contains("> replace New with")
            && text.contains("## Check"),
        "{text}"
    );
    assert_eq!(journal["pulls"][0]["title"], "Add page new", "a follow-up keeps the title");
    let bare = hub.folder.path().join("acme/docs.git");
    let branch = format!("trunk..docwright/job-{}", job["id"].as_str().unwrap());
    assert_eq!(git(&bare, &["rev-list", "--count", &branch]), "2");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn follow_up_is_refused_if_pull_request_is_closed_or_host_is_away() {
    let hub = Hub::start();
    let job = hub.running.work("add page new titled New").await;
    assert_eq!(job["status"], "completed", "{job}");
    let (message, show) = (hub.running.path(&job, "/message"), hub.running.path(&job, ""));
    let api = &hub.running.api;
    let send = async || {
        let body = json!({ "prompt": "replace New with Newer" });
        api.send(reqwest::Method::POST, &message, Some(body)).await
    };
    hub.ask("/fail?status=500&times=99").await;
    let away = send().await;
    assert_eq!(away.status(), 503);
    assert!(away.headers().contains_key("retry-after"));
    hub.ask("/fail?status=0&times=0").await;
    hub.ask("/close?number=1").await;
    let closed = send().await;
    assert_eq!(closed.status(), 409);
    let said: Value = closed.json().await.unwrap();
    assert!(said["error"].as_str().unwrap().contains("closed or merged"), "{said}");
    let after: Value = api.send(reqwest::Method::GET, &show, None).await.json().await.unwrap();
    assert_eq!(after, job, "the job didn't change");
    let sql = "SELECT COUNT(*) FROM agent_messages";
    let prompts: i64 = sqlx::query_scalar(sql).fetch_one(&hub.running.pool().await).await.unwrap();
    assert_eq!(prompts, 1, "only the first prompt counts");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn failing_host_is_retried_or_reported() {
    let hub = Hub::start();
    // A transient error, a lost connection, and refusals, one after another.
    for (status, times, reason) in [
        (500, 2, None),
        (429, 2, None),
        (0, 2, None),
        (401, 9, Some("token is wrong")),
        (403, 9, Some("needs write access")),
        (404, 9, Some("doesn't exist")),
        (422, 9, Some("422")),
        (409, 9, Some("409")),
    ] {
        hub.ask(&format!("/fail?status={status}&times={times}")).await;
        let prompt = format!("add page failed-{status} titled \"Page {status}\"");
        let job = hub.running.work(&prompt).await;
        match reason {
            None => assert_eq!(job["status"], "completed", "{status}: {job}"),
            Some(reason) => {
                assert_eq!(job["status"], "failed", "{status}: {job}");
                assert!(job["error"].as_str().unwrap().contains(reason), "{status}: {job}");
            }
        }
        hub.ask("/fail?status=0&times=0").await;
    }
    hub.journal().await;
}

/// The operator has no token for the host; the project has its own credentials.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn private_repository_is_exported_with_credentials_of_its_project() {
    let hub = Hub::with(|_| Vec::new());
    let Running { setup, api, .. } = &hub.running;
    let id = api.start_export().await;
    let refused = api.wait_for(&id, &["completed", "failed"]).await;
    assert_eq!(refused["status"], "failed", "no credential can read the repository: {refused}");
    let host = hub.mock.address.trim_start_matches("http://");
    let arguments = ["credential", "set", host, "--project", &setup.project];
    setup.admin_with(&arguments, &format!("{TOKEN}\n"));
    let id = api.start_export().await;
    let job = api.wait_for(&id, &["completed", "failed"]).await;
    assert_eq!((&job["status"], &job["pageCount"]), (&json!("completed"), &json!(3)), "{job}");
    let list = setup.admin(&["credential", "list", "--organization", &setup.organization]);
    assert_eq!(list[0]["host"], host);
    assert!(!list.to_string().contains(TOKEN));
    // Pull requests are opened with the same credentials.
    let job = hub.running.work("add page new titled New").await;
    assert_eq!(job["status"], "completed", "{job}");
    assert!(!job.to_string().contains(TOKEN));
    hub.journal().await;
}
