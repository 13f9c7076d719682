//! Polls of repositories: unreported changes of branches, and unreadable repositories.

use std::sync::{Arc, Mutex};

use docwright_jobs::{
    clock::Clock,
    disk::Disk,
    poll::{PollOutcome, Poller},
    queue::{Observer, Shutdown, Worker},
    repositories::Repositories,
};
use docwright_repository::{clones, git_hosts::HostSettings, location::BUILT_IN};
use docwright_storage::database::{PageRequest, Project, Queue};
use docwright_types::release::{ReleaseStatus, Trigger};
use tokio::sync::Notify;

use crate::{
    instance::{Instance, soon},
    scripted::{LEASE, run_one},
};

const POLL: i64 = 300_000;

/// Everything that polls need, and their outcomes.
struct Polls<'a> {
    instance: &'a Instance,
    repositories: Repositories,
    poll: Option<i64>,
    wake: Arc<Notify>,
}

impl<'a> Polls<'a> {
    fn of(instance: &'a Instance) -> Self {
        let repositories = instance.repositories(HostSettings::default());
        Self { instance, repositories, poll: Some(POLL), wake: Arc::default() }
    }

    /// Runs all due polls, and returns their outcomes.
    async fn take(&self) -> Vec<PollOutcome> {
        let outcomes = Arc::<Mutex<Vec<_>>>::default();
        while self.due().await > 0 {
            let seen = Arc::clone(&outcomes);
            let poller = Poller {
                repositories: self.repositories.clone(),
                wake: Arc::clone(&self.wake),
                poll: self.poll,
                observe: Box::new(move |outcome| seen.lock().unwrap().push(outcome)),
            };
            run_one(Worker {
                job: Arc::new(poller),
                database: self.instance.database.clone(),
                clock: Clock::default(),
                lease: LEASE,
                disk: Disk::default(),
                wake: Arc::new(Notify::new()),
                observer: Observer::default(),
                slots: Arc::default(),
                shutdown: Shutdown::default(),
            })
            .await;
        }
        outcomes.lock().unwrap().clone()
    }

    async fn due(&self) -> i64 {
        let sql = "SELECT COUNT(*) FROM polls WHERE status = 'open' AND run_after <= unixepoch('subsec') * 1000";
        self.instance.number(sql).await
    }

    /// Lets time pass.
    async fn pass(&self, milliseconds: i64) {
        let sql = format!("UPDATE polls SET run_after = run_after - {milliseconds}");
        self.instance.execute(&sql).await;
    }

    /// How many polls found a new head.
    async fn moved(&self) -> usize {
        self.take().await.into_iter().filter(|outcome| *outcome == PollOutcome::New).count()
    }
}

/// A project whose repository has a commit.
async fn built_in(instance: &Instance, repositories: &Repositories, name: &str) -> Project {
    let project = instance.project(name, BUILT_IN).await;
    let files = instance.folder().join(name);
    std::fs::create_dir(&files).unwrap();
    std::fs::write(files.join("index.mdx"), "Hello\n").unwrap();
    repositories.built_in(&project.id).import(&files).await.unwrap();
    project
}

/// Moves the branch manually, like a push whose process died right after it. Returns the commit.
async fn advance(instance: &Instance, repositories: &Repositories, project: &Project) -> String {
    let folder = repositories.built_in(&project.id).repository();
    let git = instance.git().with_author("T", "t@example.org");
    let commit = ["commit-tree", "main^{tree}", "-p", "main", "-m", "More"];
    let commit = git.run(&folder, &commit).await.unwrap();
    git.run(&folder, &["update-ref", "refs/heads/main", &commit]).await.unwrap();
    commit
}

