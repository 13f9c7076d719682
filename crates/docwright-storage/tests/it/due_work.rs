//! Work that an idle service finds in the database.

use docwright_storage::database::{Lease, Queue, Requested};
use docwright_testing::database::TestDatabase;
use docwright_types::{release::Trigger, timestamp::HOUR};

pub(crate) async fn conform(place: &TestDatabase) {
    job_is_due_while_a_worker_can_claim_it(place).await;
    each_queue_is_found(place).await;
    changes_of_sites_are_counted(place).await;
}

async fn job_is_due_while_a_worker_can_claim_it(place: &TestDatabase) {
    place.drain(Queue::Releases).await;
    assert!(!is_due(place, Queue::Releases).await);
    let (site, _) = place.site("due").await;
    let asked = place.database.request_update(&site.project_id, None, Trigger::Api, None, 1).await;
    assert!(matches!(asked, Ok(Requested::Update(_))));
    assert!(is_due(place, Queue::Releases).await);
    let lease = claim(place).await;
    assert!(!is_due(place, Queue::Releases).await, "a worker runs it");
    assert!(place.database.retry(&lease, HOUR, "away", 1).await.unwrap());
    assert!(!is_due(place, Queue::Releases).await, "its next attempt is in an hour");
    place.execute("UPDATE releases SET run_after = 0 WHERE status = 'queued'").await;
    assert!(is_due(place, Queue::Releases).await);
    claim(place).await;
    place.execute("UPDATE releases SET lease_expires_at = 1 WHERE lease_expires_at > 1").await;
    assert!(is_due(place, Queue::Releases).await, "its worker disappeared");
    place.drain(Queue::Releases).await;
    assert!(!is_due(place, Queue::Releases).await);
}

async fn each_queue_is_found(place: &TestDatabase) {
    let (site, _) = place.site("due-queues").await;
    let project = &site.project_id;
    let asked = place.database.request_update(project, None, Trigger::Api, None, 1).await;
    assert!(matches!(asked, Ok(Requested::Update(_))));
    for (queue, jobs) in [
        (Queue::Polls, format!("SELECT id, id AS project_id FROM projects WHERE id = '{project}'")),
        (
            Queue::Reports,
            format!("SELECT id, project_id FROM releases WHERE project_id = '{project}'"),
        ),
    ] {
        place.drain(queue).await;
        assert!(!is_due(place, queue).await, "{queue:?}");
        let sql = format!(
            "INSERT INTO {} (id, project_id, status, requested, failures, interruptions, run_after, lease_number, \
             created_at, updated_at) SELECT id, project_id, 'open', 0, 0, 0, 0, 0, 0, 0 FROM ({jobs}) AS jobs WHERE TRUE \
             ON CONFLICT (id) DO UPDATE SET status = 'open', run_after = 0",
            queue.table()
        );
        place.execute(&sql).await;
        assert!(is_due(place, queue).await, "{queue:?}");
        place.drain(queue).await;
    }
    place.drain(Queue::Releases).await;
}

async fn changes_of_sites_are_counted(place: &TestDatabase) {
    let due = async || place.database.due_work().await.unwrap().serving_changes;
    let before = due().await;
    assert_eq!(before, place.database.serving_changes().await.unwrap());
    place.execute("UPDATE serving_changes SET changes = changes + 1").await;
    assert_eq!(due().await, before + 1);
}

async fn is_due(place: &TestDatabase, queue: Queue) -> bool {
    place.database.due_work().await.unwrap().queues.contains(&queue)
}

async fn claim(place: &TestDatabase) -> Lease {
    place.database.claim(Queue::Releases, HOUR, 1).await.unwrap().unwrap().lease
}
