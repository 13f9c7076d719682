//! An export in the log, followed by its ids; and data that the log never contains.

use std::path::Path;

use docwright_testing::wait::eventually;
use reqwest::{Client, Method};
use serde_json::{Value, json};

use super::Logged;
use crate::{
    agent::write_site,
    server::{Api, Setup, docwright, git, write_repository},
};

fn write_git_repository(folder: &Path) {
    write_repository(folder, 2);
    for arguments in
        [&["init", "--quiet"][..], &["add", "--all"], &["commit", "--quiet", "-m", "x"]]
    {
        git(folder, arguments);
    }
}

/// Lines with the same value of a field.
fn with<'a>(lines: &'a [Value], field: &str, value: &str) -> Vec<&'a Value> {
    lines.iter().filter(|line| line[field] == value).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn log_follows_export_from_request_to_end() {
    let setup = Setup::with_repository(write_git_repository);
    let service = Logged::start(setup.service(&[]), "debug");
    let api = setup.api(&service.process);
    let request = api.client.post(format!("{}/v1/static-export/jobs", api.base));
    let request = request.bearer_auth(&api.key).header("x-request-id", "follow-me");
    let started = request.json(&json!({ "domain": "docs.example.com" })).send().await.unwrap();
    let job: Value = started.json().await.unwrap();
    let export = job["jobId"].as_str().unwrap();
    api.wait_for(export, &["completed"]).await;
    // The jobs of the export and of its release.
    eventually("both jobs say that they finished", async || {
        with(&service.lines(), "message", "job finished").len() >= 2
    })
    .await;
    let lines = service.lines();
    let public_id = setup.key.split('_').nth(1).unwrap();
    // One line describes the whole request.
    let mut answered = with(&lines, "request_id", "follow-me");
    answered.retain(|line| line["message"] == "answered");
    assert_eq!(answered.len(), 1);
    for (field, value) in [
        ("level", json!("INFO")),
        ("method", json!("POST")),
        ("route", json!("/v1/static-export/jobs")),
        ("path", json!("/v1/static-export/jobs")),
        ("status", json!(202)),
        ("client", json!("127.0.0.1")),
        ("organization", json!(setup.organization)),
        ("key", json!(public_id)),
        ("job", json!(export)),
    ] {
        assert_eq!(answered[0][field], value, "{field}: {}", answered[0]);
    }
    assert!(answered[0]["milliseconds"].is_u64());
    // The line names the release, which the other lines share.
    let release = answered[0]["release"].as_str().expect("the line names the release");
    let of_job: Vec<_> = with(&lines, "job", release);
    let ours: Vec<_> = of_job.iter().filter(|line| line["kind"] == "release").collect();
    for message in ["job started", "step", "release ready", "job finished"] {
        assert!(ours.iter().any(|line| line["message"] == message), "{message}: {ours:#?}");
    }
    for line in &ours {
        assert_eq!(line["organization"], setup.organization.as_str(), "{line}");
        assert_eq!(
            (&line["project"], &line["claim"]),
            (&json!(setup.project), &json!(1)),
            "{line}"
        );
    }
    let ready = ours.iter().find(|line| line["message"] == "release ready").unwrap();
    assert_eq!(ready["commit"].as_str().map(str::len), Some(40), "{ready}");
    // Polling the export names the release, too.
    let poll = answered_by(&lines, "/v1/static-export/jobs/{jobId}");
    assert!(!poll.is_empty() && poll.iter().all(|line| line["job"] == export), "{poll:#?}");
}

fn answered_by<'a>(lines: &'a [Value], route: &str) -> Vec<&'a Value> {
    let of_route = with(lines, "route", route).into_iter();
    of_route.filter(|line| line["message"] == "answered").collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn log_follows_agent_job() {
    let setup = Setup::built_in(write_site, &[]);
    let service = Logged::start(setup.service(&[]), "info");
    let api = setup.api(&service.process);
    let job = api.prompt(&setup.project, "add page new titled New").await;
    let id = job["id"].as_str().unwrap();
    api.finished(&setup.project, id).await;
    let ended = |line: &Value| line["message"] == "job finished" && line["kind"] == "agent_job";
    let ended = service.line("the end of the job", ended).await;
    let lines = service.lines();
    let created = answered_by(&lines, "/v2/agent/{projectId}/job");
    assert_eq!((created.len(), &created[0]["job"]), (1, &json!(id)));
    assert_eq!(created[0]["project"], setup.project.as_str());
    assert_eq!(ended["job"], id);
    assert_eq!(ended["commit"].as_str().map(str::len), Some(40), "{ended}");
}

