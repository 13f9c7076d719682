//! Repositories that attack the process that compiles them.

use std::{fs, fs::File, io::Write, os::unix::fs::symlink, time::Duration};

use docwright_jobs::child::{ChildFailure, Limits};

use super::{ChildFolders, launcher};
use crate::tenants::ENDLESS;

#[tokio::test]
async fn endless_page_is_stopped_at_time_limit() {
    let place = ChildFolders::with_page(ENDLESS);
    let limits = Limits { wall_time: Duration::from_secs(2), ..Limits::default() };
    let error = place.run(&launcher(limits)).await.unwrap_err();
    assert!(!error.is_transient());
    let text = error.to_string();
    assert!(text.starts_with("the build exceeded the time limit of 2 seconds; look for"), "{text}");
}

#[tokio::test]
async fn endless_page_is_stopped_at_limit_of_processor_time() {
    let place = ChildFolders::with_page(ENDLESS);
    let limits = Limits { processor_time: Duration::from_secs(1), ..Limits::default() };
    let error = place.run(&launcher(limits)).await.unwrap_err();
    assert!(matches!(error.failure, ChildFailure::ProcessorTime(_)), "{error:?}");
    assert!(!error.is_transient());
}

#[tokio::test]
async fn large_repository_is_stopped_at_memory_limit() {
    let place = ChildFolders::with_page("text");
    for number in 0..60 {
        // Text takes memory unless another file has the same, while zeros take no disk space.
        let mut file = File::create(place.root.join(format!("{number}.txt"))).unwrap();
        write!(file, "{number}").unwrap();
        file.set_len(10 * 1024 * 1024).unwrap();
    }
    let limits = Limits { memory: 128 * 1024 * 1024, ..Limits::default() };
    let error = place.run(&launcher(limits)).await.unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("the build needed more than 128 MiB of memory"), "{text}");
    assert!(!error.is_transient());
}

#[tokio::test]
async fn growing_site_is_stopped_at_size_limits() {
    let place = ChildFolders::with_page("text");
    let limits = Limits { file_size: 4096, ..Limits::default() };
    let error = place.run(&launcher(limits)).await.unwrap_err();
    assert!(matches!(error.failure, ChildFailure::FileSize(4096)), "{error:?}");

    let place = ChildFolders::with_page("text");
    let limits = Limits { output_size: 64 * 1024, ..Limits::default() };
    let error = place.run(&launcher(limits)).await.unwrap_err();
    assert!(error.to_string().contains("the site is larger than"), "{error}");
    assert!(!error.is_transient());
}

#[tokio::test]
async fn other_folders_are_not_read() {
    let place = ChildFolders::with_page("text");
    let secret = place.folder.path().join("data");
    fs::create_dir(&secret).unwrap();
    fs::write(secret.join("docs.json"), r#"{"name":"x","navigation":{"pages":["index"]}}"#)
        .unwrap();
    let launcher = launcher(Limits::default());
    let mut build = place.build();
    build.root = secret.clone();
    let outcome = launcher.run(build, &place.folders(), &(), std::future::pending()).await;
    let text = outcome.unwrap_err().to_string();
    assert_eq!(
        text,
        "cannot read the docs root: Permission denied (os error 13); check the path and its permissions"
    );

    // Reads the secret through a link inside the docs root.
    symlink(&secret, place.root.join("data")).unwrap();
    let mut build = place.build();
    build.root = place.root.join("data");
    let outcome = launcher.run(build, &place.folders(), &(), std::future::pending()).await;
    assert!(outcome.unwrap_err().to_string().contains("Permission denied"));
}

#[tokio::test]
async fn other_folders_are_not_written() {
    let place = ChildFolders::with_page("text");
    let outside = place.folder.path().join("bundle.tar.gz");
    let launcher = launcher(Limits::default());
    for target in [outside.clone(), place.root.join("bundle.tar.gz")] {
        let mut build = place.build();
        build.bundle = target.clone();
        let outcome = launcher.run(build, &place.folders(), &(), std::future::pending()).await;
        let text = outcome.unwrap_err().to_string();
        assert!(text.contains("the bundle can't be written: Permission denied"), "{text}");
        assert!(!target.exists());
    }
    // Access to a single file can be allowed, too.
    File::create(&outside).unwrap();
    let mut folders = place.folders();
    folders.write.push(outside.clone());
    let mut build = place.build();
    build.bundle = outside.clone();
    launcher.run(build, &folders, &(), std::future::pending()).await.unwrap();
    assert!(fs::metadata(outside).unwrap().len() > 0);
}
