//! Jobs that have lost what they are about: they end at once, and for good.

use std::{path::PathBuf, sync::Arc};

use docwright_domain::{agent_job::AgentStatus, release::ReleaseStatus};
use docwright_flows::{
    child::{self, Launcher},
    clock::Clock,
    disk::Disk,
    propose::{ModelSettings, Proposer},
    publish::Publisher,
    queue::{Job, Observer, Shutdown, Worker},
};
use docwright_repository::forge::HostSettings;
use docwright_storage::{
    Objects,
    database::{NewAgentJob, Prompted},
};
use tokio::sync::Notify;

use crate::{
    install::Install,
    scripted::{LEASE, run_one},
};

fn worker<J: Job>(install: &Install, job: J) -> Worker<J> {
    Worker {
        job: Arc::new(job),
        database: install.database.clone(),
        clock: Clock::default(),
        lease: LEASE,
        disk: Disk::default(),
        wake: Arc::new(Notify::new()),
        observer: Observer::default(),
        lookout: Arc::default(),
        shutdown: Shutdown::default(),
    }
}

/// No test here comes as far as a child.
fn launcher() -> Launcher {
    Launcher::new("/nowhere/docwright", child::Limits::default())
}

fn scratch(install: &Install) -> PathBuf {
    install.folder().join("scratch")
}

fn publisher(install: &Install) -> Publisher {
    Publisher {
        database: install.database.clone(),
        objects: Objects::open_folder(install.folder(), Install::keyring()).unwrap(),
        repositories: install.repositories(HostSettings::default()),
        launcher: launcher(),
        scratch: scratch(install),
        remote_specs: None,
        analytics: false,
        clock: Clock::default(),
    }
}

/// Runs a release. Returns why it failed, at its first attempt.
async fn failed(install: &Install, id: &str) -> String {
    run_one(worker(install, publisher(install))).await;
    let release = install.release(id).await;
    assert_eq!((release.status, release.failures), (ReleaseStatus::Failed, 0));
    assert!(!install.has_work().await);
    release.error.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_release_of_a_site_that_is_gone_fails_for_good() {
    let install = Install::new().await;
    let id = install.queue("site").await;
    install.execute("DELETE FROM sites").await;
    assert_eq!(failed(&install, &id).await, "the site is gone");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_release_of_a_folder_that_is_gone_fails_for_good() {
    let install = Install::new().await;
    let gone = install.folder().join("gone").display().to_string();
    let project = install.project("folder", &gone).await;
    let id = install.request(&project).await;
    let error = failed(&install, &id).await;
    assert!(!error.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_release_of_an_address_that_cant_be_read_fails_for_good() {
    let install = Install::new().await;
    let project = install.project("address", "gopher://example.com/a").await;
    let id = install.request(&project).await;
    let error = failed(&install, &id).await;
    assert!(error.contains("gopher://") && error.contains("https://"), "{error}");
}

/// A folder of the operator takes no pull requests, however often it is tried.
#[tokio::test(flavor = "multi_thread")]
async fn an_agent_job_on_a_folder_fails_for_good() {
    let install = Install::new().await;
    let project = install.project("agent", "/srv/docs").await;
    let new = NewAgentJob {
        organization_id: project.organization_id.clone(),
        project_id: project.id.clone(),
        repository: project.repository.clone(),
        model: "m".to_owned(),
        prompt: "p".to_owned(),
        idempotency: None,
    };
    let Prompted::Job(job, _) = install.database.create_agent_job(&new, 1).await.unwrap() else {
        panic!("it is within every limit");
    };
    let proposer = Proposer {
        database: install.database.clone(),
        repositories: install.repositories(HostSettings::default()),
        launcher: launcher(),
        scratch: scratch(&install),
        checks: scratch(&install).join("checks"),
        models: ModelSettings::default(),
        author: ("docwright".to_owned(), "docwright@localhost".to_owned()),
        limits: docwright_agent::run::Limits::default(),
        clock: Clock::default(),
    };
    run_one(worker(&install, proposer)).await;
    let job = install.database.agent_job(&project.id, &job.id).await.unwrap().unwrap();
    assert_eq!((job.status, job.failures), (AgentStatus::Failed, 0));
    assert!(job.error.unwrap().contains("has no pull requests"));
}
