//! A backup of the files that the manual names restores an instance elsewhere.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use reqwest::Method;
use serde_json::Value;

use crate::{
    agent::write_site,
    server::{Setup, git},
};

/// The manual's table of the data folder: names that a backup needs, and names that it doesn't.
fn table() -> (BTreeSet<String>, BTreeSet<String>) {
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/run/backups.mdx");
    let text = fs::read_to_string(page).unwrap();
    let (mut needed, mut not_needed) = (BTreeSet::new(), BTreeSet::new());
    for row in text.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let names = cells[1].split('`').skip(1).step_by(2).map(str::to_owned);
        if cells[3].starts_with("Yes") { &mut needed } else { &mut not_needed }.extend(names);
    }
    (needed, not_needed)
}

fn copy(from: &Path, to: &Path) {
    if !from.is_dir() {
        fs::copy(from, to).unwrap();
        return;
    }
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_named_in_manual_are_a_backup() {
    let setup = Setup::built_in(write_site, &[]);
    let credential = ["credential", "set", "github.com", "--project", &setup.project];
    setup.admin_with(&credential, "token");
    let mut process = setup.serve();
    let api = setup.api(&process);
    let export = api.start_export().await;
    assert_eq!(api.wait_for(&export, &["completed", "failed"]).await["status"], "completed");
    process.signal("TERM");
    assert!(process.wait().success());

    let (needed, not_needed) = table();
    let (data, away) = (setup.data(), setup.folder.path().join("away"));
    fs::rename(&data, &away).unwrap();
    fs::create_dir(&data).unwrap();
    for entry in fs::read_dir(&away).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        assert!(
            needed.contains(&name) || not_needed.contains(&name),
            "the manual doesn't mention {name}"
        );
        if needed.contains(&name) {
            copy(&entry.path(), &data.join(name));
        }
    }
    fs::remove_dir_all(&away).unwrap();

    let process = setup.serve();
    let api = setup.api(&process);
    let page = api.client.get(format!("{}/page-0", process.address));
    let page = page.header("host", "docs.example.com").send().await.unwrap();
    assert_eq!(page.status(), 200);
    let link =
        api.send(Method::POST, &format!("/v1/static-export/jobs/{export}/bundle"), None).await;
    let link: Value = link.json().await.unwrap();
    let bundle = reqwest::get(link["bundleUrl"].as_str().unwrap()).await.unwrap();
    assert_eq!(bundle.bytes().await.unwrap().len() as u64, link["sizeBytes"].as_u64().unwrap());
    let address = process.address.replace("http://", &format!("http://me:{}@", setup.key));
    let heads = git(
        setup.folder.path(),
        &["ls-remote", &format!("{address}/git/{}.git", setup.project), "main"],
    );
    assert!(heads.ends_with("refs/heads/main"), "{heads}");
    drop(process);
    // The credential can be decrypted, so it can be encrypted again.
    assert_eq!(setup.admin(&["secret", "rotate"])["encrypted"], 1);
}
