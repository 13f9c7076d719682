//! Machines without certificates of authorities, such as an empty container.

use std::fs;

use super::{Deployed, DeploymentFolder, bundles, end_of};
use crate::server::Process;

#[tokio::test(flavor = "multi_thread")]
async fn file_is_deployed_without_certificates() {
    let place = DeploymentFolder::new().await;
    let bundle = place.folder.path().join("bundle.tar.gz");
    fs::write(&bundle, bundles::bundle("1")).unwrap();
    let values = |link: &str| format!("staticExport:\n  bundleUrl: {link:?}\n");
    fs::write(place.values(), values(bundle.to_str().unwrap())).unwrap();
    let command = || {
        let mut command = place.command();
        for name in ["SSL_CERT_FILE", "SSL_CERT_DIR"] {
            command.env(name, place.folder.path().join("none"));
        }
        command
    };
    let deployed = Deployed(Process::start(command()));
    deployed.serves("1").await;
    // A link needs certificates, but what is served stays.
    fs::write(place.values(), values("https://localhost/bundle.tar.gz")).unwrap();
    let state = deployed.says("install the certificates of authorities").await;
    assert_eq!(state["ready"], true);
    deployed.shows("1").await;
    drop(deployed);
    fs::remove_dir_all(place.data()).unwrap();
    let output = end_of(command()).await;
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("SSL_CERT_FILE"), "{said}");
}
