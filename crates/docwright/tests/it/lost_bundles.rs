//! Bundles with missing objects: detected on use, and rebuilt.

use std::{
    fs,
    path::{Path, PathBuf},
};

use docwright_testing::s3::{BUCKET, S3Server};
use docwright_testing::wait::eventually;
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{
    agent::write_site,
    observing::Scrape,
    server::{Api, Process, Setup, git},
};

const LOST: &str =
    "The bundle of this job was lost and is being rebuilt. Wait until the job is completed.";

/// Files of all bundles below a folder of objects.
fn bundles(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(bundles(&path));
        } else if path.ends_with("bundle.tar.gz") {
            found.push(path);
        }
    }
    found
}

/// Removes all bundles without the server's knowledge.
fn lose(folder: &Path) {
    let bundles = bundles(folder);
    assert!(!bundles.is_empty(), "bundles exist");
    for bundle in bundles {
        fs::remove_file(bundle).unwrap();
    }
}

fn text(words: &str) -> String {
    format!("---\ntitle: Zero\n---\n\n{words}\n")
}

async fn page(api: &Api) -> (u16, String) {
    let request = api.client.get(format!("{}/page-0", api.base)).header("host", "docs.example.com");
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

async fn shows(api: &Api, words: &str) {
    eventually(&format!("the page shows {words:?}"), async || {
        let (_, page) = page(api).await;
        if page.contains(words) { Ok(()) } else { Err(page) }
    })
    .await;
}

/// Requests a release of the newest commit. Returns it when it has finished.
async fn release(api: &Api) -> Value {
    let body = json!({ "domain": "docs.example.com" });
    let asked = api.send(Method::POST, "/v1/releases", Some(body)).await;
    let asked: Value = asked.json().await.unwrap();
    ended(api, asked["id"].as_str().unwrap()).await
}

/// Waits until all releases have finished, including the one of the import. Returns the domain's active
/// release.
pub(crate) async fn published(setup: &Setup, api: &Api) -> String {
    release(api).await;
    let list = read(api, &format!("/v1/projects/{}/releases", setup.project)).await;
    for release in list["releases"].as_array().unwrap() {
        let release = ended(api, release["id"].as_str().unwrap()).await;
        if release["active"] == true {
            return release["id"].as_str().unwrap().to_owned();
        }
    }
    panic!("no release is active: {list}");
}

/// Waits until a release finishes. Returns it.
async fn ended(api: &Api, id: &str) -> Value {
    eventually("the release has ended", async || {
        let release: Value = read(api, &format!("/v1/releases/{id}")).await;
        let is_open = ["queued", "building"].contains(&release["status"].as_str().unwrap());
        if is_open { Err(release) } else { Ok(release) }
    })
    .await
}

async fn read(api: &Api, path: &str) -> Value {
    let answer = api.send(Method::GET, path, None).await;
    assert_eq!(answer.status(), 200, "{path}");
    answer.json().await.unwrap()
}

async fn refused(api: &Api, path: &str) -> String {
    let answer = api.send(Method::POST, path, None).await;
    let status = answer.status();
    let body: Value = answer.json().await.unwrap();
    assert_eq!(status, 409, "{body}");
    body["error"].as_str().unwrap().to_owned()
}

/// Downloads a bundle and compares it with its reported size and hash.
async fn verify(bundle: &Value) {
    let answer = reqwest::get(bundle["bundleUrl"].as_str().unwrap()).await.unwrap();
    assert_eq!(answer.status(), 200);
    let bytes = answer.bytes().await.unwrap();
    assert_eq!(bundle["sizeBytes"].as_u64(), Some(bytes.len() as u64));
    assert_eq!(bundle["sha256"], hex::encode(Sha256::digest(&bytes)));
}

/// The actions in the audit log on a release with their actors, newest first.
async fn entries(api: &Api, release: &str) -> Vec<(String, String)> {
    let list = read(api, &format!("/v1/audit?subject={release}")).await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let entries = list["entries"].as_array().unwrap().iter();
    entries.map(|entry| (text(&entry["action"]), text(&entry["actor"]["kind"]))).collect()
}

fn admin(setup: &Setup, api: &Api) -> Api {
    Api { key: setup.new_key(&["--scope", "admin"]), ..api.clone() }
}

async fn losing_and_asking_for_the_link(setup: &Setup, process: &Process, objects: &Path) {
    let api = setup.api(process);
    let id = api.start_export().await;
    let before = api.wait_for(&id, &["completed", "failed"]).await;
    assert_eq!(before["status"], "completed", "{before}");
    lose(objects);
    let path = format!("/v1/static-export/jobs/{id}/bundle");
    assert_eq!(refused(&api, &path).await, LOST);
    let last = eventually("the export is completed again", async || {
        let job = api.job(&id).await;
        if job["status"] == "completed" {
            return Some(job);
        }
        assert_eq!((&job["status"], &job["progress"]), (&json!("running"), &json!(100)));
        assert_eq!(job["pageCount"], before["pageCount"]);
        None
    })
    .await;
    verify(&api.bundle(&id).await).await;
    let release = last["releaseId"].as_str().unwrap();
    let by = |action: &str| (action.to_owned(), "service".to_owned());
    let found = entries(&admin(setup, &api), release).await;
    assert_eq!(found, [by("release.rebuild"), by("release.bundle_lost")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_bundle_is_rebuilt_when_its_link_is_requested() {
    let setup = Setup::built_in(write_site, &[]);
    let process = setup.serve();
    losing_and_asking_for_the_link(&setup, &process, &setup.data().join("objects")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_bundle_in_bucket_is_rebuilt_and_outage_loses_none() {
    let (setup, server) = (Setup::built_in(write_site, &[]), S3Server::start().await);
    let process = serve_from(&setup, &server, &[]);
    losing_and_asking_for_the_link(&setup, &process, &server.file("docs")).await;
    // An unavailable store gives no information about its objects.
    let api = setup.api(&process);
    let id = api.start_export().await;
    let job = api.wait_for(&id, &["completed"]).await;
    server.failures.go_away();
    api.bundle(&id).await;
    let path = format!("/v1/releases/{}/activate", job["releaseId"].as_str().unwrap());
    assert_eq!(api.send(Method::POST, &path, None).await.status(), 200);
    assert_eq!(api.job(&id).await["status"], "completed");
}

/// If a bucket can't be used, its objects aren't considered lost.
#[tokio::test(flavor = "multi_thread")]
async fn unusable_bucket_loses_no_bundle() {
    let (setup, server) = (Setup::built_in(write_site, &[]), S3Server::start().await);
    let process = serve_from(&setup, &server, &[]);
    let api = setup.api(&process);
    let id = api.start_export().await;
    api.wait_for(&id, &["completed"]).await;
    let bucket = server.file("");
    fs::rename(&bucket, bucket.with_file_name("elsewhere")).unwrap();
    fs::write(bucket.to_string_lossy().trim_end_matches('/'), "no folder").unwrap();
    api.bundle(&id).await;
    assert_eq!(api.job(&id).await["status"], "completed");
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_folder_of_objects_loses_no_bundle() {
    let setup = Setup::built_in(write_site, &[]);
    let process = setup.serve();
    let api = setup.api(&process);
    let id = api.start_export().await;
    api.wait_for(&id, &["completed"]).await;
    // Simulates an unmounted disk.
    fs::rename(setup.data().join("objects"), setup.data().join("elsewhere")).unwrap();
    fs::create_dir(setup.data().join("objects")).unwrap();
    api.bundle(&id).await;
    assert_eq!(api.job(&id).await["status"], "completed");
}

fn serve_from(setup: &Setup, server: &S3Server, more: &[(&str, &str)]) -> Process {
    let address = format!("s3://{BUCKET}/docs");
    let variables = server.variables();
    let mut all = vec![("DOCWRIGHT_OBJECTS", address.as_str())];
    all.extend(variables.iter().map(|(name, value)| (*name, value.as_str())));
    all.extend(more);
    setup.serve_with(&all)
}

#[tokio::test(flavor = "multi_thread")]
async fn release_of_a_commit_whose_bundle_is_lost_is_built() {
    let setup = Setup::built_in(write_site, &[]);
    let process = setup.serve();
    let api = setup.api(&process);
    let first = published(&setup, &api).await;
    assert_eq!(release(&api).await["status"], "skipped", "the bundle is there");
    lose(&setup.data().join("objects"));
    let second = release(&api).await;
    assert_eq!((&second["status"], &second["active"]), (&json!("ready"), &json!(true)), "{second}");
    assert_eq!(page(&api).await.0, 200);
    let first = ended(&api, &first).await;
    assert_eq!((&first["status"], &first["active"]), (&json!("ready"), &json!(false)), "{first}");
}

/// Readers get the previous release until the lost one is rebuilt, automatically.
#[tokio::test(flavor = "multi_thread")]
async fn site_serves_the_release_before_until_the_lost_one_is_rebuilt() {
    let setup = Setup::built_in(write_site, &[]);
    setup.commit("page-0.mdx", &text("First words."));
    let process = setup.serve();
    let api = setup.api(&process);
    published(&setup, &api).await;
    setup.commit("page-0.mdx", &text("Second words."));
    let second = published(&setup, &api).await;
    let second = second.as_str();
    drop(process);
    lose(&setup.data().join("objects").join(second));
    let readers = setup.serve_with(&[("DOCWRIGHT_ROLE", "api")]);
    let api = setup.api(&readers);
    shows(&api, "First words.").await;
    let lost = read(&api, &format!("/v1/releases/{second}")).await;
    assert_eq!((&lost["status"], &lost["active"]), (&json!("queued"), &json!(false)), "{lost}");
    let ready = api.client.get(format!("{}/readyz", api.base)).send().await.unwrap();
    assert_eq!(ready.status(), 200);
    assert_eq!(ready.text().await.unwrap(), "ready, but lost bundles are being rebuilt: 1\n");
    let path = format!("/v1/releases/{second}/activate");
    let expected = format!(
        "The bundle of release {second} was lost and is being rebuilt. Activate the release when it is ready."
    );
    assert_eq!(refused(&api, &path).await, expected);
    let _worker = setup.serve();
    shows(&api, "Second words.").await;
    let back = read(&api, &format!("/v1/releases/{second}")).await;
    assert_eq!((&back["status"], &back["active"]), (&json!("ready"), &json!(true)), "{back}");
    let ready = api.client.get(format!("{}/readyz", api.base)).send().await.unwrap();
    assert_eq!(ready.text().await.unwrap(), "ready\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn earlier_release_is_rebuilt_from_its_own_commit_when_it_is_activated() {
    let setup = Setup::built_in(write_site, &[]);
    setup.commit("page-0.mdx", &text("First words."));
    let process = setup.serve();
    let api = setup.api(&process);
    let first = published(&setup, &api).await;
    let first = first.as_str();
    setup.commit("page-0.mdx", &text("Second words."));
    published(&setup, &api).await;
    lose(&setup.data().join("objects").join(first));
    let path = format!("/v1/releases/{first}/activate");
    assert!(refused(&api, &path).await.contains("is being rebuilt"));
    assert_eq!(ended(&api, first).await["status"], "ready");
    shows(&api, "Second words.").await;
    assert_eq!(api.send(Method::POST, &path, None).await.status(), 200);
    shows(&api, "First words.").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_bundle_of_missing_commit_fails_with_reason() {
    let setup = Setup::built_in(write_site, &[]);
    setup.commit("page-0.mdx", &text("First words."));
    let process = setup.serve_with(&[("DOCWRIGHT_PROBES", "127.0.0.1:0")]);
    let api = setup.api(&process);
    let id = api.start_export().await;
    let job = api.wait_for(&id, &["completed"]).await;
    let release = job["releaseId"].as_str().unwrap();
    let commit = ended(&api, release).await["commit"].as_str().unwrap().to_owned();
    let bare = setup.data().join("git").join(format!("{}.git", setup.project));
    let before = git(&bare, &["rev-parse", "main~1"]);
    git(&bare, &["update-ref", "refs/heads/main", &before]);
    for name in git(&bare, &["for-each-ref", "--format=%(refname)", "refs/docwright"]).lines() {
        git(&bare, &["update-ref", "-d", name]);
    }
    git(&bare, &["reflog", "expire", "--expire=now", "--all"]);
    git(&bare, &["gc", "--quiet", "--prune=now"]);
    lose(&setup.data().join("objects"));
    refused(&api, &format!("/v1/static-export/jobs/{id}/bundle")).await;
    let failed = api.wait_for(&id, &["failed", "completed"]).await;
    let reason = format!(
        "the bundle is gone from the object store and can't be rebuilt: commit {commit} can't be read: the \
         repository does not have this commit any more"
    );
    assert_eq!((&failed["status"], &failed["error"]), (&json!("failed"), &json!(reason)));
    assert_eq!(ended(&api, release).await["error"], reason.as_str());
    let answer = refused(&api, &format!("/v1/static-export/jobs/{id}/bundle")).await;
    assert_eq!(answer, format!("The export failed and has no bundle: {reason}."));
}

/// Maintenance checks all bundles, even without requests.
#[tokio::test(flavor = "multi_thread")]
async fn upkeep_finds_lost_bundles() {
    let setup = Setup::built_in(write_site, &[]);
    let process = setup.serve();
    let api = setup.api(&process);
    let first = published(&setup, &api).await;
    drop(process);
    lose(&setup.data().join("objects"));
    let process = setup.serve();
    let api = admin(&setup, &setup.api(&process));
    eventually("upkeep found it", async || entries(&api, &first).await.len() == 2).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn metrics_count_lost_bundles() {
    let setup = Setup::built_in(write_site, &[]);
    let process = setup.serve();
    let api = setup.api(&process);
    let first = published(&setup, &api).await;
    drop(process);
    lose(&setup.data().join("objects"));
    let mut command = setup.service(&[("DOCWRIGHT_ROLE", "api")]);
    command.env("DOCWRIGHT_PROBES", "127.0.0.1:0");
    let logged = crate::observing::Logged::start(command, "info");
    let api = setup.api(&logged.process);
    let path = format!("/v1/releases/{first}/activate");
    refused(&api, &path).await;
    let metrics = Scrape::of(&logged.probes().await).await;
    assert_eq!(metrics.count("docwright_lost_bundles", &[("state", "rebuilding")]), 1);
    assert_eq!(metrics.count("docwright_lost_bundles", &[("state", "failed")]), 0);
}
