//! Processes that start in parallel on a new instance.

use std::{
    path::Path,
    process::{Child, Output, Stdio},
};

use crate::{
    postgres,
    server::{Process, docwright},
};

/// The number of processes that start in parallel.
const PROCESSES: usize = 20;

fn admin(data: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Child {
    let data = data.display().to_string();
    let mut command = docwright(&["admin", "--json", "--data", &data]);
    command.args(arguments).envs(variables.iter().copied()).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("admin runs")
}

fn succeeded(child: Child) -> Vec<u8> {
    let Output { status, stdout, stderr } = child.wait_with_output().expect("admin ends");
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    stdout
}

/// Starts many commands and a service in parallel. Checks that the service has everything the commands
/// created.
fn start_at_once(data: &Path, variables: &[(&str, &str)]) {
    let name = |number: usize| format!("Organization {number}");
    let create = |number| admin(data, variables, &["organization", "create", &name(number)]);
    let commands: Vec<_> = (1..PROCESSES).map(create).collect();
    let folder = data.display().to_string();
    let mut serve = docwright(&["serve", "--listen", "127.0.0.1:0", "--data", &folder]);
    serve.envs(variables.iter().copied());
    let _service = Process::start(serve);
    for command in commands {
        succeeded(command);
    }
    let listed = succeeded(admin(data, variables, &["organization", "list"]));
    let listed: serde_json::Value = serde_json::from_slice(&listed).expect("the output is JSON");
    assert_eq!(listed.as_array().expect("the output is a list").len(), PROCESSES - 1);
}

#[test]
fn processes_start_together_on_a_new_folder() {
    let folder = tempfile::tempdir().unwrap();
    start_at_once(&folder.path().join("data"), &[]);
}

#[test]
fn processes_start_together_on_a_new_sqlite_address() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/other.db?mode=rwc", folder.path().display());
    start_at_once(&folder.path().join("data"), &[("DOCWRIGHT_DATABASE_URL", &url)]);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn processes_start_together_on_a_new_postgres_database() {
    let (folder, url) = (tempfile::tempdir().unwrap(), postgres::database("together").await);
    let secret = "0a".repeat(32);
    let variables = [("DOCWRIGHT_DATABASE_URL", url.as_str()), ("DOCWRIGHT_ROOT_SECRET", &secret)];
    start_at_once(&folder.path().join("data"), &variables);
}