/// The log contains no secrets at any level that operators use.
#[tokio::test(flavor = "multi_thread")]
async fn log_contains_no_secret() {
    const TOKEN: &str = "ghp_a-token-of-a-git-host";
    let setup = Setup::built_in(write_site, &[]);
    let variables = [("DOCWRIGHT_AGENT_KEYS", "openai=sk-a-key-of-a-model")];
    let service = Logged::start(setup.service(&variables), "debug");
    let api = setup.api(&service.process);
    use_everything(&setup, &api, TOKEN).await;
    service.says("job finished").await;
    let root = std::fs::read_dir(setup.data()).unwrap().flatten();
    let root = root.filter_map(|entry| std::fs::read_to_string(entry.path()).ok());
    let roots: Vec<_> = root.filter(|text| text.trim().len() >= 32).collect();
    let (_, secret) = setup.key.rsplit_once('_').unwrap();
    let text = service.text();
    assert!(text.lines().count() > 50, "this level logs many lines");
    for secret in [secret, TOKEN, "sk-a-key-of-a-model", "signature="] {
        assert!(!text.contains(secret), "{secret}");
    }
    assert!(!roots.is_empty(), "a root secret exists");
    for root in roots {
        assert!(!text.contains(root.trim()), "the root secret");
    }
}

/// Uses keys in every position, a token of a git host, a link to a bundle, and a model with a key.
async fn use_everything(setup: &Setup, api: &Api, token: &str) {
    let id = api.start_export().await;
    api.wait_for(&id, &["completed"]).await;
    let link = api.bundle(&id).await["bundleUrl"].as_str().unwrap().to_owned();
    assert!(link.contains("signature="), "{link}");
    assert_eq!(reqwest::get(&link).await.unwrap().status(), 200);
    assert_eq!(reqwest::get(format!("{link}0")).await.unwrap().status(), 403);
    let credential = ["credential", "set", "git.example.com", "--project", &setup.project];
    setup.admin_with(&credential, token);
    let wrong = format!("{}{}", &api.key[..api.key.len() - 4], "0000");
    let asked = Client::new().get(format!("{}/v1/static-export/jobs/{id}", api.base));
    assert_eq!(asked.bearer_auth(wrong).send().await.unwrap().status(), 401);
    let clone = setup.folder.path().join("clone");
    let address = api.base.replace("http://", &format!("http://x:{}@", api.key));
    let address = format!("{address}/git/{}.git", setup.project);
    git(setup.folder.path(), &["clone", "--quiet", &address, &clone.display().to_string()]);
    let job = api.prompt(&setup.project, "add page new titled New").await;
    api.finished(&setup.project, job["id"].as_str().unwrap()).await;
}

/// Client data can't break a line.
#[tokio::test(flavor = "multi_thread")]
async fn path_breaks_no_log_line() {
    let setup = Setup::new();
    let service = Logged::start(setup.service(&[]), "info");
    let api = setup.api(&service.process);
    let path = "/v1/static-export/jobs/a%0A%7B%22level%22:%22INFO%22%7D%1B%5B2J";
    assert_eq!(api.send(Method::GET, path, None).await.status(), 404);
    let long = format!("/{}", "x".repeat(5000));
    assert_eq!(api.send(Method::GET, &long, None).await.status(), 404);
    let line = service
        .line("the long one", |line| line["path"].as_str().is_some_and(|it| it.starts_with("/xx")))
        .await;
    assert_eq!(line["path"].as_str().unwrap().len(), 200);
    // `lines` parses every line as an object.
    let lines = service.lines();
    let asked = answered_by(&lines, "/v1/static-export/jobs/{jobId}");
    assert_eq!(asked[0]["job"], "a\n{\"level\":\"INFO\"}\u{1b}[2J");
    assert!(!service.text().contains('\u{1b}'));
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn service_logs_its_settings_and_reason_to_stop() {
    let setup = Setup::new();
    let mut service = Logged::start(setup.service(&[]), "info");
    let started = service.says("started").await;
    let address = service.process.address.trim_start_matches("http://").to_owned();
    for (field, value) in [
        ("version", env!("CARGO_PKG_VERSION")),
        ("role", "all"),
        ("listen", &address),
        ("database", "sqlite"),
        ("objects", "folder"),
    ] {
        assert_eq!(started[field], value, "{field}");
    }
    assert_eq!(started["probes"], Value::Null);
    service.process.signal("TERM");
    assert!(service.process.wait().success());
    let stopped = service.says("stopped").await;
    assert_eq!(stopped["signal"], "SIGTERM");
    assert!(stopped["seconds"].as_f64().is_some_and(|seconds| seconds < 60.0), "{stopped}");
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_log_filter_is_reported() {
    let setup = Setup::new();
    let service = Logged::start(setup.service(&[]), "docwright=loud");
    let said = service.line("a warning", |line| line["level"] == "WARN").await;
    assert!(said["message"].as_str().unwrap().contains("RUST_LOG"), "{said}");
}

/// Commands for people log only warnings and errors.
#[test]
fn build_logs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    write_repository(folder.path(), 1);
    let source = Path::new(folder.path()).display().to_string();
    let mut build = docwright(&["build", &source, "--out", &format!("{source}/out")]);
    let output =
        build.env("RUST_LOG", "info").stderr(std::process::Stdio::piped()).output().unwrap();
    assert!(output.status.success());
    assert!(!String::from_utf8_lossy(&output.stderr).contains("\"level\""));
}
