//! Changes of the values file while a deployment runs.

use std::{fs, os::unix::fs::symlink};

use super::{
    Deployed, DeploymentFolder,
    bundles::bundle,
    host::{stalled, whole},
};
use crate::server::Process;

/// A host that serves version N at `/N`.
async fn place_with_versions() -> DeploymentFolder {
    let place = DeploymentFolder::new().await;
    place.host.answers(|asked| whole(&bundle(asked.path.trim_matches('/'))));
    place
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_values_file_is_applied() {
    let place = place_with_versions().await;
    place.ask("/1", &[]);
    let deployed = place.deploy();
    deployed.serves("1").await;
    // Overwrites the file, as `>` does.
    place.ask("/2", &[]);
    deployed.serves("2").await;
    // Replaces the file, as editors do.
    let fresh = place.folder.path().join(".values.yaml.swp");
    fs::write(&fresh, place.text("/3", &[])).unwrap();
    fs::rename(&fresh, place.values()).unwrap();
    deployed.serves("3").await;
    // A change without effect doesn't fetch again.
    let requests = place.host.log().len();
    place.ask("/3", &["enabled: true"]);
    place.ask("/4", &[]);
    deployed.serves("4").await;
    assert_eq!(place.host.log().len(), requests + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_values_file_changes_nothing() {
    let place = place_with_versions().await;
    place.ask("/1", &[]);
    let deployed = place.deploy();
    deployed.serves("1").await;
    for (text, reason) in [
        ("staticExport: [", "not valid YAML"),
        ("staticExport: {bundleUrl: x, sha256: abc}", "staticExport.sha256"),
        ("", "there is no `staticExport`"),
    ] {
        fs::write(place.values(), text).unwrap();
        deployed.0.signal("HUP");
        let answer = deployed.says(reason).await;
        assert_eq!((&answer["ready"], answer["version"].as_str()), (&true.into(), Some("1")));
    }
    fs::remove_file(place.values()).unwrap();
    deployed.says("cannot read").await;
    // The earlier values are valid again, without another fetch.
    place.ask("/1", &[]);
    deployed.serves("1").await;
    assert_eq!(place.host.log().len(), 1);
    place.ask("/2", &[]);
    deployed.serves("2").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn signal_fetches_the_same_link_again() {
    let place = place_with_versions().await;
    place.ask("/1", &[]);
    let deployed = place.deploy();
    deployed.serves("1").await;
    place.host.gives(&bundle("2"));
    deployed.0.signal("HUP");
    deployed.serves("2").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn values_file_behind_a_link_is_followed() {
    let place = place_with_versions().await;
    let elsewhere = place.folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("real.yaml"), place.text("/1", &[])).unwrap();
    symlink(elsewhere.join("real.yaml"), place.values()).unwrap();
    let deployed = place.deploy();
    deployed.serves("1").await;
    fs::write(elsewhere.join("real.yaml"), place.text("/2", &[])).unwrap();
    deployed.serves("2").await;
    // The link points to another folder, where the file changes.
    let another = place.folder.path().join("another");
    fs::create_dir(&another).unwrap();
    fs::write(another.join("real.yaml"), place.text("/3", &[])).unwrap();
    let fresh = place.folder.path().join("fresh");
    symlink(another.join("real.yaml"), &fresh).unwrap();
    fs::rename(&fresh, place.values()).unwrap();
    deployed.serves("3").await;
    // Several times, so that no change of the link explains it.
    for version in ["4", "5", "6", "7"] {
        let text = place.text(&format!("/{version}"), &[]);
        fs::write(another.join("real.yaml"), text).unwrap();
        deployed.serves(version).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn relative_link_is_followed() {
    let place = place_with_versions().await;
    place.ask("/1", &[]);
    let mut command = place.command_for("values.yaml".as_ref());
    command.current_dir(place.folder.path());
    let deployed = Deployed(Process::start(command));
    deployed.serves("1").await;
    // Files in the same folder, then another, then a third.
    for version in ["2", "3", "4"] {
        let folder = place.folder.path().join(version);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("real.yaml"), place.text(&format!("/{version}"), &[])).unwrap();
        symlink(folder.join("real.yaml"), folder.join("link")).unwrap();
        fs::rename(folder.join("link"), place.values()).unwrap();
        deployed.serves(version).await;
    }
}

/// Kubernetes keeps the files of a `ConfigMap` in a folder and replaces the link to it.
#[tokio::test(flavor = "multi_thread")]
async fn config_map_is_followed() {
    let place = place_with_versions().await;
    let mount = place.folder.path().join("mount");
    let publish = |version: &str| {
        let folder = format!("..{version}");
        fs::create_dir_all(mount.join(&folder)).unwrap();
        let text = place.text(&format!("/{version}"), &[]);
        fs::write(mount.join(&folder).join("values.yaml"), text).unwrap();
        symlink(&folder, mount.join("..data_tmp")).unwrap();
        let old = fs::read_link(mount.join("..data")).ok();
        fs::rename(mount.join("..data_tmp"), mount.join("..data")).unwrap();
        if let Some(old) = old {
            fs::remove_dir_all(mount.join(old)).unwrap();
        }
    };
    publish("1");
    symlink("..data/values.yaml", mount.join("values.yaml")).unwrap();
    let deployed = Deployed(Process::start(place.command_for(&mount.join("values.yaml"))));
    for version in ["2", "3", "4"] {
        deployed.serves(&(version.parse::<u32>().unwrap() - 1).to_string()).await;
        publish(version);
    }
    deployed.serves("4").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn new_values_stop_running_transfer() {
    let place = place_with_versions().await;
    place.ask("/1", &[]);
    let deployed = place.deploy();
    deployed.serves("1").await;
    let (two, three) = (bundle("2"), bundle("3"));
    place.host.answers(move |asked| match asked.path.as_str() {
        "/2" => stalled(&two, 1000),
        _ => whole(&three),
    });
    place.ask("/2", &[]);
    while place.host.log().is_empty() {
        place.host.asked().await;
    }
    place.ask("/3", &[]);
    deployed.serves("3").await;
}
