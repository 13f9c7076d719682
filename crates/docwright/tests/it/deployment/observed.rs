//! Status and metrics of a deployment.

use std::fs;

use super::{DeploymentFolder, bundles::bundle};
use crate::observing::{Logged, Scrape, is_documented};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn deployment_reports_its_version() {
    let place = DeploymentFolder::new().await;
    place.host.gives(&bundle("one"));
    place.ask("/one?signature=secret-of-the-link", &[]);
    let mut command = place.command();
    command.env("DOCWRIGHT_PROBES", "127.0.0.1:0");
    let deployment = Logged::start(command, "debug");
    let probes = deployment.probes().await;
    deployment.says("version activated").await;
    let page = reqwest::get(format!("{}/version.txt", deployment.process.address)).await.unwrap();
    assert_eq!(page.status(), 200);
    let scrape = Scrape::of(&probes).await;
    scrape.says_what_it_is();
    is_documented(&scrape, true);
    assert_eq!(scrape.count("docwright_deployment_version", &[("version", "one")]), 1);
    assert_eq!(scrape.count("docwright_deployment_ready", &[]), 1);
    let updates = |scrape: &Scrape, outcome| {
        scrape.count("docwright_deployment_updates_total", &[("outcome", outcome)])
    };
    assert_eq!((updates(&scrape, "switched"), updates(&scrape, "failed")), (1, 0));
    assert_eq!(scrape.count("docwright_site_request_seconds_count", &[("status", "2xx")]), 1);
    assert!(scrape.get("docwright_disk_free_bytes", &[]) > 0.0);
    // A requested version that can't be deployed shows as well.
    fs::write(place.values(), place.text("/one?signature=secret-of-the-link", &["version: two"]))
        .unwrap();
    deployment.says("values not applied; earlier version kept").await;
    let scrape = Scrape::of(&probes).await;
    assert_eq!(updates(&scrape, "failed"), 1);
    assert_eq!(scrape.count("docwright_deployment_ready", &[]), 0);
    assert_eq!(scrape.count("docwright_deployment_version", &[("version", "one")]), 1);
    assert!(!deployment.text().contains("secret-of-the-link"), "links are secret");
}
