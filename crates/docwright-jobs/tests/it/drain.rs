//! Stopping workers: running jobs can finish, and return to the queue after the deadline.

use std::{sync::Arc, time::Duration};

use docwright_jobs::queue::{JobError, Shutdown};
use docwright_types::release::ReleaseStatus;
use tokio::sync::{Notify, mpsc::unbounded_channel};

use crate::{
    instance::{Instance, LONG, soon},
    scripted::{complete, run_one, worker},
};

#[tokio::test(flavor = "multi_thread")]
async fn running_job_can_finish_before_deadline() {
    let instance = Instance::new().await;
    let running = instance.queue("running").await;
    let waiting = instance.queue("waiting").await;
    let (started, mut begins) = unbounded_channel();
    let release = Arc::new(Notify::new());
    let (database, released) = (instance.database.clone(), Arc::clone(&release));
    let worker = worker(&instance, move |held| {
        let (database, released) = (database.clone(), Arc::clone(&released));
        started.send(()).unwrap();
        Box::pin(async move {
            released.notified().await;
            held.confirm().await?;
            complete(&database, held.lease()).await;
            Ok(())
        })
    });
    let shutdown = worker.shutdown.clone();
    let handle = tokio::spawn(worker.run());
    soon(begins.recv()).await.unwrap();
    let stopping = tokio::spawn({
        let shutdown = shutdown.clone();
        async move { shutdown.stop(LONG, vec![handle]).await }
    });
    soon(shutdown.drain.cancelled()).await;
    assert!(!stopping.is_finished(), "shutdown waits for the job");
    release.notify_one();
    soon(stopping).await.unwrap();
    assert!(!shutdown.abandon.is_cancelled());
    assert_eq!(instance.status(&running).await, ReleaseStatus::Ready);
    assert_eq!(instance.status(&waiting).await, ReleaseStatus::Queued, "no further job is started");
    assert!(begins.try_recv().is_err());
}

/// A restart of the service costs a job neither an attempt nor a wait.
#[tokio::test(flavor = "multi_thread")]
async fn job_is_requeued_after_the_deadline() {
    let instance = Instance::new().await;
    let id = instance.queue("unfinished").await;
    let (sender, mut receiver) = unbounded_channel();
    let worker = worker(&instance, move |held| {
        let sender = sender.clone();
        Box::pin(async move {
            sender.send(None).unwrap();
            held.interrupted().await;
            sender.send(Some((held.confirm().await, held.interruption()))).unwrap();
            Err(JobError::Transient("it broke off".to_owned()))
        })
    });
    let shutdown = worker.shutdown.clone();
    let handle = tokio::spawn(worker.run());
    assert_eq!(soon(receiver.recv()).await.unwrap(), None);
    soon(shutdown.stop(Duration::ZERO, vec![handle])).await;
    assert!(shutdown.abandon.is_cancelled());
    let seen = soon(receiver.recv()).await.unwrap();
    assert_eq!(seen, Some((Err(JobError::Stopped), JobError::Stopped)));
    wait_until_requeued(&instance, &id).await;
}

/// A shutdown can itself cause a job to fail, such as when git is ended with the service. This doesn't count as a
/// failure of the job, whichever the worker sees first.
#[tokio::test]
async fn failure_during_shutdown_uses_no_attempt() {
    let instance = Instance::new().await;
    let id = instance.queue("stops").await;
    for _ in 0..20 {
        let shutdown = Shutdown::default();
        let abandon = shutdown.abandon.clone();
        let mut worker = worker(&instance, move |_| {
            abandon.cancel();
            Box::pin(async { Err(JobError::Transient("git was ended".to_owned())) })
        });
        worker.shutdown = shutdown;
        run_one(worker).await;
        wait_until_requeued(&instance, &id).await;
    }
}

/// A job that ignores the shutdown is canceled after its time to clean up, before the service ends.
#[tokio::test(flavor = "multi_thread")]
async fn job_that_ignores_shutdown_is_requeued() {
    let instance = Instance::new().await;
    let id = instance.queue("deaf").await;
    let (started, mut begins) = unbounded_channel();
    let worker = worker(&instance, move |_| {
        started.send(()).unwrap();
        Box::pin(std::future::pending())
    });
    let shutdown = worker.shutdown.clone();
    let handle = tokio::spawn(worker.run());
    soon(begins.recv()).await.unwrap();
    soon(shutdown.stop(Duration::ZERO, vec![handle])).await;
    wait_until_requeued(&instance, &id).await;
}

async fn wait_until_requeued(instance: &Instance, id: &str) {
    let release = instance.release(id).await;
    assert_eq!((release.status, release.failures), (ReleaseStatus::Queued, 0));
    assert_eq!(release.error, None);
    let sql = format!("SELECT interruptions FROM releases WHERE id = '{id}'");
    assert_eq!(instance.number(&sql).await, 0);
    assert!(instance.has_work().await, "the job can be claimed immediately");
}
