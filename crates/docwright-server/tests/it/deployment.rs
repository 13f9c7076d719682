//! A client-hosted deployment with good links and bad ones.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use axum::{Router, body::Body, http::StatusCode, response::IntoResponse, routing::get};
use serde_json::Value;
use tempfile::TempDir;

use crate::{
    agent::mocks,
    server::{Process, docwright},
};

/// A host of bundles, and a folder to deploy in.
struct Place {
    folder: TempDir,
    host: String,
}

impl Place {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let bundle = make_bundle(folder.path());
        let half = bundle[..bundle.len() / 2].to_vec();
        let mut tampered = bundle.clone();
        let middle = tampered.len() / 2;
        tampered[middle] ^= 0xff;
        let router = Router::new()
            .route("/good", get(move || async move { bundle }))
            .route("/truncated", get(move || async move { half }))
            .route("/tampered", get(move || async move { tampered }))
            .route("/expired", get(|| async { StatusCode::FORBIDDEN }))
            .route("/broken", get(|| async { StatusCode::BAD_GATEWAY }))
            .route("/huge", get(|| async { Body::from(vec![0; 3_000_000]).into_response() }));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(axum::serve(listener, router).into_future());
        Self { folder, host }
    }

    fn command(&self, link: &str, version: Option<&str>) -> Command {
        let values = self.folder.path().join("values.yaml");
        let pin = version.map(|version| format!("  version: \"{version}\"\n")).unwrap_or_default();
        let text = format!(
            "staticExport:\n  enabled: true\n  bundleUrl: \"{}{link}\"\n  maximumBytes: 2000000\n{pin}",
            self.host
        );
        fs::write(&values, text).unwrap();
        let data = self.folder.path().join("data");
        docwright(&[
            "deploy",
            "--listen",
            "127.0.0.1:0",
            "--values",
            text_of(&values),
            "--data",
            text_of(&data),
        ])
    }

    fn deploy(&self, link: &str, version: Option<&str>) -> Process {
        Process::start(self.command(link, version))
    }
}

