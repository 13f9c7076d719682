//! Programs that pretend to be a child process.

use std::{collections::BTreeSet, fs, future::pending, path::PathBuf, time::Duration};

use docwright_jobs::child::{ChildError, ChildFailure, Launcher, Limits, work::Built};
use docwright_testing::{programs, wait::eventually};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::{ChildFolders, is_running, line_of};

/// A shell script that replaces the program. It sends frames from a file.
struct Fake {
    place: ChildFolders,
    program: PathBuf,
}

impl Fake {
    fn new(frames: &[u8], script: &str) -> Self {
        let place = ChildFolders::new();
        let folder = place.folder.path();
        let program = folder.join("program");
        fs::write(folder.join("frames"), frames).unwrap();
        let text = format!("#!/bin/sh\nset -e\ncd '{}'\n{script}\n", folder.display());
        programs::write(&program, &text);
        Self { place, program }
    }

    fn launcher(&self) -> Launcher {
        let limits = Limits {
            wall_time: Duration::from_secs(3),
            start_time: Duration::from_secs(3),
            ..Limits::default()
        };
        Launcher::new(&self.program, limits)
    }

    /// A launcher with the usual limits, for children that end for another reason.
    fn patient_launcher(&self) -> Launcher {
        Launcher::new(&self.program, Limits::default())
    }

    async fn run(&self) -> Result<Built, ChildError> {
        self.place.run(&self.launcher()).await
    }
}

fn frame(message: &Value) -> Vec<u8> {
    let text = message.to_string();
    let length = u32::try_from(text.len()).unwrap();
    [&length.to_be_bytes(), text.as_bytes()].concat()
}

fn hello() -> Vec<u8> {
    let applied = json!({ "files": "full", "system_calls": "full" });
    frame(&json!({ "Hello": { "version": env!("CARGO_PKG_VERSION"), "applied": applied } }))
}

fn progress(rendered: usize) -> Vec<u8> {
    frame(&json!({ "Progress": { "rendered": rendered, "total": 9 } }))
}

/// Returns how the protocol was broken. The user-facing error doesn't mention it.
async fn broken(frames: &[u8], script: &str) -> String {
    let error = Fake::new(frames, script).run().await.unwrap_err();
    assert!(
        error.to_string().contains("returned an invalid answer") && !error.is_transient(),
        "{error:?}"
    );
    match error.failure {
        ChildFailure::Protocol(problem) => problem,
        other => panic!("{other:?}"),
    }
}

const SEND_AND_WAIT: &str = "/bin/cat frames; exec /bin/sleep 60";

#[tokio::test]
async fn invalid_frames_end_the_child() {
    let text = r#"{"Done":{"Paths":["x"]}}"#.as_bytes();
    let other_answer = frame(&serde_json::from_slice(text).unwrap());
    let untrue = json!({ "page_count": 1, "errors": 3, "warnings": 0, "diagnostics": [] });
    let untrue = frame(&json!({ "Done": { "Built": untrue } }));
    for (frames, problem) in [
        (vec![0xff; 4], "4294967295 bytes"),
        ([hello(), vec![0xff; 4]].concat(), "4294967295 bytes"),
        (b"\0\0\0\x05hello".to_vec(), "can't be understood"),
        (progress(1), "did not say hello"),
        ([hello(), progress(5), progress(4)].concat(), "4 of 9 pages after 5 of 9"),
        ([hello(), progress(0).repeat(2000)].concat(), "too many frames"),
        ([hello(), other_answer].concat(), "doesn't match the request"),
        ([hello(), untrue].concat(), "doesn't match the request"),
    ] {
        let found = broken(&frames, SEND_AND_WAIT).await;
        assert!(found.contains(problem), "{problem}: {found}");
    }
}

#[tokio::test]
async fn child_inherits_no_variables() {
    let fake = Fake::new(b"", "/bin/cat /proc/$$/environ >environment");
    fake.run().await.unwrap_err();
    let variables = fs::read_to_string(fake.place.folder.path().join("environment")).unwrap();
    let names = variables.split_terminator('\0').filter_map(|each| Some(each.split_once('=')?.0));
    let names: BTreeSet<_> = names.collect();
    assert_eq!(names, BTreeSet::from(["MIMALLOC_PURGE_DELAY", "RAYON_NUM_THREADS"]));
}

#[tokio::test]
async fn child_that_ends_early_is_an_error() {
    let cut = [hello(), progress(1)[..7].to_vec()].concat();
    assert!(broken(&cut, "/bin/cat frames").await.contains("ended without an answer"));
}

#[tokio::test]
async fn silence_ends_the_child() {
    let error = Fake::new(b"", SEND_AND_WAIT).run().await.unwrap_err();
    assert!(matches!(error.failure, ChildFailure::Start(_)) && error.is_transient(), "{error:?}");
    let error = Fake::new(&hello(), SEND_AND_WAIT).run().await.unwrap_err();
    assert!(matches!(error.failure, ChildFailure::WallTime(_)), "{error:?}");
}

#[tokio::test]
async fn crashes_are_not_retried() {
    for (script, how) in [
        ("kill -KILL $$", "signal 9"),
        ("/bin/cat frames; kill -SEGV $$", "signal 11"),
        ("/bin/cat frames; exit 101", "a panic"),
    ] {
        let error = Fake::new(&hello(), script).run().await.unwrap_err();
        assert!(!error.is_transient());
        assert!(error.to_string().contains(&format!("the build crashed ({how})")), "{error}");
    }
}

#[tokio::test]
async fn missing_program_is_transient() {
    let place = ChildFolders::new();
    let launcher = Launcher::new("/no/such/program", Limits::default());
    let error = place.run(&launcher).await.unwrap_err();
    assert!(matches!(error.failure, ChildFailure::Start(_)) && error.is_transient(), "{error:?}");
}

/// A long-running child with its own subprocess. It writes both ids to files.
fn long() -> Fake {
    let script = "/bin/cat frames; echo $$ > leader; /bin/sleep 600 & echo $! > follower; wait";
    Fake::new(&hello(), script)
}

async fn processes(fake: &Fake) -> [u32; 2] {
    let folder = fake.place.folder.path();
    let (leader, follower) = (folder.join("leader"), folder.join("follower"));
    [line_of(&leader).await.parse().unwrap(), line_of(&follower).await.parse().unwrap()]
}

#[tokio::test]
async fn stopped_child_is_gone() {
    let fake = long();
    let (stop, stopped) = oneshot::channel::<()>();
    let (launcher, folders) = (fake.patient_launcher(), fake.place.folders());
    let stopped = async { drop(stopped.await) };
    let (outcome, [leader, follower]) =
        tokio::join!(launcher.run(fake.place.build(), &folders, &(), stopped), async {
            let ids = processes(&fake).await;
            drop(stop);
            ids
        });
    let error = outcome.unwrap_err();
    assert!(matches!(error.failure, ChildFailure::Stopped) && error.is_transient(), "{error:?}");
    assert!(!is_running(leader), "the child was reaped");
    until_gone(follower).await;
}

#[tokio::test]
async fn dropped_child_is_killed() {
    let fake = long();
    let launcher = fake.patient_launcher();
    let folders = fake.place.folders();
    let ids = tokio::select! {
        outcome = launcher.run(fake.place.build(), &folders, &(), pending()) => panic!("{outcome:?}"),
        ids = processes(&fake) => ids,
    };
    for id in ids {
        until_gone(id).await;
    }
}

async fn until_gone(process: u32) {
    eventually(&format!("process {process} is gone"), async || !is_running(process)).await;
}
