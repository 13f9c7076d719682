//! Reported lengths of queues and their waiting times.

use docwright_storage::database::{Queue, QueueDepth, Requested};
use docwright_types::{
    release::Trigger,
    timestamp::{HOUR, SECOND},
};

use docwright_testing::database::TestDatabase;

pub(crate) async fn conform(place: &TestDatabase) {
    place.drain(Queue::Releases).await;
    let (site, _) = place.site("depth").await;
    assert_eq!(depth(place).await, QueueDepth::default());
    for _ in 0..4 {
        let asked =
            place.database.request_update(&site.project_id, None, Trigger::Api, None, 1).await;
        assert!(matches!(asked, Ok(Requested::Update(_))));
    }
    let claim = place.database.claim(Queue::Releases, HOUR, 1).await.unwrap().unwrap();
    assert_eq!(
        (&claim.project_id, &claim.organization_id),
        (&site.project_id, &owner(place, &site.project_id).await)
    );
    let retried = place.database.claim(Queue::Releases, HOUR, 1).await.unwrap().unwrap().lease;
    assert!(place.database.retry(&retried, HOUR, "away", 1).await.unwrap());
    let before = depth(place).await;
    assert_eq!((before.waiting, before.delayed, before.running), (2, 1, 1));
    // The releases have old times; here they wait for a minute.
    place.execute("UPDATE releases SET updated_at = 0").await;
    let now = now(place).await;
    place
        .execute(&format!(
            "UPDATE releases SET run_after = {} WHERE run_after = 0",
            now - 60 * SECOND
        ))
        .await;
    let waited = depth(place).await.oldest_wait;
    assert!((60 * SECOND..90 * SECOND).contains(&waited), "{waited}");
    // A worker disappeared ten seconds ago, and the retry is due since five seconds.
    place
        .execute(&format!(
            "UPDATE releases SET lease_expires_at = {} WHERE lease_expires_at IS NOT NULL",
            now - 10 * SECOND
        ))
        .await;
    place
        .execute(&format!(
            "UPDATE releases SET run_after = {} WHERE run_after > {now}",
            now - 5 * SECOND
        ))
        .await;
    let after = depth(place).await;
    assert_eq!((after.waiting, after.delayed, after.running), (4, 0, 0));
    place.execute("UPDATE releases SET status = 'failed' WHERE lease_expires_at IS NULL AND status = 'queued'").await;
    let waited = depth(place).await.oldest_wait;
    assert!((10 * SECOND..40 * SECOND).contains(&waited), "{waited}");
    place.drain(Queue::Releases).await;
    assert_eq!(depth(place).await, QueueDepth::default());
    assert_eq!(place.database.queue_depth(Queue::AgentJobs).await.unwrap().running, 0);
}

async fn depth(place: &TestDatabase) -> QueueDepth {
    place.database.queue_depth(Queue::Releases).await.unwrap()
}

async fn owner(place: &TestDatabase, project: &str) -> String {
    place.database.project(project).await.unwrap().unwrap().organization_id
}

/// The database's time.
async fn now(place: &TestDatabase) -> i64 {
    let clock = if place.database.kind() == "postgres" {
        "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"
    } else {
        "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)"
    };
    place.number(clock).await
}
