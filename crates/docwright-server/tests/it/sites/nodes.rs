//! Several nodes, a database that goes away, and bundles of earlier versions.

use std::{
    fs,
    process::Command,
    time::{Duration, Instant},
};

use reqwest::Method;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{HOST, ask};
use crate::{
    agent::write_site,
    postgres::{database, database_on_wire},
    server::Setup,
};

async fn publish(setup: &Setup, process: &crate::server::Process) {
    let api = setup.api(process);
    let export = api.start_export().await;
    let job = api.wait_for(&export, &["completed", "failed"]).await;
    assert_eq!(job["status"], "completed", "{job}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_node_activates_shows_on_every_node_within_a_second() {
    let setup = Setup::on_database(write_site, &database("nodes").await);
    let one = setup.serve();
    let other = setup.serve_with(&[("DOCWRIGHT_ROLE", "api")]);
    for words in ["First words.", "Second words."] {
        setup.commit("page-0.mdx", &format!("---\ntitle: Zero\n---\n\n{words}\n"));
        publish(&setup, &one).await;
        let here = ask(&one.address, (HOST, "GET /page-0"), &[]).await;
        assert!(String::from_utf8_lossy(&here.body).contains(words), "at once, on its own node");
        let active = Instant::now();
        loop {
            let there = ask(&other.address, (HOST, "GET /page-0"), &[]).await;
            if String::from_utf8_lossy(&there.body).contains(words) {
                break;
            }
            assert!(active.elapsed() < Duration::from_secs(1), "{words}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sites_go_on_without_the_database() {
    let (wire, url) = database_on_wire("sites").await;
    let setup = Setup::on_database(write_site, &url);
    let process = setup.serve();
    publish(&setup, &process).await;
    wire.cut();
    let api = setup.api(&process);
    assert_eq!(api.send(Method::GET, "/readyz", None).await.status(), 503, "it is gone");
    for path in ["/page-0", "/page-1", "/_docwright/theme.css", "/page-2"] {
        let asked = Instant::now();
        let answer = ask(&process.address, (HOST, &format!("GET {path}")), &[]).await;
        assert_eq!(answer.status, 200, "{path}");
        assert!(asked.elapsed() < Duration::from_secs(1), "{path} waits for nothing");
    }
}

/// Makes a bundle as versions before made them: one stream that begins with the manifest.
fn old_bundle(setup: &Setup) -> Vec<u8> {
    let folder = setup.folder.path().join("old");
    fs::create_dir_all(&folder).unwrap();
    let page = "<!DOCTYPE html><p>Old words.</p>";
    let sha256: String = Sha256::digest(page).iter().map(|byte| format!("{byte:02x}")).collect();
    let manifest = json!({
        "generator": "docwright 0.1.0", "version": null, "commit": null, "pageCount": 1, "redirects": [],
        "files": [{ "path": "page-0.html", "size": page.len(), "sha256": sha256 }],
    });
    fs::write(folder.join("page-0.html"), page).unwrap();
    fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
    let archive = setup.folder.path().join("old.tar.gz");
    let mut tar = Command::new("tar");
    tar.arg("-czf").arg(&archive).arg("-C").arg(&folder).args(["manifest.json", "page-0.html"]);
    assert!(tar.status().unwrap().success());
    fs::read(archive).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn bundles_of_earlier_versions_are_served() {
    let setup = Setup::new();
    let process = setup.serve();
    publish(&setup, &process).await;
    drop(process);
    // As if an earlier version had built it.
    let database = docwright_storage::Database::open_folder(&setup.data()).await.unwrap();
    let bundle = database.serving().await.unwrap().remove(0).bundle;
    let object = setup.data().join("objects").join(&bundle.key);
    let old = old_bundle(&setup);
    fs::write(&object, &old).unwrap();
    for _ in 0..2 {
        let process = setup.serve();
        let answer = ask(&process.address, (HOST, "GET /page-0"), &[]).await;
        assert!(String::from_utf8_lossy(&answer.body).contains("Old words."), "{answer:?}");
        let gzip = [("accept-encoding", "gzip")];
        let answer = ask(&process.address, (HOST, "GET /page-0"), &gzip).await;
        assert_eq!(answer.status, 200);
    }
    let copy = setup.data().join(format!("cache/bundles/{}.tar.gz", bundle.sha256));
    assert!(copy.is_file(), "it is repacked once");
    assert!(fs::read(&object).unwrap() == old, "what is stored stays as it is");
}
