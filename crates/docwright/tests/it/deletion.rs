//! Deletions and changes in a shell while a server runs.

use std::{fs, process::Stdio};

use docwright_testing::wait::eventually;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    postgres::database,
    server::{Process, Setup, docwright, write_repository},
};

const HOST: &str = "docs.example.com";

/// Runs an `admin` command that fails. Returns its error.
fn refused(setup: &Setup, arguments: &[&str]) -> String {
    let data = setup.data().display().to_string();
    let mut command = docwright(&["admin", "--json", "--data", &data]);
    command.envs(setup.shared()).args(arguments).stdin(Stdio::null()).stderr(Stdio::piped());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn bundles(setup: &Setup) -> usize {
    let Ok(entries) = fs::read_dir(setup.data().join("objects")) else { return 0 };
    let other = [".uploads", "instance"];
    entries.flatten().filter(|entry| other.iter().all(|name| entry.file_name() != *name)).count()
}

async fn export(setup: &Setup, process: &Process) -> String {
    let api = setup.api(process);
    let id = api.start_export().await;
    assert_eq!(api.wait_for(&id, &["completed", "failed"]).await["status"], "completed");
    id
}

async fn status(process: &Process, path: &str) -> u16 {
    let request = reqwest::Client::new().get(format!("{}{path}", process.address));
    request.header("host", HOST).send().await.unwrap().status().as_u16()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn deleted_domain_is_served_on_no_node() {
    let setup = Setup::on_database(|folder| write_repository(folder, 3), &database("domain").await);
    let (one, other) = (setup.serve(), setup.serve_with(&[("DOCWRIGHT_ROLE", "api")]));
    let id = export(&setup, &one).await;
    eventually("both serve it", async || {
        status(&one, "/page-0").await == 200 && status(&other, "/page-0").await == 200
    })
    .await;
    assert!(bundles(&setup) > 0);
    let asks = refused(&setup, &["domain", "delete", HOST]);
    assert!(asks.contains("permanently") && asks.contains("--yes"), "{asks}");
    assert_eq!(status(&one, "/page-0").await, 200, "the domain still exists");
    let report = setup.admin(&["domain", "delete", HOST, "--yes"]);
    assert_eq!((&report["domains"], &report["exportJobs"]), (&json!(1), &json!(1)), "{report}");
    assert!(report["bundles"].as_i64() > Some(0) && report["left"] == 0, "{report}");
    eventually("nobody serves it", async || {
        status(&one, "/page-0").await == 421 && status(&other, "/page-0").await == 421
    })
    .await;
    eventually("its bundles are gone", async || bundles(&setup) == 0).await;
    let job =
        setup.api(&one).send(Method::GET, &format!("/v1/static-export/jobs/{id}"), None).await;
    assert_eq!(job.status(), 404);
    let again = refused(&setup, &["domain", "delete", HOST, "--yes"]);
    assert!(again.contains("domain docs.example.com not found"), "{again}");
}

/// Running builds and agent jobs end and leave nothing.
#[tokio::test(flavor = "multi_thread")]
async fn project_is_deleted_while_its_jobs_run() {
    let setup = Setup::built_in(|folder| write_repository(folder, 1_500), &[]);
    let process = setup.serve();
    let api = setup.api(&process);
    let export = api.start_export().await;
    api.wait_for(&export, &["running"]).await;
    api.prompt(&setup.project, "fix broken links").await;
    let repository = setup.data().join("git").join(format!("{}.git", setup.project));
    assert!(repository.is_dir());
    let report = setup.admin(&["project", "delete", &setup.project, "--yes"]);
    let numbers = ["projects", "domains", "repositories", "agentJobs", "left"];
    let numbers = numbers.map(|name| report[name].as_i64().unwrap());
    assert_eq!(numbers, [1, 1, 1, 1, 0], "{report}");
    eventually("its workers let go of its files", async || {
        let processes = fs::read_dir(setup.data().join("work/processes")).unwrap();
        let inside = processes.flatten().filter_map(|entry| fs::read_dir(entry.path()).ok());
        inside.flatten().count() == 0 && bundles(&setup) == 0
    })
    .await;
    assert!(!repository.exists(), "the repository isn't created again");
    let path = format!("/v2/agent/{}/jobs", setup.project);
    assert_eq!(api.send(Method::GET, &path, None).await.status(), 404);
    assert_eq!(api.send(Method::GET, "/readyz", None).await.status(), 200, "the service continues");
    let listed = setup.admin(&["project", "list"]);
    assert_eq!(listed, json!([]));
    let report = setup.admin(&["organization", "delete", &setup.organization, "--yes"]);
    assert_eq!((&report["keys"], &report["projects"]), (&json!(1), &json!(0)));
    assert_eq!(api.send(Method::GET, &path, None).await.status(), 401, "its keys are deleted");
}

#[tokio::test(flavor = "multi_thread")]
async fn organization_is_deleted_with_its_projects() {
    let setup = Setup::built_in(|folder| write_repository(folder, 2), &[]);
    let process = setup.serve();
    export(&setup, &process).await;
    let results = setup.data().join("work/builds").join(&setup.project);
    assert!(results.is_dir(), "its builds keep results");
    let other = setup.admin(&["organization", "create", "Other"]);
    let report = setup.admin(&["organization", "delete", &setup.organization, "--yes"]);
    let numbers = ["projects", "domains", "repositories", "keys", "left"];
    let numbers = numbers.map(|name| report[name].as_i64().unwrap());
    assert_eq!(numbers, [1, 1, 1, 1, 0], "{report}");
    assert!(!results.exists(), "nothing of its pages stays");
    assert_eq!(setup.admin(&["organization", "list"])[0]["id"], other["id"]);
    eventually("its bundles are gone", async || bundles(&setup) == 0).await;
    let git = fs::read_dir(setup.data().join("git")).unwrap();
    let git: Vec<_> = git.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(git, ["instance"]);
}

#[test]
fn settings_are_changed() {
    let setup = Setup::new();
    let id = setup.organization.as_str();
    let changed = setup.admin(&["organization", "update", id, "--name", "New", "--plan", "pro"]);
    assert_eq!(changed, json!({ "id": id, "name": "New", "plan": "pro", "revision": 2 }));
    let id = setup.project.as_str();
    let changed = setup.admin(&[
        "project",
        "update",
        id,
        "--name",
        "N",
        "--repository",
        "built-in",
        "--model",
        "ollama:m",
        "--activation",
        "manual",
        "--path",
        "docs",
    ]);
    let expected = json!({
        "id": id, "name": "N", "organization": setup.organization, "repository": "built-in",
        "path": "docs", "model": "ollama:m", "activation": "manual", "organizationName": "New",
        "polledAt": null, "pollError": null, "cloneUrl": null, "agentPaths": [],
        "createdAt": changed["createdAt"], "revision": 2,
    });
    assert_eq!(changed, expected);
    assert!(
        setup.data().join(format!("git/{id}.git/HEAD")).is_file(),
        "the project has a repository now"
    );
    assert_eq!(setup.admin(&["project", "update", id, "--model", ""])["model"], Value::Null);
    setup.admin(&["domain", "update", HOST, "--branch", "next"]);
    let domains = setup.admin(&["domain", "list", "--project", id]);
    let expected = json!({
        "domain": HOST, "project": id, "projectName": "N", "organization": setup.organization,
        "organizationName": "New", "branch": "next", "release": null, "state": "verified",
        "address": null, "revision": 2,
    });
    assert_eq!(domains, json!([expected]));
    for (arguments, expected) in [
        (["release", "list", "--project", "prj_none"], "project prj_none not found"),
        (["domain", "list", "--project", "prj_none"], "project prj_none not found"),
        (["project", "delete", "prj_none", "--yes"], "project prj_none not found"),
        (["organization", "delete", "org_none", "--yes"], "organization org_none not found"),
        (["domain", "update", "no.example.com", "--branch=b"], "domain no.example.com not found"),
        (["project", "update", id, "--repository=gopher://x"], "gopher://"),
    ] {
        let said = refused(&setup, &arguments);
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
}
