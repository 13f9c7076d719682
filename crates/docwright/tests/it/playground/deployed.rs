//! `docwright deploy` sends requests of a bundle with the mode `proxy`, and of no other.

use std::fs;

use docwright_testing::wait::eventually;
use tempfile::TempDir;

use super::{Asked, RecordingApi, SiteServer, passed_on, refused, write_api_site};
use crate::server::{Process, docwright};

/// A site that is exported and deployed by the real program.
pub(super) struct DeployedSite {
    pub(super) server: SiteServer,
    _process: Process,
    _folder: TempDir,
}

impl DeployedSite {
    /// Deploys a site whose API has servers. The operator allows private hosts.
    pub(super) async fn start(servers: &[String], private_hosts: &[&str], flags: &[&str]) -> Self {
        let site = Self::with_mode("proxy", servers, private_hosts, flags);
        site.is_ready().await;
        site
    }

    fn with_mode(mode: &str, servers: &[String], private_hosts: &[&str], flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        write_api_site(&folder.path().join("docs"), servers);
        let [docs, bundle, values, data] =
            ["docs", "bundle.tar.gz", "values.yaml", "data"].map(path);
        let export = ["export", &docs, "--out", &bundle, "--playground", mode];
        assert!(docwright(&export).status().unwrap().success());
        fs::write(&values, format!("staticExport:\n  bundleUrl: \"{bundle}\"\n")).unwrap();
        let mut command =
            docwright(&["deploy", "--listen", "127.0.0.1:0", "--values", &values, "--data", &data]);
        command.args(["--private-hosts", &private_hosts.join(",")]).args(flags);
        let process = Process::start(command);
        let base = flags.iter().skip_while(|flag| **flag != "--base-path").nth(1);
        let address = format!("{}{}", process.address, base.copied().unwrap_or_default());
        Self { server: SiteServer::new(&address, None), _process: process, _folder: folder }
    }

    /// Waits until the bundle is served.
    async fn is_ready(&self) {
        eventually("the site is served", async || {
            self.server.get("/index.html").await.status() == 200
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn deployment_sends_requests_below_its_base_path() {
    let api = RecordingApi::start().await;
    let flags = ["--base-path", "/docs"];
    let host = format!("127.0.0.1:{}", api.port);
    let site = DeployedSite::start(&[api.origin()], &[&host], &flags).await;
    let page = site.server.get("/index.html").await;
    let offers = page.headers()["server-timing"].to_str().unwrap();
    assert!(offers.contains("requests;desc=\"/docs/_docwright/request\""), "{offers}");
    let response = site.server.ask(&Asked::get(format!("{}/things", api.origin()))).await;
    assert_eq!(passed_on(&response).0, 200);
    assert_eq!(api.taken().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn deployment_without_the_mode_sends_nothing() {
    let api = RecordingApi::start().await;
    for mode in ["browser", "show", "off"] {
        let site = DeployedSite::with_mode(mode, &[api.origin()], &["127.0.0.1"], &[]);
        site.is_ready().await;
        assert!(!site.server.announces().await, "{mode}");
        let response = site.server.ask(&Asked::get(format!("{}/things", api.origin()))).await;
        assert_eq!(refused(response).await.0, 404, "{mode}");
        assert_eq!(site.server.get("/_docwright/request").await.status(), 404, "{mode}");
    }
    assert!(api.taken().is_empty());
}

#[test]
fn air_gapped_site_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let docs = folder.path().join("docs");
    write_api_site(&docs, &["https://api.example.com".to_owned()]);
    let (docs, out) = (docs.display().to_string(), folder.path().join("b").display().to_string());
    let arguments = [
        "export",
        &docs,
        "--out",
        &out,
        "--deployment-type",
        "air-gapped",
        "--playground",
        "proxy",
    ];
    let output = docwright(&arguments).stderr(std::process::Stdio::piped()).output().unwrap();
    assert!(!output.status.success());
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("can't be `proxy` in an air-gapped deployment"), "{error}");
}