/// The process of a push ended before it recorded anything.
#[tokio::test(flavor = "multi_thread")]
async fn poll_records_size_of_built_in_repository() {
    let instance = Instance::new().await;
    let polls = Polls::of(&instance);
    let project = built_in(&instance, &polls.repositories, "size").await;
    instance.execute("UPDATE projects SET repository_bytes = 1").await;
    polls.take().await;
    let size = clones::size(&polls.repositories.built_in(&project.id).repository());
    let recorded = instance.number("SELECT repository_bytes FROM projects").await;
    assert_eq!(u64::try_from(recorded).unwrap(), size);
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_branch_gets_one_release() {
    let instance = Instance::new().await;
    let polls = Polls::of(&instance);
    let project = built_in(&instance, &polls.repositories, "moved").await;
    let database = &instance.database;
    assert_eq!(polls.moved().await, 1, "the first head");
    polls.pass(2 * POLL).await;
    assert_eq!(polls.take().await, [PollOutcome::Same]);
    let first = database.releases(&project.id, None, PageRequest::first(10)).await.unwrap();
    assert_eq!((first.len(), first[0].trigger), (1, Trigger::Poll));
    let lease = database.claim(Queue::Releases, 60_000, 1).await.unwrap().unwrap().lease;
    assert!(database.fail(&lease, "done", 1).await.unwrap());
    let commit = advance(&instance, &polls.repositories, &project).await;
    assert_eq!(polls.take().await, [], "the poll isn't due");
    polls.pass(2 * POLL).await;
    assert_eq!(polls.moved().await, 1);
    soon(polls.wake.notified()).await;
    let releases = database.releases(&project.id, None, PageRequest::first(10)).await.unwrap();
    assert_eq!(releases.len(), 2);
    assert_eq!(releases[0].status, ReleaseStatus::Queued);
    let seen = database.last_head(&project.id, Some("main")).await.unwrap();
    assert_eq!(seen.as_deref(), Some(commit.as_str()));
}

/// A reported head is not new.
#[tokio::test(flavor = "multi_thread")]
async fn reported_head_gets_no_release() {
    let instance = Instance::new().await;
    let polls = Polls::of(&instance);
    let project = built_in(&instance, &polls.repositories, "reported").await;
    let commit = advance(&instance, &polls.repositories, &project).await;
    let head = (commit.as_str(), Trigger::Push);
    assert!(
        instance.database.record_pushed_head(&project.id, ("main", true), head, 1).await.unwrap()
    );
    assert_eq!(polls.take().await, [PollOutcome::Same]);
    assert_eq!(
        instance.database.releases(&project.id, None, PageRequest::first(10)).await.unwrap().len(),
        1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn unreadable_repository_reports_reason_and_delays_no_other() {
    let instance = Instance::new().await;
    let polls = Polls::of(&instance);
    let missing = instance.project("missing", BUILT_IN).await;
    let empty = instance.project("empty", BUILT_IN).await;
    polls.repositories.built_in(&empty.id).create().await.unwrap();
    let folder = instance.project("folder", &instance.folder().display().to_string()).await;
    let wrong = instance.project("wrong", "gopher://example.com/a").await;
    let private = instance.project("private", "https://127.0.0.1:1/a/b.git").await;
    let good = built_in(&instance, &polls.repositories, "good").await;
    assert_eq!(polls.moved().await, 1);
    assert_eq!(instance.number("SELECT COUNT(*) FROM releases").await, 1);
    let error = async |project: &Project| {
        let state = instance.database.poll_state(&project.id).await.unwrap().unwrap();
        assert!(state.polled_at.is_some());
        state.error.unwrap_or_default()
    };
    for project in [&missing, &wrong] {
        assert!(!error(project).await.is_empty(), "{}", project.name);
    }
    assert!(error(&empty).await.contains("push a commit"));
    assert!(error(&private).await.contains("--private-hosts"));
    assert!(error(&good).await.is_empty() && error(&folder).await.is_empty());
    let idle = format!("SELECT COUNT(*) FROM polls WHERE id = '{}' AND status = 'idle'", folder.id);
    assert_eq!(instance.number(&idle).await, 1, "folders are not polled");
    // Each failed poll is followed by a longer wait, and a successful one by the usual wait.
    let wait = format!(
        "SELECT run_after - CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM polls WHERE id = '{}'",
        wrong.id
    );
    for _ in 0..20 {
        polls.pass(3 * 3_600_000).await;
        polls.take().await;
    }
    assert!(instance.number(&wait).await > 1_700_000, "half an hour at least");
    instance.database.request_poll(&wrong.id, 0).await.unwrap();
    assert_eq!(polls.take().await, [PollOutcome::Failed], "a requested poll runs immediately");
    let change = docwright_storage::database::ProjectChange {
        repository: Some(BUILT_IN),
        ..Default::default()
    };
    instance.database.update_project(&empty.id, change, 0).await.unwrap();
    assert_eq!(polls.due().await, 1, "another repository is polled");
}

#[tokio::test(flavor = "multi_thread")]
async fn repository_without_polling_is_polled_on_request() {
    let instance = Instance::new().await;
    let polls = Polls { poll: None, ..Polls::of(&instance) };
    let project = built_in(&instance, &polls.repositories, "quiet").await;
    assert_eq!(polls.moved().await, 1);
    advance(&instance, &polls.repositories, &project).await;
    polls.pass(100 * POLL).await;
    assert_eq!(polls.take().await, []);
    for _ in 0..200 {
        instance.database.request_poll(&project.id, 0).await.unwrap();
    }
    assert_eq!(polls.take().await, [PollOutcome::New], "one poll for all of them");
    // The setting is changed, and changed back.
    instance.database.poll_repositories(true).await.unwrap();
    assert_eq!(polls.due().await, 1);
    let polled = Polls { poll: Some(POLL), ..Polls::of(&instance) };
    assert_eq!(polled.take().await, [PollOutcome::Same]);
    // The clock of the node that polled is ahead of that of the database.
    instance.execute("UPDATE polls SET polled_at = polled_at + 60000").await;
    instance.database.request_poll(&project.id, 60_000).await.unwrap();
    instance.database.poll_repositories(false).await.unwrap();
    polls.pass(POLL).await;
    assert_eq!(polls.due().await, 1, "the requested poll is kept");
    assert_eq!(polls.take().await, [PollOutcome::Same]);
}

/// Two nodes poll at once, or a push arrives during a poll.
#[tokio::test(flavor = "multi_thread")]
async fn request_during_poll_schedules_another_poll() {
    let instance = Instance::new().await;
    let polls = Polls::of(&instance);
    let project = built_in(&instance, &polls.repositories, "during").await;
    let database = &instance.database;
    let lease = database.claim(Queue::Polls, LEASE, 1).await.unwrap().unwrap().lease;
    assert_eq!(database.claim(Queue::Polls, LEASE, 1).await.unwrap(), None, "one at a time");
    let (requested, _) = database.recurring_job_state(&lease).await.unwrap();
    database.request_poll(&project.id, 0).await.unwrap();
    let left = docwright_storage::database::RecurringJobState {
        requested,
        error: None,
        again: Some(POLL),
    };
    assert!(database.finish_poll(&lease, &left, ("seen", None), 1).await.unwrap());
    assert_eq!(polls.due().await, 1);
    assert_eq!(polls.take().await, [PollOutcome::New]);
    assert!(
        !database.finish_poll(&lease, &left, ("seen", None), 1).await.unwrap(),
        "the lease is gone"
    );
}
