//! A worker with a real database, and jobs that end as they like.

use std::sync::{Mutex, PoisonError};

use docwright_domain::{agent_job::Usage, plan::Plan, site::Activation};
use docwright_storage::database::{AgentResult, NewAgentJob, NewProject, Prompted};

use super::*;

/// Milliseconds. The lease is renewed long before.
const LEASE: Timestamp = 600;

/// Ends its job, and has something to clean up until it notices that it must not go on.
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
                pr_link: None,
            };
            assert!(self.database.end_agent_job(held.lease(), result, 1).await?);
            held.interrupted().await;
            // The worker learns of it before this is over.
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            Ok(())
        })
    }
}

async fn queue_a_job(database: &Database) {
    let organization = database.create_organization("Acme", Plan::Enterprise, 0).await.unwrap();
    let project = NewProject {
        organization_id: &organization.id,
        name: "Docs",
        repository: "/r",
        docs_path: "",
        model: None,
        activation: Activation::Automatic,
    };
    let project = database.create_project(project, 0).await.unwrap();
    let job = NewAgentJob {
        organization_id: organization.id,
        project_id: project.id,
        repository: "/r".to_owned(),
        model: "builtin:edits".to_owned(),
        prompt: "fix broken links".to_owned(),
        idempotency: None,
    };
    assert!(matches!(database.create_agent_job(&job, 0).await, Ok(Prompted::Job(..))));
}

#[tokio::test]
async fn a_job_that_ended_has_not_lost_its_lease() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open_folder(folder.path()).await.unwrap();
    queue_a_job(&database).await;
    let shutdown = Shutdown::default();
    let job = SlowToLeave { database: database.clone(), drain: shutdown.drain.clone() };
    let steps = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&steps);
    let observer = Observer::of_steps(move |step| {
        seen.lock().unwrap_or_else(PoisonError::into_inner).push(step);
    });
    let (clock, disk, wake) = (Clock::default(), Disk::default(), Arc::default());
    let (job, lease) = (Arc::new(job), LEASE);
    let worker = Worker { job, database, clock, lease, disk, wake, observer, shutdown };
    worker.run().await;
    assert_eq!(*steps.lock().unwrap(), [Step::Claimed, Step::Ended]);
}
