//! Bundles that someone carries into a folder, and a bundle that the command line names.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use super::{
    Deployed, DeploymentFolder,
    bundles::{bundle, public_key, signed},
};
use crate::{
    observing::Logged,
    server::{Process, docwright},
};

fn command(place: &DeploymentFolder, option: &str, path: &Path) -> Command {
    let (path, data) = (path.display().to_string(), place.data().display().to_string());
    docwright(&["deploy", "--listen", "127.0.0.1:0", "--data", &data, option, &path])
}

/// A place, and a folder in it.
async fn place_with_folder() -> (DeploymentFolder, PathBuf) {
    let place = DeploymentFolder::new().await;
    let folder = place.folder.path().join("carried");
    fs::create_dir(&folder).unwrap();
    (place, folder)
}

/// Waits for a poll that started after now.
async fn polled(deployed: &Deployed) {
    for _ in 0..2 {
        let before = deployed.readiness().await.1["polledAt"].clone();
        deployed.until(|answer| answer["polledAt"] != before).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn newest_valid_bundle_of_folder_is_served() {
    let (place, folder) = place_with_folder().await;
    let deployed = Deployed(Process::start(command(&place, "--bundles", &folder)));
    let answer = deployed.says("has no bundle").await;
    assert_eq!(answer["ready"], false);
    fs::write(folder.join("README.txt"), "how to carry").unwrap();
    fs::write(folder.join("b.tar.gz"), bundle("1")).unwrap();
    deployed.serves("1").await;
    // By time, not by name.
    fs::write(folder.join("a.tar.gz"), bundle("2")).unwrap();
    deployed.serves("2").await;
    fs::write(folder.join("c.tar.gz"), b"not a bundle").unwrap();
    let answer = deployed.says("c.tar.gz: ").await;
    assert_eq!((&answer["ready"], answer["version"].as_str()), (&true.into(), Some("2")));
    // The newest file is gone: the one before is served, without a problem.
    fs::remove_file(folder.join("c.tar.gz")).unwrap();
    deployed.serves("2").await;
    fs::remove_file(folder.join("a.tar.gz")).unwrap();
    deployed.serves("1").await;
    // Without any file, the last version stays.
    fs::remove_file(folder.join("b.tar.gz")).unwrap();
    polled(&deployed).await;
    deployed.serves("1").await;
    drop(deployed);
    // So it does after a restart, even without the folder.
    fs::remove_dir_all(&folder).unwrap();
    let deployed = Deployed(Process::start(command(&place, "--bundles", &folder)));
    deployed.says("cannot read the folder").await;
    deployed.shows("1").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn half_copied_file_is_refused_once_and_served_when_complete() {
    let (place, folder) = place_with_folder().await;
    fs::write(folder.join("1.tar.gz"), bundle("1")).unwrap();
    let Logged { process, lines } = Logged::start(command(&place, "--bundles", &folder), "info");
    let deployed = Deployed(process);
    deployed.serves("1").await;
    let two = bundle("2");
    for part in [10, 1000, two.len() / 2, two.len() - 1] {
        fs::write(folder.join("2.tar.gz"), &two[..part]).unwrap();
        polled(&deployed).await;
        let answer = deployed.says("2.tar.gz: ").await;
        assert_eq!((&answer["ready"], answer["version"].as_str()), (&true.into(), Some("1")));
        deployed.shows("1").await;
    }
    fs::write(folder.join("2.tar.gz"), &two).unwrap();
    deployed.serves("2").await;
    let lines = lines.lock().unwrap().join("\n");
    assert_eq!(lines.matches("bundle not taken").count(), 1, "{lines}");
}

#[tokio::test(flavor = "multi_thread")]
async fn carried_bundle_needs_signature_and_pin_of_values() {
    let (place, folder) = place_with_folder().await;
    let values = |more: &str| {
        let (folder, key) = (folder.display(), public_key());
        format!("staticExport:\n  folder: {folder}\n  publicKey: '{key}'\n{more}")
    };
    fs::write(place.values(), values("")).unwrap();
    let mut tampered = signed(&bundle("2"));
    let middle = tampered.len() / 2;
    tampered[middle] ^= 1;
    fs::write(folder.join("1.tar.gz"), signed(&bundle("1"))).unwrap();
    let deployed = place.deploy();
    deployed.serves("1").await;
    fs::write(folder.join("2.tar.gz"), bundle("2")).unwrap();
    deployed.says("2.tar.gz: the bundle has no signature").await;
    fs::write(folder.join("2.tar.gz"), tampered).unwrap();
    deployed.says("2.tar.gz: the bundle is not valid").await;
    deployed.shows("1").await;
    fs::write(folder.join("2.tar.gz"), signed(&bundle("2"))).unwrap();
    deployed.serves("2").await;
    // An older file can be pinned.
    fs::write(place.values(), values("  version: '1'\n")).unwrap();
    deployed.until(|answer| answer["version"] == "1" && answer["ready"] == true).await;
    deployed.shows("1").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bundle_of_command_line_is_served_and_read_again_on_signal() {
    let place = DeploymentFolder::new().await;
    let file = place.folder.path().join("bundle.tar.gz");
    fs::write(&file, bundle("1")).unwrap();
    let deployed = Deployed(Process::start(command(&place, "--bundle", &file)));
    deployed.serves("1").await;
    fs::write(&file, bundle("2")).unwrap();
    deployed.0.signal("HUP");
    deployed.serves("2").await;
    fs::remove_file(&file).unwrap();
    deployed.0.signal("HUP");
    let answer: Value = deployed.says("cannot read the bundle").await;
    assert_eq!(answer["ready"], true);
    // One of the three is required.
    for options in [&["--bundle", "a", "--bundles", "b"][..], &[]] {
        let output = docwright(&[&["deploy"], options].concat()).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
    }
}
