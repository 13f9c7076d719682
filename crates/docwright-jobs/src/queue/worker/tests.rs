//! A worker with a real database, and scripted jobs.

use std::sync::{Mutex, PoisonError};

use docwright_storage::database::{AgentResult, NewAgentJob, NewProject, Project, Prompted};
use docwright_testing::wait::eventually;
use docwright_types::{agent_job::Usage, plan::Plan, site::Activation};

use super::{
    super::{Lookout, Wakes},
    *,
};

/// Milliseconds. The lease is renewed long before.
const LEASE: Timestamp = 600;

/// Finishes its job, then cleans up until it must stop.
struct SlowToLeave {
    database: Database,
    drain: CancellationToken,
}

impl Job for SlowToLeave {
    const QUEUE: Queue = Queue::AgentJobs;

    fn run<'a>(&'a self, held: &'a HeldLease) -> BoxFuture<'a, Result<(), JobError>> {
        Box::pin(async move {
            // The worker stops after this job.
            self.drain.cancel();
            let usage = Usage::default();
            let result = AgentResult {
                outcome: Ok("done"),
                usage: &usage,
                files_changed: &[],
                refused: &[],
                pr_link: None,
            };
            assert!(self.database.end_agent_job(held.lease(), result, 1).await?);
            held.interrupted().await;
            // The worker learns of it before this ends.
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            Ok(())
        })
    }
}

/// Queues a job of a new organization with this name.
async fn queue_a_job(database: &Database, name: &str) -> Project {
    let organization = database.create_organization(name, Plan::Enterprise, 0).await.unwrap();
    let project = NewProject {
        organization_id: &organization.id,
        name: "Docs",
        repository: "/r",
        docs_path: "",
        model: None,
        activation: Activation::Automatic,
    };
    let project = database.create_project(project, 0).await.unwrap();
    ask_agent(database, &project).await;
    project
}

/// Queues a job of a project. Returns its id.
async fn ask_agent(database: &Database, project: &Project) -> String {
    let job = NewAgentJob {
        organization_id: project.organization_id.clone(),
        project_id: project.id.clone(),
        repository: "/r".to_owned(),
        model: "builtin:edits".to_owned(),
        prompt: "fix broken links".to_owned(),
        idempotency: None,
    };
    let Ok(Prompted::Job(job, _)) = database.create_agent_job(&job, 0).await else {
        panic!("there is room for a job")
    };
    job.id
}

#[tokio::test]
async fn finished_job_has_not_lost_its_lease() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open_folder(folder.path()).await.unwrap();
    queue_a_job(&database, "Acme").await;
    let shutdown = Shutdown::default();
    let job = SlowToLeave { database: database.clone(), drain: shutdown.drain.clone() };
    let steps = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&steps);
    let observer = Observer::of_steps(move |step| {
        seen.lock().unwrap_or_else(PoisonError::into_inner).push(step);
    });
    let (clock, disk) = (Clock::default(), Disk::default());
    let (wake, slots) = (Arc::default(), Arc::default());
    let (job, lease) = (Arc::new(job), LEASE);
    let worker = Worker { job, database, clock, lease, disk, wake, observer, slots, shutdown };
    worker.run().await;
    assert_eq!(*steps.lock().unwrap(), [Step::Claimed, Step::Ended]);
}

/// Records the started jobs, and runs each until the service stops.
struct Endless {
    started: Arc<Mutex<Vec<String>>>,
}

impl Job for Endless {
    const QUEUE: Queue = Queue::AgentJobs;

    fn run<'a>(&'a self, held: &'a HeldLease) -> BoxFuture<'a, Result<(), JobError>> {
        Box::pin(async move {
            self.started.lock().unwrap_or_else(PoisonError::into_inner).push(held.id().to_owned());
            held.interrupted().await;
            Err(JobError::Stopped)
        })
    }
}

/// A worker whose jobs never end, and the jobs that it started.
fn endless(database: &Database, slots: usize) -> (Worker<Endless>, Arc<Mutex<Vec<String>>>) {
    let started = Arc::default();
    let worker = Worker {
        job: Arc::new(Endless { started: Arc::clone(&started) }),
        database: database.clone(),
        clock: Clock::default(),
        lease: 60_000,
        disk: Disk::default(),
        wake: Arc::default(),
        slots: Arc::new(Slots::new(slots)),
        observer: Observer::default(),
        shutdown: Shutdown::default(),
    };
    (worker, started)
}

/// Waits until a number of jobs are started.
async fn until_started(started: &Mutex<Vec<String>>, count: usize) {
    let what = format!("{count} jobs are started");
    eventually(&what, async || started.lock().unwrap().len() >= count).await;
}

/// A worker that finds a job makes the next one poll immediately: one wake is enough for many jobs.
#[tokio::test(flavor = "multi_thread")]
async fn one_wake_starts_all_waiting_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open_folder(folder.path()).await.unwrap();
    let (worker, started) = endless(&database, 4);
    let workers: Vec<_> = (0..4).map(|_| tokio::spawn(worker.clone().run())).collect();
    for name in ["Acme", "Globex", "Initech", "Umbrella"] {
        queue_a_job(&database, name).await;
    }
    worker.wake.notify_one();
    until_started(&started, 4).await;
    worker.shutdown.stop(Duration::ZERO, workers).await;
}

/// A job that another process queued has no wake here.
#[tokio::test(flavor = "multi_thread")]
async fn lookout_finds_jobs_of_other_processes() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open_folder(folder.path()).await.unwrap();
    let (worker, started) = endless(&database, 1);
    let lookout = Lookout {
        database: database.clone(),
        wakes: Wakes { agent_jobs: Arc::clone(&worker.wake), ..Wakes::default() },
    };
    let tasks = vec![
        tokio::spawn(worker.clone().run()),
        tokio::spawn(lookout.run(worker.shutdown.drain.clone())),
    ];
    let other = Database::open_folder(folder.path()).await.unwrap();
    queue_a_job(&other, "Acme").await;
    until_started(&started, 1).await;
    worker.shutdown.stop(Duration::ZERO, tasks).await;
}

/// The jobs that wait when the other organization arrives belong to the first one, and never end.
#[tokio::test(flavor = "multi_thread")]
async fn organization_leaves_slot_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open_folder(folder.path()).await.unwrap();
    let project = queue_a_job(&database, "Acme").await;
    let second = ask_agent(&database, &project).await;
    let third = ask_agent(&database, &project).await;
    database.create_organization("Globex", Plan::Enterprise, 0).await.unwrap();
    let (worker, started) = endless(&database, 3);
    let workers: Vec<_> = (0..3).map(|_| tokio::spawn(worker.clone().run())).collect();
    until_started(&started, 2).await;
    let other = queue_a_job(&database, "Initech").await;
    worker.wake.notify_one();
    until_started(&started, 3).await;
    let found = started.lock().unwrap().clone();
    assert!(found.contains(&second) && !found.contains(&third), "{found:?}");
    let job = database.agent_job(&other.id, &found[2]).await.unwrap();
    assert!(job.is_some(), "the third slot is of the other organization");
    worker.shutdown.stop(Duration::ZERO, workers).await;
}