fn text_of(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn make_bundle(folder: &Path) -> Vec<u8> {
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let target = folder.join("bundle.tar.gz");
    assert!(
        docwright(&["export", text_of(&docs), "--out", text_of(&target)])
            .status()
            .unwrap()
            .success()
    );
    fs::read(target).unwrap()
}

/// Waits until the deployment says that it is ready, or has a problem to tell.
async fn ready(process: &Process) -> Value {
    for _ in 0..500 {
        let answer: Value = reqwest::get(format!("{}/readyz", process.address))
            .await
            .unwrap()
            .json()
            .await
            .unwrap();
        if answer["ready"] == true {
            return answer;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("the deployment never became ready");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_good_bundle_is_served() {
    let place = Place::new().await;
    let process = place.deploy("/good", None);
    ready(&process).await;
    let get = async |path: &str| reqwest::get(format!("{}{path}", process.address)).await.unwrap();
    assert!(get("/quickstart").await.text().await.unwrap().contains("Run the demo"));
    assert_eq!(get("/quickstart.html").await.status(), 200);
    assert_eq!(get("/").await.status(), 200);
    let missing = get("/no/such/page").await;
    assert_eq!(missing.status(), 404);
    assert!(missing.text().await.unwrap().contains("Page not found"));
    assert_eq!(get("/../../etc/passwd").await.status(), 404);
    assert_eq!(get("/%2e%2e/%2e%2e/etc/passwd").await.status(), 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_bundle_leaves_the_last_good_one() {
    let place = Place::new().await;
    drop({
        let process = place.deploy("/good", None);
        ready(&process).await;
        process
    });
    for (link, reason) in [
        ("/truncated", "not valid"),
        ("/tampered", "not valid"),
        ("/expired", "expired"),
        ("/broken", "502"),
        ("/huge", "larger"),
        ("/missing", "404"),
    ] {
        let process = place.deploy(link, None);
        let mut answer = ready(&process).await;
        while answer["problem"].is_null() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            answer = ready(&process).await;
        }
        assert!(
            answer["problem"].as_str().is_some_and(|problem| problem.contains(reason)),
            "{link}: {answer}"
        );
        assert_eq!(
            reqwest::get(format!("{}/quickstart", process.address)).await.unwrap().status(),
            200
        );
    }
    let wrong = place.deploy("/good", Some("9"));
    let answer = ready(&wrong).await;
    assert_eq!(answer["ready"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn with_nothing_to_serve_it_ends() {
    let place = Place::new().await;
    for (link, version) in
        [("/truncated", None), ("/expired", None), ("/huge", None), ("/good", Some("9"))]
    {
        let status = tokio::task::block_in_place(|| place.command(link, version).status().unwrap());
        assert_eq!(status.code(), Some(1), "{link}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pinned_version_on_disk_needs_no_link() {
    let place = Place::new().await;
    drop({
        let process = place.deploy("/good", None);
        ready(&process).await;
        process
    });
    // The manual is exported without a label; give the version on disk one.
    let versions = place.folder.path().join("data/versions");
    let version =
        fs::read_dir(versions).unwrap().next().unwrap().unwrap().path().join("manifest.json");
    let manifest =
        fs::read_to_string(&version).unwrap().replace("\"version\": null", "\"version\": \"7\"");
    fs::write(version, manifest).unwrap();
    let process = place.deploy("/expired", Some("7"));
    let answer = ready(&process).await;
    assert_eq!((answer["version"].as_str(), answer["problem"].is_null()), (Some("7"), true));
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_read_the_site() {
    let place = Place::new().await;
    let process = place.deploy("/good", None);
    ready(&process).await;
    let client = reqwest::Client::new();
    let get = async |path: &str, accept: &str| {
        let request = client.get(format!("{}{path}", process.address));
        request.header("accept", accept).send().await.unwrap()
    };
    let page = get("/quickstart", "text/html,*/*").await;
    assert!(page.headers()["link"].to_str().unwrap().contains("</llms.txt>; rel=\"llms-txt\""));
    assert!(page.text().await.unwrap().starts_with("<!DOCTYPE html>"));
    let markdown = get("/quickstart", "text/markdown").await;
    assert_eq!(markdown.headers()["content-type"], "text/markdown; charset=utf-8");
    assert_eq!(markdown.headers()["vary"], "accept");
    assert!(markdown.text().await.unwrap().starts_with("# Quickstart"));
    let card: Value = get("/.well-known/mcp/server-card.json", "*/*").await.json().await.unwrap();
    assert_eq!(card["transport"]["endpoint"], "/mcp");
    assert_eq!(get("/mcp", "*/*").await.status(), 405);
    for (body, status) in [("{", 400), ("{\"method\":\"x\"}", 202), (&"x".repeat(70_000), 413)] {
        let answer = client.post(format!("{}/mcp", process.address)).body(body.to_owned());
        assert_eq!(answer.send().await.unwrap().status(), status);
    }

    let output = Command::new("node")
        .args([&mocks::script("reader.mjs"), &format!("{}/mcp", process.address)])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |key: &str| read[key]["text"].as_str().unwrap_or_default().to_owned();
    assert_eq!(read["tools"], serde_json::json!(["search", "list_pages", "read_page"]));
    assert!(text("found").contains("Path: /export/deploy"), "{read}");
    assert!(read["nothing"]["isError"] == true && read["foreign"]["isError"] == true, "{read}");
    assert!(
        text("pages").contains("/write/components\n") && !text("pages").contains("/quickstart")
    );
    assert!(text("page").starts_with("# Quickstart"), "{read}");
    assert_eq!(read["outside"]["isError"], true);
    assert!(read["unknown"].as_str().unwrap().contains("there is no tool"), "{read}");
    assert!(read["skill"].as_str().unwrap().starts_with("---\nname: "), "{read}");
}
