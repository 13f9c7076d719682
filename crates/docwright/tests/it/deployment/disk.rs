//! Killed processes, full or damaged disks, and a data folder that two processes want.

use std::{fs, process::Command};

use docwright_testing::wait::eventually;

use super::{
    Deployed, DeploymentFolder,
    bundles::{bundle, sha256},
    end_of,
    host::{stalled, status},
};
use crate::server::Process;

/// A folder where a process deployed version 1 and exited.
async fn deployed_once() -> DeploymentFolder {
    let place = DeploymentFolder::new().await;
    place.host.gives(&bundle("1"));
    place.ask("/bundle", &[]);
    place.deploy().serves("1").await;
    place
}

/// Checks that the last valid version is served and that nothing else is left.
async fn only_the_first_is_left(place: &DeploymentFolder) {
    place.host.answers(|_| status(403));
    for pin in [&["version: '1'"][..], &[]] {
        place.ask("/bundle", pin);
        let deployed = place.deploy();
        if pin.is_empty() {
            deployed.says("expired").await;
        }
        deployed.shows("1").await;
        assert!(!place.data().join("bundle.download").exists());
    }
    assert_eq!(place.versions(), [format!("{}.tar.gz", sha256(&bundle("1")))]);
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_during_fetch_keeps_last_version() {
    let place = deployed_once().await;
    let two = bundle("2");
    place.host.answers(move |_| stalled(&two, two.len() / 2));
    let mut deployed = place.deploy();
    place.host.asked().await;
    let download = place.data().join("bundle.download");
    eventually("the download is under way", async || download.exists()).await;
    deployed.shows("1").await;
    deployed.0.kill();
    assert!(place.data().join("bundle.download").exists());
    only_the_first_is_left(&place).await;
}

/// Remains of a process that was killed at each step between the transfer and the switch.
#[tokio::test(flavor = "multi_thread")]
async fn kill_between_fetch_and_switch_keeps_last_version() {
    let two = bundle("2");
    let name = format!("versions/{}.tar.gz", sha256(&two));
    let current = format!("{}\n{}\n", sha256(&two), sha256(&bundle("1")));
    let half = &two[..two.len() / 2];
    let steps: [&[(&str, &[u8])]; 5] = [
        &[("bundle.download", &two)],
        // Repacking the bundle.
        &[("bundle.download", &two), (&format!("{name}.partial"), half)],
        // The bundle is in its place.
        &[(&name, &two)],
        // Writing the switch.
        &[(&name, &two), ("current.partial", &current.as_bytes()[..30])],
        &[(&name, &two), ("current.partial", current.as_bytes())],
    ];
    for step in steps {
        let place = deployed_once().await;
        for (path, contents) in step {
            fs::write(place.data().join(path), contents).unwrap();
        }
        only_the_first_is_left(&place).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_version_is_replaced_by_previous_one() {
    let place = deployed_once().await;
    place.host.gives(&bundle("2"));
    place.deploy().serves("2").await;
    let name = format!("{}.tar.gz", sha256(&bundle("2")));
    let path = place.data().join("versions").join(name);
    fs::write(&path, &bundle("2")[..1000]).unwrap();
    place.host.answers(|_| status(503));
    let deployed = place.deploy();
    deployed.says("503").await;
    deployed.shows("1").await;
    // Deploying the same bundle again repairs it.
    place.host.gives(&bundle("2"));
    deployed.0.signal("HUP");
    deployed.serves("2").await;
    assert_eq!(fs::read(path).unwrap(), bundle("2"));
}

/// The command, prepared by a shell. A limit on file sizes simulates a full disk: writing fails halfway.
pub(super) fn with_full_disk(place: &DeploymentFolder, prepare: &str) -> Command {
    let command = place.command();
    let mut shell = Command::new("bash");
    shell.args(["-c", &format!("ulimit -f 20; {prepare} exec \"$0\" \"$@\"")]);
    shell.arg(command.get_program()).args(command.get_args()).env("RUST_LOG", "off");
    shell
}

#[tokio::test(flavor = "multi_thread")]
async fn full_disk_keeps_last_valid_version() {
    let place = deployed_once().await;
    place.host.gives(&bundle("2"));
    let deploy = |prepare| with_full_disk(&place, prepare);
    assert!(bundle("2").len() > 20 * 1024);
    // Exceeding the limit kills this process with a signal.
    assert_eq!(end_of(deploy("")).await.status.code(), None);
    assert!(place.data().join("bundle.download").exists());
    let deployed = Deployed(Process::start(deploy("trap '' XFSZ;")));
    let answer = deployed.says("cannot write the download").await;
    assert_eq!((&answer["ready"], answer["version"].as_str()), (&true.into(), Some("1")));
    deployed.shows("1").await;
    drop(deployed);
    only_the_first_is_left(&place).await;
}

/// Without the list of versions, no version is known to be unused.
#[tokio::test(flavor = "multi_thread")]
async fn lost_list_removes_nothing() {
    let place = deployed_once().await;
    let name = format!("{}.tar.gz", sha256(&bundle("1")));
    fs::remove_file(place.data().join("current")).unwrap();
    place.host.answers(|_| status(403));
    assert!(place.fails().await.contains("expired"));
    assert_eq!(place.versions(), [name.as_str()]);
    // An unreadable list doesn't reset the deployment either.
    fs::create_dir(place.data().join("current")).unwrap();
    assert!(place.fails().await.contains("cannot read"));
    assert_eq!(place.versions(), [name]);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_do_not_share_a_data_folder() {
    let place = deployed_once().await;
    let deployed = place.deploy();
    let error = place.fails().await;
    assert!(
        error.contains("another `docwright deploy` uses") && error.contains("--data"),
        "{error}"
    );
    deployed.serves("1").await;
    drop(deployed);
    // The lock ends with the process, however it ends.
    place.deploy().serves("1").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bundle_can_be_a_file() {
    let place = DeploymentFolder::new().await;
    let file = place.folder.path().join("bundle.tar.gz");
    fs::write(&file, bundle("1")).unwrap();
    let ask = |url: &str| {
        fs::write(place.values(), format!("staticExport:\n  bundleUrl: '{url}'\n")).unwrap();
    };
    ask(&file.display().to_string());
    let deployed = place.deploy();
    deployed.serves("1").await;
    // The file was copied, so later changes don't affect readers.
    fs::write(&file, bundle("2")).unwrap();
    deployed.shows("1").await;
    ask(&format!("file://{}", file.display()));
    deployed.serves("2").await;
    for (wrong, reason) in [
        ("FTP://example.com/bundle?signature=abc".to_owned(), "must be the path of a file"),
        ("/no/such/file".to_owned(), "cannot read"),
        (place.data().display().to_string(), "not a file"),
    ] {
        ask(&wrong);
        deployed.says(reason).await;
        deployed.shows("2").await;
    }
}
