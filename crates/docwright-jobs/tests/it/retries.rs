//! Results of jobs: success, a retry after a transient error, or a permanent failure.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use docwright_jobs::queue::{JobError, Lookout, Observer, Step, Wakes};
use docwright_storage::database::MAXIMUM_FAILURES;
use docwright_testing::wait::eventually;
use docwright_types::release::ReleaseStatus;
use tokio_util::sync::CancellationToken;

use crate::{
    instance::{Instance, soon},
    scripted::{complete, run_one, worker},
};

#[tokio::test(flavor = "multi_thread")]
async fn completed_job_is_not_started_again() {
    let instance = Instance::new().await;
    let id = instance.queue("well").await;
    let database = instance.database.clone();
    run_one(worker(&instance, move |held| {
        let database = database.clone();
        Box::pin(async move {
            held.confirm().await?;
            assert!(complete(&database, held.lease()).await);
            Ok(())
        })
    }))
    .await;
    let release = instance.release(&id).await;
    assert_eq!((release.status, release.failures), (ReleaseStatus::Ready, 0));
    assert!(!instance.has_work().await);
}

/// A panic is a bug: starting the job again would only repeat it.
#[tokio::test(flavor = "multi_thread")]
async fn panic_fails_job_once() {
    let instance = Instance::new().await;
    let id = instance.queue("panic").await;
    run_one(worker(&instance, |_| Box::pin(async { panic!("a secret of the program") }))).await;
    let release = instance.release(&id).await;
    assert_eq!((release.status, release.failures), (ReleaseStatus::Failed, 0));
    let error = release.error.unwrap();
    assert!(error.contains("the server log") && !error.contains("secret"), "{error}");
    assert!(!instance.has_work().await);
}

/// A worker survives a panic of its job, and takes the next one.
#[tokio::test(flavor = "multi_thread")]
async fn worker_survives_panic() {
    let instance = Instance::new().await;
    let first = instance.queue("first").await;
    let second = instance.queue("second").await;
    let (database, started) = (instance.database.clone(), AtomicUsize::new(0));
    let mut worker = worker(&instance, move |held| {
        let (database, number) = (database.clone(), started.fetch_add(1, Ordering::Relaxed));
        Box::pin(async move {
            assert_ne!(number, 0, "the first job panics");
            complete(&database, held.lease()).await;
            Ok(())
        })
    });
    let drain = worker.shutdown.drain.clone();
    worker.observer = Observer::of_steps(move |step| {
        if step == Step::Ended {
            drain.cancel();
        }
    });
    soon(worker.run()).await;
    assert_eq!(instance.status(&first).await, ReleaseStatus::Failed);
    assert_eq!(instance.status(&second).await, ReleaseStatus::Ready);
}

#[tokio::test(flavor = "multi_thread")]
async fn permanent_error_fails_a_job_immediately() {
    let instance = Instance::new().await;
    let id = instance.queue("permanent").await;
    run_one(worker(&instance, |_| {
        Box::pin(async { Err(JobError::Permanent("the branch is gone".to_owned())) })
    }))
    .await;
    let release = instance.release(&id).await;
    assert_eq!((release.status, release.failures), (ReleaseStatus::Failed, 0));
    assert_eq!(release.error.as_deref(), Some("the branch is gone"));
    assert!(!instance.has_work().await);
}

/// A transient error is retried later. The maximum wait doubles each time; at least half of it is used.
#[tokio::test(flavor = "multi_thread")]
async fn transient_error_is_retried_after_growing_wait() {
    let instance = Instance::new().await;
    let id = instance.queue("transient").await;
    let wait = format!(
        "SELECT CAST(run_after - unixepoch('subsec') * 1000 AS INTEGER) FROM releases WHERE id = '{id}'"
    );
    for failures in 1..=4 {
        run_one(worker(&instance, |_| {
            Box::pin(async { Err(JobError::Transient("the host does not answer".to_owned())) })
        }))
        .await;
        let release = instance.release(&id).await;
        assert_eq!((release.status, release.failures), (ReleaseStatus::Queued, failures));
        assert_eq!(release.error, None, "the release hasn't failed");
        let (wait, longest) = (instance.number(&wait).await, 5_000 << (failures - 1));
        assert!(wait <= longest, "{wait} ms after {failures} failures");
        // The measurement starts slightly after the wait.
        assert!(wait > longest / 2 - 2_000, "{wait} ms after {failures} failures");
        assert!(!instance.has_work().await, "the retry isn't due yet");
        instance.execute("UPDATE releases SET run_after = 0").await;
    }
    let database = instance.database.clone();
    run_one(worker(&instance, move |held| {
        let database = database.clone();
        Box::pin(async move {
            complete(&database, held.lease()).await;
            Ok(())
        })
    }))
    .await;
    assert_eq!(instance.status(&id).await, ReleaseStatus::Ready);
}

