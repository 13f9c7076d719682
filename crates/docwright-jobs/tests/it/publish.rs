//! Jobs whose subject is missing, which fail immediately and permanently; and a stopped job.

use std::{path::PathBuf, sync::Arc};

use docwright_agent::edits;
use docwright_jobs::{
    child::{self, Launcher},
    clock::Clock,
    disk::Disk,
    propose::{ModelSettings, Proposer},
    publish::Publisher,
    queue::{Job, Observer, Shutdown, Step, Worker},
};
use docwright_repository::{git_hosts::HostSettings, location::BUILT_IN};
use docwright_storage::{
    Objects,
    database::{NewAgentJob, Project, Prompted},
};
use docwright_types::{
    agent_job::AgentStatus,
    plan::{Limits, Plan},
    release::ReleaseStatus,
};
use tokio::{runtime::Handle, sync::Notify, task::block_in_place};

use crate::{
    instance::{Instance, soon},
    scripted::{LEASE, run_one},
};

fn worker<J: Job>(instance: &Instance, job: J) -> Worker<J> {
    Worker {
        job: Arc::new(job),
        database: instance.database.clone(),
        clock: Clock::default(),
        lease: LEASE,
        disk: Disk::default(),
        wake: Arc::new(Notify::new()),
        observer: Observer::default(),
        slots: Arc::default(),
        shutdown: Shutdown::default(),
    }
}

/// No test here starts a child.
fn launcher() -> Launcher {
    Launcher::new("/nowhere/docwright", child::Limits::default())
}

fn scratch(instance: &Instance) -> PathBuf {
    instance.folder().join("scratch")
}

fn publisher(instance: &Instance) -> Publisher {
    Publisher {
        database: instance.database.clone(),
        objects: Objects::open_folder(instance.folder(), Instance::keyring()).unwrap(),
        repositories: instance.repositories(HostSettings::default()),
        launcher: launcher(),
        scratch: scratch(instance),
        remote_specs: None,
        embedder: None,
        clock: Clock::default(),
        lost_bundles: instance.lost_bundles(),
    }
}

fn proposer(instance: &Instance) -> Proposer {
    Proposer {
        database: instance.database.clone(),
        repositories: instance.repositories(HostSettings::default()),
        launcher: launcher(),
        scratch: scratch(instance),
        checks: scratch(instance).join("checks"),
        models: ModelSettings::default(),
        author: ("docwright".to_owned(), "docwright@localhost".to_owned()),
        limits: docwright_agent::run::Limits::default(),
        clock: Clock::default(),
    }
}

/// Prompts an agent with the built-in edits. Returns the job's id.
async fn agent_job(instance: &Instance, project: &Project, prompt: &str) -> String {
    let new = NewAgentJob {
        organization_id: project.organization_id.clone(),
        project_id: project.id.clone(),
        repository: project.repository.clone(),
        model: edits::NAME.to_owned(),
        prompt: prompt.to_owned(),
        idempotency: None,
    };
    let Prompted::Job(job, _) = instance.database.create_agent_job(&new, 1).await.unwrap() else {
        panic!("the prompt is within all limits");
    };
    job.id
}

