//! Nodes refuse to start with a part of another instance, and a folder that lost a part isn't treated as a
//! new instance.

use docwright_testing::s3::{BUCKET, S3Server};
use docwright_testing::wait::eventually;

use std::{fs, path::Path, process::Command};

use crate::{
    agent::write_site,
    postgres::database,
    running::{Ended, ended},
    server::{Setup, docwright, git},
};

const OLD: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const NEW: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// Starts a node that must refuse and exit. A node that starts would block the test.
fn start(data: &Path, variables: &[(&str, &str)]) -> Ended {
    let data = data.display().to_string();
    // The node fails on this listen address after all other checks.
    let serve = ["serve", "--listen", "192.0.2.1:1", "--data", &data];
    ended(&serve, variables)
}

/// Checks that the node refuses only the address.
fn starts(data: &Path, variables: &[(&str, &str)]) {
    start(data, variables).failed_with("cannot listen on 192.0.2.1:1");
}

/// Starts and stops a service, which records the parts of the instance.
fn run_once(setup: &Setup, variables: &[(&str, &str)]) {
    let mut process = setup.serve_with(variables);
    process.signal("TERM");
    assert!(process.wait().success());
}

fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").arg(from).arg(to).status();
    assert!(copied.unwrap().success());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn node_with_another_root_secret_is_refused() {
    let setup = Setup::on_database(write_site, &database("other_secret").await);
    run_once(&setup, &[]);
    let url = setup.shared()[0].1.to_owned();
    let with = |secret: &str| {
        let variables = [("DOCWRIGHT_DATABASE_URL", &*url), ("DOCWRIGHT_ROOT_SECRET", secret)];
        start(&setup.data(), &variables)
    };
    let listening = "cannot listen on 192.0.2.1:1";
    with(OLD).failed_with(listening);
    let refused = with(NEW);
    refused.failed_with("(DOCWRIGHT_ROOT_SECRET) isn't that of this instance; set the same one");
    assert!(!refused.errors.contains(NEW), "{refused:?}");
    let data = setup.data().display().to_string();
    let admin = |arguments: &[&str], secret: &str| {
        let variables = [("DOCWRIGHT_DATABASE_URL", &*url), ("DOCWRIGHT_ROOT_SECRET", secret)];
        ended(&[&["admin", "--data", &data], arguments].concat(), &variables)
    };
    admin(&["organization", "list"], NEW).failed_with("isn't that of this instance");

    // A rotation as in the manual: nodes with both secrets, then the rotation, then nodes with the new
    // secret.
    let both = format!("{NEW},{OLD}");
    with(&both).failed_with(listening);
    with(OLD).failed_with(listening);
    admin(&["secret", "rotate"], &both).succeeded();
    with(&both).failed_with(listening);
    with(NEW).failed_with(listening);
    with(OLD).failed_with("isn't that of this instance");

    // A lost secret.
    let lost = NEW.replace('0', "f");
    with(&lost).failed_with("`docwright admin storage adopt root-secret`");
    admin(&["storage", "adopt", "root-secret"], &lost).succeeded();
    with(&lost).failed_with(listening);
}

