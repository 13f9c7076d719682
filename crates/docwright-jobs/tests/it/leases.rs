//! Leases of running jobs: kept as long as the job runs, and lost permanently.

use std::sync::{Arc, Mutex, mpsc};

use docwright_jobs::queue::JobError;
use docwright_storage::database::Queue;
use docwright_testing::wait::eventually;
use docwright_types::release::ReleaseStatus;

use crate::{
    instance::{Instance, soon},
    scripted::{complete, run_one, worker},
};

/// Work that blocks its thread, such as a check of a large site, can take longer than the lease. The lease is
/// renewed in the meantime, so no other worker starts the job.
#[tokio::test(flavor = "multi_thread")]
async fn blocking_job_keeps_its_lease() {
    const DURATION: i64 = 2_000;
    let instance = Instance::new().await;
    let id = instance.queue("blocks").await;
    let (started, mut begins) = tokio::sync::mpsc::unbounded_channel();
    let (release, released) = mpsc::channel::<()>();
    let released = Arc::new(Mutex::new(released));
    let database = instance.database.clone();
    let mut worker = worker(&instance, move |held| {
        let (database, started, released) =
            (database.clone(), started.clone(), Arc::clone(&released));
        Box::pin(async move {
            started.send(()).unwrap();
            tokio::task::block_in_place(|| released.lock().unwrap().recv().unwrap());
            assert!(complete(&database, held.lease()).await);
            Ok(())
        })
    });
    worker.lease = DURATION;
    let running = tokio::spawn(run_one(worker));
    soon(begins.recv()).await.unwrap();
    let expires = format!("SELECT lease_expires_at FROM releases WHERE id = '{id}'");
    let first = instance.number(&expires).await;
    eventually("the lease is renewed beyond its first end", async || {
        let stolen = instance.database.claim(Queue::Releases, 60_000, 1).await.unwrap();
        assert_eq!(stolen, None, "the job is running");
        instance.number(&expires).await > first + DURATION
    })
    .await;
    release.send(()).unwrap();
    soon(running).await.unwrap();
    assert_eq!(instance.status(&id).await, ReleaseStatus::Ready);
    assert!(begins.try_recv().is_err(), "the job was started once");
}

/// Results of a job without a lease are ignored.
#[tokio::test(flavor = "multi_thread")]
async fn lost_lease_interrupts_job_without_writing() {
    let instance = Instance::new().await;
    let id = instance.queue("lost").await;
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let database = instance.database.clone();
    let mut worker = worker(&instance, move |held| {
        let (database, sender) = (database.clone(), sender.clone());
        Box::pin(async move {
            sender.send(None).unwrap();
            held.interrupted().await;
            assert!(held.is_interrupted());
            assert!(
                !complete(&database, held.lease()).await,
                "writes without a lease change nothing"
            );
            sender.send(Some((held.confirm().await, held.interruption()))).unwrap();
            Err(JobError::Permanent("it must not be written".to_owned()))
        })
    });
    // It is renewed twenty times a second, so the loss is detected soon.
    worker.lease = 300;
    let running = tokio::spawn(run_one(worker));
    assert_eq!(soon(receiver.recv()).await.unwrap(), None);
    let stolen = steal(&instance).await;
    let seen = soon(receiver.recv()).await.unwrap();
    assert_eq!(seen, Some((Err(JobError::Lost), JobError::Lost)));
    soon(running).await.unwrap();
    let release = instance.release(&id).await;
    assert_eq!((release.status, release.error), (ReleaseStatus::Building, None));
    assert_eq!((release.failures, release.bundle), (0, None));
    assert!(complete(&instance.database, &stolen).await, "the other worker completes the job");
}

/// A job confirms its lease before visible effects, and learns of a loss before its heartbeat does.
#[tokio::test(flavor = "multi_thread")]
async fn job_learns_of_lost_lease_when_it_confirms() {
    let instance = Arc::new(Instance::new().await);
    let id = instance.queue("asks").await;
    let within = Arc::clone(&instance);
    // The lease is renewed every ten minutes, so the heartbeat doesn't notice.
    run_one(worker(&instance, move |held| {
        let instance = Arc::clone(&within);
        Box::pin(async move {
            held.confirm().await?;
            instance.execute("UPDATE releases SET lease_number = lease_number + 1").await;
            assert!(!held.is_interrupted());
            assert_eq!(held.confirm().await, Err(JobError::Lost));
            assert!(held.is_interrupted());
            assert_eq!(held.interruption(), JobError::Lost);
            // Once lost, it stays lost.
            assert_eq!(held.confirm().await, Err(JobError::Lost));
            Err(JobError::Transient("it must not count".to_owned()))
        })
    }))
    .await;
    let release = instance.release(&id).await;
    assert_eq!((release.status, release.failures), (ReleaseStatus::Building, 0));
}

/// A lease ends with its job: its renewal stops.
#[tokio::test(flavor = "multi_thread")]
async fn finished_job_leaves_no_heartbeat() {
    let instance = Instance::new().await;
    let id = instance.queue("ended").await;
    let mut worker = worker(&instance, |_| Box::pin(async { Ok(()) }));
    worker.lease = 300;
    run_one(worker).await;
    // The job recorded no result, so its lease expires, and the next worker gets it.
    eventually("the job can be claimed", async || instance.has_work().await).await;
    assert_eq!(instance.status(&id).await, ReleaseStatus::Queued);
}

/// Lets the lease of a job expire, and claims the job.
async fn steal(instance: &Instance) -> docwright_storage::database::Lease {
    let mut stolen = None;
    eventually("the job is claimed", async || {
        instance.execute("UPDATE releases SET lease_expires_at = 0").await;
        stolen = instance.database.claim(Queue::Releases, 3_600_000, 1).await.unwrap();
        stolen.is_some()
    })
    .await;
    stolen.unwrap().lease
}
