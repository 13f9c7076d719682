//! Files of a project come only from its own repository.

use serde_json::{Value, json};

use crate::{
    agent::write_site,
    server::{Setup, write_repository},
};

/// A project whose docs path is a link to someone else's site on the same machine.
fn linked_out() -> Setup {
    let write = |folder: &std::path::Path| {
        let other = folder.with_file_name("other");
        write_site(&other);
        write_repository(folder, 1);
        std::os::unix::fs::symlink(&other, folder.join("docs")).unwrap();
    };
    Setup::built_in(write, &["--path", "docs"])
}

#[tokio::test(flavor = "multi_thread")]
async fn export_fails_if_docs_path_leaves_repository() {
    let setup = linked_out();
    let process = setup.serve();
    let api = setup.api(&process);
    let id = api.start_export().await;
    let job = api.wait_for(&id, &["completed", "failed"]).await;
    assert_eq!(job["status"], "failed", "{job}");
    let error = job["error"].as_str().unwrap();
    assert!(error.contains("`docs`"), "the error names the path: {error}");
    let data = setup.folder.path().display().to_string();
    assert!(!error.contains(&data), "the error names no folder of the server: {error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_job_fails_if_docs_path_leaves_repository() {
    let setup = linked_out();
    let process = setup.serve();
    let api = setup.api(&process);
    let job: Value = api.prompt(&setup.project, "use * for list markers").await;
    let ended = api.finished(&setup.project, job["id"].as_str().unwrap()).await;
    assert_eq!((&ended["status"], &ended["prLink"]), (&json!("failed"), &json!(null)), "{ended}");
    assert!(ended["error"].as_str().unwrap().contains("`docs`"), "{ended}");
}