/// Runs a release. Returns why it failed at its first attempt.
async fn failed(instance: &Instance, id: &str) -> String {
    run_one(worker(instance, publisher(instance))).await;
    let release = instance.release(id).await;
    assert_eq!((release.status, release.failures), (ReleaseStatus::Failed, 0));
    assert!(!instance.has_work().await);
    release.error.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn release_of_deleted_site_fails_permanently() {
    let instance = Instance::new().await;
    let id = instance.queue("site").await;
    instance.execute("DELETE FROM sites").await;
    assert_eq!(failed(&instance, &id).await, "the site is gone");
}

#[tokio::test(flavor = "multi_thread")]
async fn release_of_missing_folder_fails_permanently() {
    let instance = Instance::new().await;
    let gone = instance.folder().join("gone").display().to_string();
    let project = instance.project("folder", &gone).await;
    let id = instance.request(&project).await;
    let error = failed(&instance, &id).await;
    assert!(!error.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn release_of_unsupported_address_fails_permanently() {
    let instance = Instance::new().await;
    let project = instance.project("address", "gopher://example.com/a").await;
    let id = instance.request(&project).await;
    let error = failed(&instance, &id).await;
    assert!(error.contains("gopher://") && error.contains("https://"), "{error}");
}

/// Otherwise, a slow checkout with old options could replace a release with new ones.
#[tokio::test(flavor = "multi_thread")]
async fn options_that_change_during_the_checkout_are_used() {
    let instance = Arc::new(Instance::new().await);
    let files = instance.folder().join("files");
    std::fs::create_dir_all(files.join("docs")).unwrap();
    std::fs::write(files.join("docs/docs.json"), r#"{"name": "D"}"#).unwrap();
    let project = instance.project("options", BUILT_IN).await;
    let publisher = publisher(&instance);
    publisher.repositories.built_in(&project.id).import(&files).await.unwrap();
    let id = instance.request(&project).await;
    let mut worker = worker(&instance, publisher);
    let drain = worker.shutdown.drain.clone();
    let changing = Arc::clone(&instance);
    worker.observer = Observer::of_steps(move |step| {
        drain.cancel();
        if step == Step::CheckedOut {
            let change = changing.execute("UPDATE projects SET docs_path = 'docs'");
            block_in_place(|| Handle::current().block_on(change));
        }
    });
    soon(worker.run()).await;
    let options = instance.database.options_of(&id).await.unwrap().unwrap();
    assert!(options.contains(r#""docsPath":"docs""#), "{options}");
    let error = instance.release(&id).await.error.unwrap_or_default();
    assert!(!error.contains("docs.json"), "the docs root is found: {error}");
}

/// An operator's folder has no pull requests, so retries don't help.
#[tokio::test(flavor = "multi_thread")]
async fn agent_job_on_folder_fails_permanently() {
    let instance = Instance::new().await;
    let project = instance.project("agent", "/srv/docs").await;
    let job = agent_job(&instance, &project, "p").await;
    run_one(worker(&instance, proposer(&instance))).await;
    let job = instance.database.agent_job(&project.id, &job).await.unwrap().unwrap();
    assert_eq!((job.status, job.failures), (AgentStatus::Failed, 0));
    assert!(job.error.unwrap().contains("has no pull requests"));
}

/// The result of a stopped check must not be recorded, or the next worker would fail the job.
#[tokio::test(flavor = "multi_thread")]
async fn stopped_check_leaves_run_unchanged() {
    let instance = Instance::new().await;
    let project = instance.project("stopped", BUILT_IN).await;
    let files = instance.folder().join("files");
    std::fs::create_dir(&files).unwrap();
    let docs = r#"{"name": "D", "navigation": [{"group": "A", "pages": ["index"]}]}"#;
    std::fs::write(files.join("docs.json"), docs).unwrap();
    std::fs::write(files.join("index.mdx"), "Hello\n").unwrap();
    let proposer = proposer(&instance);
    proposer.repositories.built_in(&project.id).import(&files).await.unwrap();
    let job = agent_job(&instance, &project, "add page new titled \"New\"").await;
    let mut worker = worker(&instance, proposer);
    let abandon = worker.shutdown.abandon.clone();
    let drain = worker.shutdown.drain.clone();
    // The change is complete, and its check is next.
    worker.observer = Observer::of_steps(move |step| {
        if step == Step::Worked {
            drain.cancel();
            abandon.cancel();
        }
    });
    soon(worker.run()).await;
    let found = instance.database.agent_job(&project.id, &job).await.unwrap().unwrap();
    assert_eq!((found.status, found.failures), (AgentStatus::Active, 0), "{:?}", found.error);
    let run = instance.database.agent_run(&job).await.unwrap().unwrap();
    assert!(run.contains(r#""phase":"check""#), "the next step is the check: {run}");
}

/// Sets the storage limit of the plan in these tests to nothing.
async fn include_no_storage(instance: &Instance) {
    let limits = instance.database.plan_limits(Plan::Free).await.unwrap().limits;
    let limits = Limits { storage_bytes: Some(0), ..limits };
    assert!(instance.database.set_plan_limits(Plan::Free, limits, None).await.unwrap());
}

const NO_STORAGE: &str = "of the 0 bytes of storage that its plan, free, includes";

/// A push or a pull request queued the release and can't be refused.
#[tokio::test]
async fn queued_release_fails_at_limit_of_storage() {
    let instance = Instance::new().await;
    let id = instance.queue("full").await;
    include_no_storage(&instance).await;
    let error = failed(&instance, &id).await;
    assert!(error.contains(NO_STORAGE), "{error}");
}

/// Otherwise, a site with a lost bundle couldn't be restored.
#[tokio::test]
async fn lost_bundle_is_built_again_at_limit_of_storage() {
    let instance = Instance::new().await;
    let id = instance.queue("lost").await;
    instance.execute("UPDATE releases SET bundle_lost_at = 1").await;
    include_no_storage(&instance).await;
    let error = failed(&instance, &id).await;
    assert!(error.contains("can't be rebuilt"), "the rebuild is tried: {error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_job_of_built_in_repository_fails_at_limit_of_storage() {
    let instance = Instance::new().await;
    let project = instance.project("agent", BUILT_IN).await;
    let job = agent_job(&instance, &project, "p").await;
    include_no_storage(&instance).await;
    run_one(worker(&instance, proposer(&instance))).await;
    let job = instance.database.agent_job(&project.id, &job).await.unwrap().unwrap();
    assert_eq!((job.status, job.failures), (AgentStatus::Failed, 0));
    assert!(job.error.unwrap().contains(NO_STORAGE));
}
