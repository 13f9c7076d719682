//! Costs of a child process. This only measures, so it runs on request, and needs a repository.
//!
//! `DOCWRIGHT_REPOSITORY=DIR DOCWRIGHT_PROGRAM=FILE cargo test -p docwright --test it child::cost::measure_
//! -- --ignored --nocapture --test-threads 1`. The program must be a release build.

use std::{
    future::pending,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use docwright_jobs::child::{
    Folders, Launcher, Limits,
    work::{Build, BuildOptions, UnknownPaths},
};

use super::ChildFolders;

fn program() -> PathBuf {
    std::env::var_os("DOCWRIGHT_PROGRAM")
        .unwrap_or_else(|| env!("CARGO_BIN_EXE_docwright").into())
        .into()
}

#[tokio::test]
#[ignore = "measures"]
async fn measure_start_and_end() {
    let place = ChildFolders::with_page("text");
    let launcher = Launcher::new(program(), Limits::default());
    let mut times = Vec::new();
    for _ in 0..50 {
        let started = Instant::now();
        let paths = UnknownPaths { root: place.root.clone(), paths: Vec::new() };
        launcher.run(paths, &place.folders(), &(), pending()).await.unwrap();
        times.push(started.elapsed());
    }
    times.sort();
    println!("start and end: median {:?}, slowest {:?}", times[25], times[49]);
}

#[tokio::test]
#[ignore = "measures"]
async fn measure_build_with_and_without() {
    let root = PathBuf::from(
        std::env::var_os("DOCWRIGHT_REPOSITORY").expect("DOCWRIGHT_REPOSITORY names a folder"),
    );
    let launcher = Launcher::new(program(), Limits::default());
    for _ in 0..3 {
        let folder = tempfile::tempdir().unwrap();
        let started = Instant::now();
        export(&root, &folder.path().join("bundle.tar.gz"));
        println!("without a child: {:?}", started.elapsed());

        let folder = tempfile::tempdir().unwrap();
        let scratch = folder.path().to_owned();
        let folders = Folders { read: vec![root.clone()], write: vec![scratch.clone()] };
        let bundle = scratch.join("bundle.tar.gz");
        let options = BuildOptions::default();
        let work =
            Build { root: root.clone(), scratch, bundle, options, questions: None, results: None };
        let started = Instant::now();
        let built = launcher.run(work, &folders, &(), pending()).await.unwrap();
        println!("with a child: {} pages in {:?}", built.page_count, started.elapsed());
    }
}

/// Runs the same program with the same work but without limits, confinement, or dialog.
fn export(root: &Path, bundle: &Path) {
    let mut command = Command::new(program());
    command.args(["export", "--no-cache"]).arg(root).arg("--json").arg("--out").arg(bundle);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
}
