//! Versions on disk, and pins of the served version.

use std::fs;

use super::{
    Deployed, DeploymentFolder,
    bundles::{bundle, sha256},
    host::status,
};

/// Deploys versions one after another. Returns the process that serves the last one.
async fn deploy_all(place: &DeploymentFolder, versions: &[&str]) -> Deployed {
    let (first, rest) = versions.split_first().unwrap();
    place.host.gives(&bundle(first));
    place.ask("/bundle", &[]);
    let deployed = place.deploy();
    deployed.serves(first).await;
    for version in rest {
        place.host.gives(&bundle(version));
        deployed.0.signal("HUP");
        deployed.serves(version).await;
    }
    // The link expires.
    place.host.answers(|_| status(403));
    deployed
}

fn names(versions: &[&str]) -> Vec<String> {
    let mut names: Vec<_> =
        versions.iter().map(|version| format!("{}.tar.gz", sha256(&bundle(version)))).collect();
    names.sort();
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn last_three_versions_stay_on_disk() {
    let place = DeploymentFolder::new().await;
    let deployed = deploy_all(&place, &["1", "2", "3"]).await;
    assert_eq!(place.versions(), names(&["1", "2", "3"]));
    // After a rollback, the first version is the newest of three and stays longest.
    place.ask("/bundle", &["version: '1'"]);
    deployed.serves("1").await;
    assert_eq!(place.versions(), names(&["1", "2", "3"]));
    place.host.gives(&bundle("4"));
    place.ask("/bundle", &["version: '4'"]);
    deployed.serves("4").await;
    assert_eq!(place.versions(), names(&["1", "3", "4"]));
    assert!(!place.data().join("bundle.download").exists());
    // The file on disk equals the fetched bundle.
    let path = place.data().join("versions").join(&names(&["4"])[0]);
    assert_eq!(fs::read(path).unwrap(), bundle("4"));
}

#[tokio::test(flavor = "multi_thread")]
async fn pinned_version_on_disk_needs_no_link() {
    let place = DeploymentFolder::new().await;
    drop(deploy_all(&place, &["1", "2", "3"]).await);
    let second = format!("sha256: {}", sha256(&bundle("2")).to_uppercase());
    for (pin, version) in [("version: '1'", "1"), (&second, "2"), ("version: 3", "3")] {
        place.ask("/bundle", &[pin]);
        place.deploy().serves(version).await;
    }
    assert_eq!(place.host.log().len(), 0);
    assert_eq!(place.versions(), names(&["1", "2", "3"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn deployment_is_not_ready_until_pin_is_met() {
    let place = DeploymentFolder::new().await;
    let deployed = deploy_all(&place, &["1", "2", "3", "4"]).await;
    place.ask("/bundle", &["version: '1'"]);
    let answer = deployed.says("expired").await;
    assert!(answer["problem"].as_str().unwrap().contains("is version 4"), "{answer}");
    assert_eq!((&answer["ready"], answer["version"].as_str()), (&false.into(), Some("4")));
    deployed.shows("4").await;
    drop(deployed);
    // A new process isn't ready either, from its first response on.
    let deployed = place.deploy();
    assert_eq!(deployed.readiness().await.0, 503);
    deployed.says("expired").await;
    deployed.shows("4").await;
    // A new link with the wrong version changes nothing. The right version is deployed.
    place.host.gives(&bundle("2"));
    place.ask("/fresh", &["version: '1'"]);
    let answer = deployed.says("the bundle is version 2").await;
    assert_eq!((&answer["ready"], answer["version"].as_str()), (&false.into(), Some("4")));
    assert_eq!(place.versions(), names(&["2", "3", "4"]));
    place.host.gives(&bundle("1"));
    place.ask("/another", &["version: '1'"]);
    deployed.serves("1").await;
    // Without the pin, the deployment is ready even with an expired link.
    place.host.answers(|_| status(403));
    place.ask("/expired", &[]);
    let answer = deployed.says("expired").await;
    assert_eq!((&answer["ready"], answer["version"].as_str()), (&true.into(), Some("1")));
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_sha256_is_refused_first() {
    let place = DeploymentFolder::new().await;
    let deployed = deploy_all(&place, &["1"]).await;
    let two = sha256(&bundle("2"));
    for wrong in [&bundle("3"), &b"not even an archive"[..]] {
        place.host.gives(wrong);
        place.ask("/bundle", &[&format!("sha256: {two}"), "version: '9'"]);
        deployed.0.signal("HUP");
        let answer =
            deployed.says(&format!("the SHA-256 of the bundle is {}", sha256(wrong))).await;
        assert_eq!((&answer["ready"], answer["version"].as_str()), (&false.into(), Some("1")));
    }
    assert_eq!(place.versions(), names(&["1"]));
    // The right SHA-256 with the wrong label.
    place.host.gives(&bundle("2"));
    deployed.0.signal("HUP");
    deployed.says("the bundle is version 2, but staticExport.version asks for 9").await;
    place.ask("/bundle", &[&format!("sha256: {two}")]);
    deployed.serves("2").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn disabled_deployment_serves_version_on_disk() {
    let place = DeploymentFolder::new().await;
    place.ask("/bundle", &["enabled: false"]);
    assert!(place.fails().await.contains("set it to true"));
    drop(deploy_all(&place, &["1", "2"]).await);
    place.ask("/bundle", &["enabled: false"]);
    let deployed = place.deploy();
    deployed.serves("2").await;
    place.ask("/bundle", &["enabled: false", "version: '1'"]);
    deployed.serves("1").await;
    place.ask("/bundle", &["enabled: false", "version: '9'"]);
    let answer = deployed.says("not on disk").await;
    assert_eq!((&answer["ready"], answer["version"].as_str()), (&false.into(), Some("1")));
    assert_eq!(place.host.log().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn data_folder_of_unreleased_docwright_is_refused() {
    let place = DeploymentFolder::new().await;
    let name = sha256(b"1")[..32].to_owned();
    let folder = place.data().join("versions").join(&name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(place.data().join("current"), &name).unwrap();
    place.ask("/bundle", &[]);
    let why = place.fails().await;
    assert!(why.contains("was created by an unreleased docwright; start with a new one"), "{why}");
    assert!(folder.is_dir(), "nothing is removed");
}
