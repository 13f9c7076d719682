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
    observing::{Logged, Scrape},
    postgres::{Wire, database, database_on_wire},
    s3_server::{BUCKET, S3Server},
    server::{Process, Setup, docwright},
};

async fn publish(setup: &Setup, process: &Process) {
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
    let before = ask(&process.address, (HOST, "GET /page-0"), &[]).await;
    assert_eq!(before.status, 200, "it is published");
    wire.set_open(false);
    let api = setup.api(&process);
    assert_eq!(api.send(Method::GET, "/readyz", None).await.status(), 503, "it is gone");
    for path in ["/page-0", "/page-1", "/_docwright/theme.css", "/page-2"] {
        let asked = Instant::now();
        let answer = ask(&process.address, (HOST, &format!("GET {path}")), &[]).await;
        assert_eq!(answer.status, 200, "{path}");
        assert!(asked.elapsed() < Duration::from_secs(1), "{path} waits for nothing");
    }
}

/// A node with a data folder of its own switches when it has its own copy, however long that takes.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_cant_reach_the_store_goes_on_with_what_it_has() {
    let setup = Setup::on_database(write_site, &database("store").await);
    let server = S3Server::start().await;
    let (_, port) = server.address.rsplit_once(':').unwrap();
    let wire = Wire::to("127.0.0.1".to_owned(), port.parse().unwrap()).await;
    let bucket = format!("s3://{BUCKET}/docs");
    let variables = server.variables();
    let direct = variables.iter().map(|(name, value)| (*name, value.as_str()));
    let direct: Vec<_> = direct.chain([("DOCWRIGHT_OBJECTS", bucket.as_str())]).collect();
    let one = setup.serve_with(&direct);
    let other = setup.folder.path().join("other");
    fs::create_dir(&other).unwrap();
    std::os::unix::fs::symlink(setup.data().join("git"), other.join("git")).unwrap();
    let other = other.display().to_string();
    let mut command =
        docwright(&["serve", "--role", "api", "--listen", "127.0.0.1:0", "--data", &other]);
    let endpoint = format!("http://{}", wire.address);
    command.envs(setup.shared()).envs(direct).env("AWS_ENDPOINT_URL", &endpoint);
    command.env("DOCWRIGHT_PROBES", "127.0.0.1:0");
    let far = Logged::start(command, "info");
    let page = async || {
        let answer = ask(&far.process.address, (HOST, "GET /page-0"), &[]).await;
        String::from_utf8_lossy(&answer.body).into_owned()
    };
    let shows = async |words: &str| {
        for _ in 0..1_500 {
            if page().await.contains(words) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{words:?} never shows");
    };
    setup.commit("page-0.mdx", "---\ntitle: Zero\n---\n\nFirst words.\n");
    publish(&setup, &one).await;
    shows("First words.").await;
    wire.set_open(false);
    setup.commit("page-0.mdx", "---\ntitle: Zero\n---\n\nSecond words.\n");
    publish(&setup, &one).await;
    let active = Instant::now();
    while active.elapsed() < Duration::from_secs(2) {
        assert!(page().await.contains("First words."));
    }
    wire.set_open(true);
    shows("Second words.").await;
    let metrics = Scrape::of(&far.probes().await).await;
    let of_cache = |name: &str| metrics.count(&format!("docwright_bundle_cache_{name}"), &[]);
    assert!(of_cache("copies") >= 2, "one of each release; the import may have been one more");
    assert!(of_cache("misses_total") >= 2, "two bundles, perhaps in several tries");
    assert_eq!((of_cache("hits_total"), of_cache("evictions_total")), (0, 0));
    assert!(of_cache("bytes") > 1000, "{}", of_cache("bytes"));
    assert_eq!(metrics.count("docwright_open_sites", &[]), 1);
}

/// Makes a bundle as versions before made them: one stream that begins with the manifest.
fn old_bundle(setup: &Setup) -> Vec<u8> {
    let folder = setup.folder.path().join("old");
    fs::create_dir_all(&folder).unwrap();
    let page = "<!DOCTYPE html><p>Old words.</p>";
    let sha256 = hex::encode(Sha256::digest(page));
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
    let bundle = database.serving().await.unwrap().remove(0).1.unwrap().bundle;
    let object = setup.data().join("objects").join(&bundle.key);
    let old = old_bundle(&setup);
    fs::write(&object, &old).unwrap();
    let unpacked = setup.data().join("work/sites/0");
    fs::create_dir_all(&unpacked).unwrap();
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
    // A copy that the disk spoiled is made again.
    fs::write(&copy, "spoiled").unwrap();
    let process = setup.serve();
    let answer = ask(&process.address, (HOST, "GET /page-0"), &[]).await;
    assert!(String::from_utf8_lossy(&answer.body).contains("Old words."), "{answer:?}");
    assert!(!unpacked.exists(), "nothing is unpacked any more");
    assert!(fs::read(&object).unwrap() == old, "what is stored stays as it is");
}