#[test]
fn rotation_in_the_data_folder_keeps_its_instance() {
    let setup = Setup::built_in(write_site, &[]);
    for _ in 0..3 {
        setup.admin(&["secret", "rotate"]);
        starts(&setup.data(), &[]);
    }
    fs::write(setup.data().join("root-secret"), NEW).unwrap();
    let place = setup.data().join("root-secret");
    let said = format!("the root secret of {} isn't that of this instance", place.display());
    start(&setup.data(), &[]).failed_with(&said);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn node_with_other_storage_is_refused() {
    let setup = Setup::on_database(write_site, &database("other_storage").await);
    run_once(&setup, &[]);
    let shared = setup.shared();
    let other = setup.folder.path().join("other");
    fs::create_dir(&other).unwrap();
    let said = format!(
        "the folder {}/git doesn't belong to this instance: it has no instance/",
        other.display()
    );
    start(&other, &shared).failed_with(&said);
    // A command on that node doesn't create a second repository either.
    let data = other.display().to_string();
    let create = ["admin", "--data", &data, "project", "create", "Two", "--organization", "Acme"];
    let refused = ended(&create, &shared);
    refused.failed_with("the folder of the built-in git host can't be used: it isn't that of");
    assert!(!other.join("git").exists(), "no folder is created");

    copy(&setup.data().join("git"), &other.join("git"));
    let said = format!(
        "the object storage {}/objects isn't that of this instance: it has no instance/",
        other.display()
    );
    // Object storage is opened last, so the listen address must be valid.
    let serve = ["serve", "--listen", "127.0.0.1:0", "--data", &data];
    ended(&serve, &shared).failed_with(&said);
    fs::remove_dir_all(other.join("objects")).unwrap();
    copy(&setup.data().join("objects"), &other.join("objects"));
    let mut process = crate::server::Process::start({
        let mut command = docwright(&serve);
        command.envs(shared);
        command
    });
    process.signal("TERM");
    assert!(process.wait().success(), "copies of both folders work");
}

#[tokio::test(flavor = "multi_thread")]
async fn node_with_another_bucket_is_refused() {
    let (setup, server) = (Setup::new(), S3Server::start().await);
    let variables = server.variables();
    let variables = variables.iter().map(|(name, value)| (*name, value.as_str()));
    let variables: Vec<_> = variables.collect();
    let with = |address: &str| {
        let data = setup.data().display().to_string();
        let serve = ["serve", "--listen", "127.0.0.1:0", "--data", &data, "--objects", address];
        ended(&serve, &variables)
    };
    let own = format!("s3://{BUCKET}/docs");
    run_once(&setup, &[&variables[..], &[("DOCWRIGHT_OBJECTS", &own)]].concat());
    let other = format!("s3://{BUCKET}/other");
    let said =
        format!("the object storage {other} isn't that of this instance: it has no instance/");
    let refused = tokio::task::block_in_place(|| with(&other));
    refused.failed_with(&said);
    assert!(refused.errors.contains("`docwright admin storage adopt objects`"), "{refused:?}");
    let data = setup.data().display().to_string();
    let adopt = ["admin", "storage", "adopt", "objects", "--data", &data, "--objects", &other];
    tokio::task::block_in_place(|| ended(&adopt, &variables)).succeeded();
    run_once(&setup, &[&variables[..], &[("DOCWRIGHT_OBJECTS", &other)]].concat());
}

#[test]
fn lost_storage_is_named_and_can_be_adopted() {
    let setup = Setup::built_in(write_site, &[]);
    run_once(&setup, &[]);
    fs::remove_dir_all(setup.data().join("objects")).unwrap();
    let data = setup.data().display().to_string();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--data", &data];
    ended(&serve, &[]).failed_with("mount its disk, or restore it from a backup; to use it anyway");
    setup.admin(&["storage", "adopt", "objects"]);
    run_once(&setup, &[]);
    fs::remove_dir_all(setup.data().join("git")).unwrap();
    ended(&serve, &[]).failed_with("mount the shared disk, or restore the folder from a backup");
    setup.admin(&["storage", "adopt", "git"]);
    run_once(&setup, &[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_repository_is_an_error() {
    let setup = Setup::built_in(write_site, &[]);
    let process = setup.serve();
    let api = setup.api(&process);
    let repository = setup.data().join("git").join(format!("{}.git", setup.project));
    fs::remove_dir_all(&repository).unwrap();
    let address = process.address.replace("http://", &format!("http://me:{}@", setup.key));
    let address = format!("{address}/git/{}.git", setup.project);
    let clone = Command::new("git")
        .args(["clone", "--quiet", &address, "clone"])
        .current_dir(setup.folder.path())
        .env("GIT_TERMINAL_PROMPT", "0")
        .output();
    let clone = clone.unwrap();
    assert_eq!(clone.status.code(), Some(128), "{clone:?}");
    let path = format!("/v1/project/update/{}", setup.project);
    let started = api.send(reqwest::Method::POST, &path, None).await;
    let started: serde_json::Value = started.json().await.unwrap();
    let path = format!("/v1/project/update-status/{}", started["statusId"].as_str().unwrap());
    let update = ended_update(&api, &path).await;
    assert_eq!(update["status"], "failure", "{update}");
    let said = "the repository is missing on the server; ask its operator to restore it";
    assert!(update.to_string().contains(said), "{update}");
    assert!(!repository.exists(), "no folder is created");
}

async fn ended_update(api: &crate::server::Api, path: &str) -> serde_json::Value {
    eventually("the update has ended", async || {
        let update = api.send(reqwest::Method::GET, path, None).await;
        let update: serde_json::Value = update.json().await.unwrap();
        let is_open = matches!(update["status"].as_str(), Some("queued" | "in_progress"));
        if is_open { Err(update) } else { Ok(update) }
    })
    .await
}

#[test]
fn folder_without_its_database_is_refused() {
    let setup = Setup::built_in(write_site, &[]);
    let data = setup.data();
    fs::create_dir_all(data.join("objects/rel_00000000000000000000000000000000/1")).unwrap();
    for name in ["docwright.db", "docwright.db-wal", "docwright.db-shm"] {
        drop(fs::remove_file(data.join(name)));
    }
    let folder = data.display();
    let said = format!(
        "no database in {folder}, but there are repositories in {folder}/git and bundles in {folder}/objects; restore docwright.db from a backup"
    );
    start(&data, &[]).failed_with(&said);
    let list = ["admin", "organization", "list", "--data", &data.display().to_string()];
    ended(&list, &[]).failed_with(&said);
    assert!(!data.join("docwright.db").exists(), "no database was created");
    fs::remove_dir_all(data.join("git")).unwrap();
    start(&data, &[]).failed_with("but there are bundles in");
    fs::remove_dir_all(data.join("objects")).unwrap();
    starts(&data, &[]);
}

#[test]
fn database_without_its_root_secret_is_refused() {
    let setup = Setup::built_in(write_site, &[]);
    let data = setup.data();
    fs::remove_file(data.join("root-secret")).unwrap();
    let folder = data.display();
    let said = format!(
        "the data folder {folder} has a database, but no root secret at {folder}/root-secret; restore"
    );
    start(&data, &[]).failed_with(&said);
    assert!(!data.join("root-secret").exists(), "no root secret was created");
    setup.admin(&["storage", "adopt", "root-secret"]);
    starts(&data, &[]);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn folder_with_repositories_is_refused_by_a_new_database() {
    let setup = Setup::on_database(write_site, &database("before").await);
    let url = database("after").await;
    let variables = [("DOCWRIGHT_DATABASE_URL", url.as_str()), ("DOCWRIGHT_ROOT_SECRET", OLD)];
    let place = setup.data().join("git");
    let said = format!(
        "the folder {} contains repositories, but the database of --database-url has never used it",
        place.display()
    );
    start(&setup.data(), &variables).failed_with(&said);
    let listed = git(&place, &["--git-dir", &format!("{}.git", setup.project), "branch"]);
    assert!(listed.contains("main"), "{listed}");
}
