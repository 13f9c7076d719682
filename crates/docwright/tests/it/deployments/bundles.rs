//! Bundles that are exported for a deployment.

use std::{collections::BTreeMap, fs, path::Path};

use docwright_site::bundle::Bundle;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{admin, path, send};
use crate::server::{Api, Setup};

/// A site with an API page, and a service of another host.
fn write_site(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    let config = json!({
        "theme": "mint", "name": "Test", "colors": { "primary": "#0f766e" },
        "navigation": { "groups": [
            { "group": "G", "pages": ["index", "GET /things"], "openapi": "api.json" },
        ] },
        "integrations": { "plausible": { "domain": "docs.example.com" } },
    });
    let spec = json!({
        "openapi": "3.1.0", "info": { "title": "T", "version": "1" },
        "servers": [{ "url": "https://api.example.com" }],
        "paths": { "/things": { "get": { "summary": "List", "responses": {} } } },
    });
    fs::write(folder.join("docs.json"), config.to_string()).unwrap();
    fs::write(folder.join("api.json"), spec.to_string()).unwrap();
    fs::write(folder.join("index.mdx"), "Hello").unwrap();
}

/// The files of a bundle.
struct Files(BTreeMap<String, String>);

impl Files {
    fn contain(&self, mark: &str) -> bool {
        self.0
            .iter()
            .any(|(path, text)| path != "docs.json" && (path.contains(mark) || text.contains(mark)))
    }
}

async fn exported(api: &Api, body: Value) -> (Value, Files) {
    let (status, job) = send(api, Method::POST, "/v1/static-export/jobs", Some(body)).await;
    assert_eq!(status, StatusCode::ACCEPTED, "{job}");
    let id = job["jobId"].as_str().unwrap().to_owned();
    let job = api.wait_for(&id, &["completed"]).await;
    let bundle = api.bundle(&id).await;
    let bytes = api.client.get(bundle["bundleUrl"].as_str().unwrap()).send().await.unwrap();
    let bytes = bytes.bytes().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bundle.tar.gz");
    fs::write(&file, bytes).unwrap();
    let bundle = Bundle::open(&file).unwrap();
    let text = |entry| String::from_utf8_lossy(&bundle.read(entry).unwrap()).into_owned();
    let files = bundle.files().iter().map(|entry| (entry.path.to_string(), text(entry)));
    (job, Files(files.collect()))
}

#[tokio::test(flavor = "multi_thread")]
async fn bundle_has_the_features_of_its_deployment() {
    let setup = Setup::built_in(write_site, &[]);
    let process = setup.serve();
    let api = admin(&setup, &process);
    for new in [
        json!({
            "name": "partner", "type": "client-hosted", "address": "https://docs.partner.example",
            "features": { "integrations": { "mode": "on" } },
        }),
        json!({ "name": "plant", "type": "air-gapped" }),
    ] {
        let (status, made) = send(&api, Method::POST, &path(&setup, ""), Some(new)).await;
        assert_eq!(status, StatusCode::CREATED, "{made}");
    }
    let mut bundles = Vec::new();
    for (deployment, playground, integrations, address) in [
        (None, true, false, "docs.example.com"),
        (Some("cloud"), true, false, "docs.example.com"),
        (Some("partner"), true, true, "https://docs.partner.example"),
        (Some("plant"), false, false, "docs.example.com"),
    ] {
        let mut body = json!({ "domain": "docs.example.com" });
        if let Some(name) = deployment {
            body["deployment"] = name.into();
        }
        let (job, files) = exported(&api, body).await;
        assert_eq!(job["deploymentId"].is_string(), deployment.is_some(), "{job}");
        assert!(files.contain("_docwright/search"), "{deployment:?}");
        assert_eq!(files.contain("playground"), playground, "{deployment:?}");
        assert_eq!(files.contain("plausible.io"), integrations, "{deployment:?}");
        assert!(files.0["sitemap.xml"].contains(address), "{deployment:?}");
        bundles.push(job["releaseId"].as_str().unwrap().to_owned());
    }
    bundles.sort_unstable();
    bundles.dedup();
    assert_eq!(bundles.len(), 4, "one commit with four sets of options has four releases");
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_exports_share_one_release_that_is_never_active() {
    let setup = Setup::built_in(write_site, &[]);
    let process = setup.serve();
    let api = admin(&setup, &process);
    let body = || json!({ "domain": "docs.example.com" });
    let (first, _) = exported(&api, body()).await;
    let (second, _) = exported(&api, body()).await;
    assert_eq!(first["releaseId"], second["releaseId"]);
    let id = first["releaseId"].as_str().unwrap();
    let activate = format!("/v1/releases/{id}/activate");
    let (status, refused) = send(&api, Method::POST, &activate, None).await;
    assert_eq!(status, StatusCode::CONFLICT, "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn new_cloud_features_are_published() {
    let setup = Setup::built_in(write_site, &[]);
    let process = setup.serve();
    let api = admin(&setup, &process);
    let cloud = || json!({ "domain": "docs.example.com", "deployment": "cloud" });
    let (first, files) = exported(&api, cloud()).await;
    assert!(files.contain("playground"));
    let change = json!({ "features": { "playground": { "mode": "off" } } });
    let (status, _) = send(&api, Method::PATCH, &path(&setup, "/cloud"), Some(change)).await;
    assert_eq!(status, StatusCode::OK);
    let (second, files) = exported(&api, cloud()).await;
    assert!(!files.contain("playground"));
    assert_ne!(first["releaseId"], second["releaseId"]);
    let id = second["releaseId"].as_str().unwrap();
    let (_, release) = send(&api, Method::GET, &format!("/v1/releases/{id}"), None).await;
    assert_eq!(release["active"], true, "{release}");
}