#[tokio::test(flavor = "multi_thread")]
async fn lasting_transient_error_fails_job_at_limit() {
    let instance = Instance::new().await;
    let id = instance.queue("stubborn").await;
    let sql = format!("UPDATE releases SET failures = {}", MAXIMUM_FAILURES - 1);
    instance.execute(&sql).await;
    run_one(worker(&instance, |_| {
        Box::pin(async { Err(JobError::Transient("the host does not answer".to_owned())) })
    }))
    .await;
    let release = instance.release(&id).await;
    assert_eq!(release.status, ReleaseStatus::Failed);
    assert_eq!(release.error.as_deref(), Some("the host does not answer"));
}

#[tokio::test(flavor = "multi_thread")]
async fn hook_sees_steps_of_job() {
    let instance = Instance::new().await;
    let id = instance.queue("hook").await;
    let steps = Arc::new(Mutex::new(Vec::new()));
    let mut worker = worker(&instance, {
        let id = id.clone();
        move |held| {
            assert_eq!((held.id(), held.lease().id.as_str()), (id.as_str(), id.as_str()));
            assert!(!held.is_interrupted());
            held.reached(Step::Built);
            Box::pin(async { Ok(()) })
        }
    });
    let (seen, drain) = (Arc::clone(&steps), worker.shutdown.drain.clone());
    worker.observer = Observer::of_steps(move |step| {
        seen.lock().unwrap().push(step);
        drain.cancel();
    });
    soon(worker.run()).await;
    assert_eq!(*steps.lock().unwrap(), [Step::Claimed, Step::Built, Step::Ended]);
}

#[tokio::test(flavor = "multi_thread")]
async fn woken_worker_takes_new_job() {
    let instance = Instance::new().await;
    let database = instance.database.clone();
    let worker = worker(&instance, move |held| {
        let database = database.clone();
        Box::pin(async move {
            complete(&database, held.lease()).await;
            Ok(())
        })
    });
    let (wake, drain) = (Arc::clone(&worker.wake), worker.shutdown.drain.clone());
    let ended = Arc::new(tokio::sync::Notify::new());
    let hook = Arc::clone(&ended);
    let worker = docwright_jobs::queue::Worker {
        observer: Observer::of_steps(move |step| {
            if step == Step::Ended {
                hook.notify_one();
            }
        }),
        ..worker
    };
    // Clones are workers of the same queue, and stop together.
    let workers = [tokio::spawn(worker.clone().run()), tokio::spawn(worker.run())];
    for name in ["one", "two", "three"] {
        let id = instance.queue(name).await;
        wake.notify_one();
        soon(ended.notified()).await;
        assert_eq!(instance.status(&id).await, ReleaseStatus::Ready);
    }
    drain.cancel();
    for worker in workers {
        soon(worker).await.unwrap();
    }
}

/// Workers that find nothing pause until the next round of the lookout.
#[tokio::test(flavor = "multi_thread")]
async fn worker_waits_after_empty_queue() {
    let instance = Instance::new().await;
    instance.queue("orphan").await;
    // A row without a project is found, but can't be claimed: the turn counts the attempts.
    instance.execute("DELETE FROM projects").await;
    let worker = worker(&instance, |_| Box::pin(async { panic!("nothing can be started") }));
    let drain = worker.shutdown.drain.clone();
    let started = Instant::now();
    let lookout = Lookout {
        database: instance.database.clone(),
        wakes: Wakes { releases: Arc::clone(&worker.wake), ..Wakes::default() },
    };
    let lookout = tokio::spawn(lookout.run(drain.clone()));
    let running = tokio::spawn(worker.run());
    let turn = "SELECT turn FROM queue_turns WHERE queue = 'releases'";
    eventually("it looked three times", async || instance.number(turn).await >= 3).await;
    // waits: a pause can't be seen otherwise; this can only be too long, which is no failure
    let waited = started.elapsed();
    assert!(waited > Duration::from_secs(1), "{waited:?}");
    drain.cancel();
    soon(running).await.unwrap();
    soon(lookout).await.unwrap();
}

/// A release that another process activated has no wake here.
#[tokio::test(flavor = "multi_thread")]
async fn lookout_wakes_sites_after_changes_of_other_processes() {
    let instance = Instance::new().await;
    let wakes = Wakes::default();
    let lookout = Lookout { database: instance.database.clone(), wakes: wakes.clone() };
    let stop = CancellationToken::new();
    let lookout = tokio::spawn(lookout.run(stop.clone()));
    soon(wakes.sites.notified()).await;
    instance.execute("UPDATE serving_changes SET changes = changes + 1").await;
    soon(wakes.sites.notified()).await;
    stop.cancel();
    soon(lookout).await.unwrap();
}
