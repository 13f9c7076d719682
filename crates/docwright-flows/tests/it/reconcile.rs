//! Branches of the built-in git host that moved without anybody saying so.

use std::sync::Arc;

use docwright_domain::release::{ReleaseStatus, Trigger};
use docwright_flows::{
    repositories::Repositories,
    upkeep::{Reconciler, reconcile},
};
use docwright_repository::forge::HostSettings;
use docwright_repository::location::BUILT_IN;
use docwright_storage::database::{Project, Queue};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::install::{Install, soon};

/// A project whose repository has a commit.
async fn built_in(install: &Install, repositories: &Repositories, name: &str) -> Project {
    let project = install.project(name, BUILT_IN).await;
    let files = install.folder().join(name);
    std::fs::create_dir(&files).unwrap();
    std::fs::write(files.join("index.mdx"), "Hello\n").unwrap();
    repositories.built_in(&project.id).import(&files).await.unwrap();
    project
}

/// Moves the branch by hand, as a push does whose process died right after it. Returns the commit.
async fn advance(install: &Install, repositories: &Repositories, project: &Project) -> String {
    let folder = repositories.built_in(&project.id).repository();
    let git = install.git().with_author("T", "t@example.org");
    let commit = ["commit-tree", "main^{tree}", "-p", "main", "-m", "More"];
    let commit = git.run(&folder, &commit).await.unwrap();
    git.run(&folder, &["update-ref", "refs/heads/main", &commit]).await.unwrap();
    commit
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_that_moved_gets_one_release() {
    let install = Install::new().await;
    let repositories = install.repositories(HostSettings::default());
    let project = built_in(&install, &repositories, "moved").await;
    let database = &install.database;
    assert_eq!(reconcile(&repositories).await.unwrap(), 1, "its first head");
    assert_eq!(reconcile(&repositories).await.unwrap(), 0);
    let first = database.releases(&project.id, None, 10).await.unwrap();
    assert_eq!((first.len(), first[0].trigger), (1, Trigger::Poll));
    let lease = database.claim(Queue::Releases, 60_000, 1).await.unwrap().unwrap().lease;
    assert!(database.fail(&lease, "done", 1).await.unwrap());
    let commit = advance(&install, &repositories, &project).await;
    assert_eq!(reconcile(&repositories).await.unwrap(), 1);
    assert_eq!(reconcile(&repositories).await.unwrap(), 0, "it was seen");
    let releases = database.releases(&project.id, None, 10).await.unwrap();
    assert_eq!(releases.len(), 2);
    assert_eq!(releases[0].status, ReleaseStatus::Queued);
    let seen = database.last_head(&project.id, Some("main")).await.unwrap();
    assert_eq!(seen.as_deref(), Some(commit.as_str()));
}

/// A head that was reported is nothing new.
#[tokio::test(flavor = "multi_thread")]
async fn a_branch_that_was_reported_gets_none() {
    let install = Install::new().await;
    let repositories = install.repositories(HostSettings::default());
    let project = built_in(&install, &repositories, "reported").await;
    let commit = advance(&install, &repositories, &project).await;
    let head = (commit.as_str(), Trigger::Push);
    assert!(install.database.branch_moved(&project.id, ("main", true), head, 1).await.unwrap());
    assert_eq!(reconcile(&repositories).await.unwrap(), 0);
    assert_eq!(install.database.releases(&project.id, None, 10).await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cant_be_read_keeps_no_other_from_its_release() {
    let install = Install::new().await;
    let repositories = install.repositories(HostSettings::default());
    install.project("missing", BUILT_IN).await;
    let empty = install.project("empty", BUILT_IN).await;
    repositories.built_in(&empty.id).create().await.unwrap();
    install.project("folder", &install.folder().display().to_string()).await;
    install.project("wrong", "gopher://example.com/a").await;
    let good = built_in(&install, &repositories, "good").await;
    assert_eq!(reconcile(&repositories).await.unwrap(), 1);
    assert_eq!(install.database.releases(&good.id, None, 10).await.unwrap().len(), 1);
    assert_eq!(install.number("SELECT COUNT(*) FROM releases").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reconciler_wakes_the_workers_and_stops() {
    let install = Install::new().await;
    let repositories = install.repositories(HostSettings::default());
    let project = built_in(&install, &repositories, "wakes").await;
    let (wake, stop) = (Arc::new(Notify::new()), CancellationToken::new());
    let reconciler = Reconciler { repositories, wake: Arc::clone(&wake) };
    let running = tokio::spawn(reconciler.run(stop.clone()));
    soon(wake.notified()).await;
    assert_eq!(install.database.releases(&project.id, None, 10).await.unwrap().len(), 1);
    stop.cancel();
    soon(running).await.unwrap();
}
