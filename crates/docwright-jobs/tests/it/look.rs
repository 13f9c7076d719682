//! Looks at repositories: branches that moved without anybody saying so, and what can't be read.

use std::sync::{Arc, Mutex};

use docwright_types::release::{ReleaseStatus, Trigger};
use docwright_jobs::{
    clock::Clock,
    disk::Disk,
    look::{LookOutcome, Looker},
    queue::{Observer, Shutdown, Worker},
    repositories::Repositories,
};
use docwright_repository::{clones, forge::HostSettings, location::BUILT_IN};
use docwright_storage::database::{PageRequest, Project, Queue};
use tokio::sync::Notify;

use crate::{
    install::{Install, soon},
    scripted::{LEASE, run_one},
};

const POLL: i64 = 300_000;

/// Everything that looks need, and what became of them.
struct Looks<'a> {
    install: &'a Install,
    repositories: Repositories,
    poll: Option<i64>,
    wake: Arc<Notify>,
}

impl<'a> Looks<'a> {
    fn of(install: &'a Install) -> Self {
        let repositories = install.repositories(HostSettings::default());
        Self { install, repositories, poll: Some(POLL), wake: Arc::default() }
    }

    /// Takes all looks that are due, and says what became of each.
    async fn take(&self) -> Vec<LookOutcome> {
        let outcomes = Arc::<Mutex<Vec<_>>>::default();
        while self.due().await > 0 {
            let seen = Arc::clone(&outcomes);
            let looker = Looker {
                repositories: self.repositories.clone(),
                wake: Arc::clone(&self.wake),
                poll: self.poll,
                observe: Box::new(move |outcome| seen.lock().unwrap().push(outcome)),
            };
            run_one(Worker {
                job: Arc::new(looker),
                database: self.install.database.clone(),
                clock: Clock::default(),
                lease: LEASE,
                disk: Disk::default(),
                wake: Arc::new(Notify::new()),
                observer: Observer::default(),
                slots: Arc::default(),
                lookout: Arc::default(),
                shutdown: Shutdown::default(),
            })
            .await;
        }
        outcomes.lock().unwrap().clone()
    }

    async fn due(&self) -> i64 {
        let sql = "SELECT COUNT(*) FROM looks WHERE status = 'open' AND run_after <= unixepoch('subsec') * 1000";
        self.install.number(sql).await
    }

    /// Lets time pass.
    async fn pass(&self, milliseconds: i64) {
        let sql = format!("UPDATE looks SET run_after = run_after - {milliseconds}");
        self.install.execute(&sql).await;
    }

    /// How many of them found that a branch had moved.
    async fn moved(&self) -> usize {
        self.take().await.into_iter().filter(|outcome| *outcome == LookOutcome::Moved).count()
    }
}

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

/// The process of a push ended before it recorded anything.
#[tokio::test(flavor = "multi_thread")]
async fn look_records_size_of_built_in_repository() {
    let install = Install::new().await;
    let looks = Looks::of(&install);
    let project = built_in(&install, &looks.repositories, "size").await;
    install.execute("UPDATE projects SET repository_bytes = 1").await;
    looks.take().await;
    let size = clones::size(&looks.repositories.built_in(&project.id).repository());
    let recorded = install.number("SELECT repository_bytes FROM projects").await;
    assert_eq!(u64::try_from(recorded).unwrap(), size);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_that_moved_gets_one_release() {
    let install = Install::new().await;
    let looks = Looks::of(&install);
    let project = built_in(&install, &looks.repositories, "moved").await;
    let database = &install.database;
    assert_eq!(looks.moved().await, 1, "its first head");
    looks.pass(2 * POLL).await;
    assert_eq!(looks.take().await, [LookOutcome::Same]);
    let first = database.releases(&project.id, None, PageRequest::first(10)).await.unwrap();
    assert_eq!((first.len(), first[0].trigger), (1, Trigger::Poll));
    let lease = database.claim(Queue::Releases, 60_000, 1).await.unwrap().unwrap().lease;
    assert!(database.fail(&lease, "done", 1).await.unwrap());
    let commit = advance(&install, &looks.repositories, &project).await;
    assert_eq!(looks.take().await, [], "its time has not come");
    looks.pass(2 * POLL).await;
    assert_eq!(looks.moved().await, 1);
    soon(looks.wake.notified()).await;
    let releases = database.releases(&project.id, None, PageRequest::first(10)).await.unwrap();
    assert_eq!(releases.len(), 2);
    assert_eq!(releases[0].status, ReleaseStatus::Queued);
    let seen = database.last_head(&project.id, Some("main")).await.unwrap();
    assert_eq!(seen.as_deref(), Some(commit.as_str()));
}

/// A head that was reported is nothing new.
#[tokio::test(flavor = "multi_thread")]
async fn a_branch_that_was_reported_gets_none() {
    let install = Install::new().await;
    let looks = Looks::of(&install);
    let project = built_in(&install, &looks.repositories, "reported").await;
    let commit = advance(&install, &looks.repositories, &project).await;
    let head = (commit.as_str(), Trigger::Push);
    assert!(install.database.branch_moved(&project.id, ("main", true), head, 1).await.unwrap());
    assert_eq!(looks.take().await, [LookOutcome::Same]);
    assert_eq!(
        install.database.releases(&project.id, None, PageRequest::first(10)).await.unwrap().len(),
        1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cant_be_read_keeps_no_other_from_its_release_and_says_why() {
    let install = Install::new().await;
    let looks = Looks::of(&install);
    let missing = install.project("missing", BUILT_IN).await;
    let empty = install.project("empty", BUILT_IN).await;
    looks.repositories.built_in(&empty.id).create().await.unwrap();
    let folder = install.project("folder", &install.folder().display().to_string()).await;
    let wrong = install.project("wrong", "gopher://example.com/a").await;
    let private = install.project("private", "https://127.0.0.1:1/a/b.git").await;
    let good = built_in(&install, &looks.repositories, "good").await;
    assert_eq!(looks.moved().await, 1);
    assert_eq!(install.number("SELECT COUNT(*) FROM releases").await, 1);
    let error = async |project: &Project| {
        let look = install.database.look(&project.id).await.unwrap().unwrap();
        assert!(look.looked_at.is_some());
        look.error.unwrap_or_default()
    };
    for project in [&missing, &wrong] {
        assert!(!error(project).await.is_empty(), "{}", project.name);
    }
    assert!(error(&empty).await.contains("push a commit"));
    assert!(error(&private).await.contains("--private-hosts"));
    assert!(error(&good).await.is_empty() && error(&folder).await.is_empty());
    let idle = format!("SELECT COUNT(*) FROM looks WHERE id = '{}' AND status = 'idle'", folder.id);
    assert_eq!(install.number(&idle).await, 1, "nobody looks at folders");
    // Each look that fails is followed by a longer wait, and a good one by the usual wait.
    let wait = format!(
        "SELECT run_after - CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM looks WHERE id = '{}'",
        wrong.id
    );
    for _ in 0..20 {
        looks.pass(3 * 3_600_000).await;
        looks.take().await;
    }
    assert!(install.number(&wait).await > 1_700_000, "half an hour at least");
    install.database.request_look(&wrong.id, 0).await.unwrap();
    assert_eq!(looks.take().await, [LookOutcome::Failed], "who asks is heard at once");
    let change = docwright_storage::database::ProjectChange {
        repository: Some(BUILT_IN),
        ..Default::default()
    };
    install.database.update_project(&empty.id, change).await.unwrap();
    assert_eq!(looks.due().await, 1, "another repository is looked at");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_polling_a_repository_is_looked_at_when_somebody_asks() {
    let install = Install::new().await;
    let looks = Looks { poll: None, ..Looks::of(&install) };
    let project = built_in(&install, &looks.repositories, "quiet").await;
    assert_eq!(looks.moved().await, 1);
    advance(&install, &looks.repositories, &project).await;
    looks.pass(100 * POLL).await;
    assert_eq!(looks.take().await, []);
    for _ in 0..200 {
        install.database.request_look(&project.id, 0).await.unwrap();
    }
    assert_eq!(looks.take().await, [LookOutcome::Moved], "one look for all of them");
    // The setting is changed, and changed back.
    install.database.poll_repositories(true).await.unwrap();
    assert_eq!(looks.due().await, 1);
    let polled = Looks { poll: Some(POLL), ..Looks::of(&install) };
    assert_eq!(polled.take().await, [LookOutcome::Same]);
    install.database.request_look(&project.id, 60_000).await.unwrap();
    install.database.poll_repositories(false).await.unwrap();
    looks.pass(POLL).await;
    assert_eq!(looks.due().await, 1, "what was asked for is kept");
    assert_eq!(looks.take().await, [LookOutcome::Same]);
}

/// Two nodes look at once, or a push comes while somebody looks.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_asked_for_during_a_look_is_another_look() {
    let install = Install::new().await;
    let looks = Looks::of(&install);
    let project = built_in(&install, &looks.repositories, "during").await;
    let database = &install.database;
    let lease = database.claim(Queue::Looks, LEASE, 1).await.unwrap().unwrap().lease;
    assert_eq!(database.claim(Queue::Looks, LEASE, 1).await.unwrap(), None, "one at a time");
    let (requested, _) = database.standing(&lease).await.unwrap();
    database.request_look(&project.id, 0).await.unwrap();
    let left = docwright_storage::database::Standing { requested, error: None, again: Some(POLL) };
    assert!(database.leave_look(&lease, &left, "seen", 1).await.unwrap());
    assert_eq!(looks.due().await, 1);
    assert_eq!(looks.take().await, [LookOutcome::Moved]);
    assert!(!database.leave_look(&lease, &left, "seen", 1).await.unwrap(), "the lease is gone");
}
