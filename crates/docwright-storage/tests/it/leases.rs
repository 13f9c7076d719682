//! Leases: which worker holds a job, for how long, and which job is next.

use docwright_storage::database::{
    Lease, MAXIMUM_FAILURES, MAXIMUM_INTERRUPTIONS, Queue, Requested,
};
use docwright_types::{
    release::{ReleaseStatus, Trigger},
    site::Site,
    timestamp::{DAY, HOUR},
};

use docwright_testing::database::TestDatabase;

const MINUTE: i64 = 60_000;

pub(crate) async fn conform(place: &TestDatabase) {
    place.drain(Queue::Releases).await;
    one_worker_has_a_job(place).await;
    a_wrong_clock_takes_nothing(place).await;
    restarts_cost_nothing(place).await;
    failures_are_waited_out_and_come_to_an_end(place).await;
    lost_workers_come_to_an_end(place).await;
    organizations_take_turns(place).await;
    drained_queue_has_no_open_jobs(place).await;
}

/// Neither one that runs, nor one that waits for its next try.
async fn drained_queue_has_no_open_jobs(place: &TestDatabase) {
    let (running, (waiting, _)) = (place.site("runs").await.0, place.site("waits").await);
    ask(place, &waiting).await;
    let lease = claim(place).await.unwrap();
    assert!(place.database.retry(&lease, MINUTE, "later", 1).await.unwrap());
    ask(place, &running).await;
    claim(place).await.unwrap();
    place.drain(Queue::Releases).await;
    let open = "SELECT COUNT(*) FROM releases WHERE status IN ('queued', 'building')";
    assert_eq!(place.number(open).await, 0);
}

/// Requests a release. Returns its id.
async fn ask(place: &TestDatabase, site: &Site) -> String {
    let asked = place.database.request_update(&site.project_id, None, Trigger::Api, None, 1).await;
    let Requested::Update(update) = asked.unwrap() else { panic!("the project has a site") };
    place.database.releases_of_update(&update).await.unwrap()[0].id.clone()
}

async fn claim(place: &TestDatabase) -> Option<Lease> {
    place.database.claim(Queue::Releases, MINUTE, 1).await.unwrap().map(|claim| claim.lease)
}

async fn status(place: &TestDatabase, id: &str) -> ReleaseStatus {
    place.database.release(id).await.unwrap().unwrap().status
}

async fn one_worker_has_a_job(place: &TestDatabase) {
    let database = &place.database;
    let (site, _) = place.site("leases").await;
    let id = ask(place, &site).await;
    let claims = futures::future::join_all((0..8).map(|_| claim(place))).await;
    let mut claims: Vec<_> = claims.into_iter().flatten().collect();
    assert_eq!(claims.len(), 1, "one of eight workers gets the job");
    let lost = claims.remove(0);
    assert_eq!((lost.id.as_str(), lost.number), (id.as_str(), 1));
    assert_eq!(status(place, &id).await, ReleaseStatus::Building);
    assert!(database.renew(&lost, HOUR).await.unwrap());
    place.age("releases", &id, 59 * MINUTE).await;
    assert_eq!(claim(place).await, None, "the lease was renewed for an hour");
    place.age("releases", &id, 2 * MINUTE).await;
    let held = claim(place).await.unwrap();
    assert_eq!(held.number, 2, "each claim has its own number");
    // Writes of the first worker change nothing now.
    assert!(!database.renew(&lost, MINUTE).await.unwrap());
    assert!(!database.record_progress(&lost, (50, 5), 1).await.unwrap());
    assert!(!database.requeue(&lost, 1).await.unwrap());
    assert!(!database.retry(&lost, 0, "x", 1).await.unwrap());
    assert!(!database.fail(&lost, "x", 1).await.unwrap());
    assert_eq!(status(place, &id).await, ReleaseStatus::Building);
    assert!(database.record_progress(&held, (50, 5), 1).await.unwrap());
    assert!(database.record_progress(&held, (10, 6), 1).await.unwrap());
    let release = database.release(&id).await.unwrap().unwrap();
    assert_eq!((release.progress, release.page_count), (50, 6), "progress never goes back");
    assert!(database.fail(&held, "done", 1).await.unwrap());
    assert!(!database.fail(&held, "again", 1).await.unwrap(), "a release fails once");
    let release = database.release(&id).await.unwrap().unwrap();
    assert_eq!((release.status, release.error.as_deref()), (ReleaseStatus::Failed, Some("done")));
    assert_eq!(release.ended_at, Some(1));
}

/// Leases use the database's clock, never a node's.
async fn a_wrong_clock_takes_nothing(place: &TestDatabase) {
    let (site, _) = place.site("clocks").await;
    ask(place, &site).await;
    let held = claim(place).await.unwrap();
    for wrong in [0, 40_000 * DAY] {
        assert_eq!(place.database.claim(Queue::Releases, MINUTE, wrong).await.unwrap(), None);
    }
    assert!(place.database.fail(&held, "done", 1).await.unwrap());
}

async fn restarts_cost_nothing(place: &TestDatabase) {
    let (site, _) = place.site("restarts").await;
    let id = ask(place, &site).await;
    for _ in 0..(MAXIMUM_FAILURES + MAXIMUM_INTERRUPTIONS + 5) {
        let lease = claim(place).await.expect("the job is queued again immediately");
        assert_eq!(status(place, &id).await, ReleaseStatus::Building);
        assert!(place.database.requeue(&lease, 1).await.unwrap());
        assert_eq!(status(place, &id).await, ReleaseStatus::Queued);
        assert!(!place.database.renew(&lease, MINUTE).await.unwrap());
    }
    place.drain(Queue::Releases).await;
}

async fn failures_are_waited_out_and_come_to_an_end(place: &TestDatabase) {
    let (site, _) = place.site("failures").await;
    let id = ask(place, &site).await;
    for failure in 1..=MAXIMUM_FAILURES {
        let lease = claim(place).await.expect("the retry is due");
        assert_eq!(place.database.failures(&lease).await.unwrap(), failure - 1);
        assert!(place.database.retry(&lease, MINUTE, "still down", 1).await.unwrap());
        assert_eq!(claim(place).await, None, "the retry waits a minute");
        let expected =
            if failure < MAXIMUM_FAILURES { ReleaseStatus::Queued } else { ReleaseStatus::Failed };
        assert_eq!(status(place, &id).await, expected, "{failure}");
        place.age("releases", &id, MINUTE + 1).await;
    }
    let release = place.database.release(&id).await.unwrap().unwrap();
    assert_eq!(release.error.as_deref(), Some("still down"));
}

async fn lost_workers_come_to_an_end(place: &TestDatabase) {
    let (site, _) = place.site("lost").await;
    let id = ask(place, &site).await;
    // The first claim comes from the queue, each later one from a worker that disappeared.
    for _ in 0..=MAXIMUM_INTERRUPTIONS {
        assert!(claim(place).await.is_some());
        place.age("releases", &id, 2 * MINUTE).await;
    }
    assert_eq!(claim(place).await, None);
    let release = place.database.release(&id).await.unwrap().unwrap();
    assert_eq!(release.status, ReleaseStatus::Failed);
    assert!(release.error.unwrap().contains("never finished"));
}

/// Organizations with few jobs wait for at most one job of each other organization.
async fn organizations_take_turns(place: &TestDatabase) {
    let names = ["turns-a", "turns-b", "turns-c"];
    let mut sites = Vec::new();
    for name in names {
        sites.push(place.site(name).await.0);
    }
    for (site, jobs) in sites.iter().zip([6, 3, 1]) {
        for _ in 0..jobs {
            ask(place, site).await;
        }
    }
    let mut order = Vec::new();
    while let Some(lease) = claim(place).await {
        let project = place.database.release(&lease.id).await.unwrap().unwrap().project_id;
        order.push(sites.iter().position(|site| site.project_id == project).unwrap());
        assert!(place.database.fail(&lease, "done", 1).await.unwrap());
    }
    assert_eq!(order, [0, 1, 2, 0, 1, 0, 1, 0, 0, 0]);
    // Parallel claims by several workers.
    for site in [&sites[0], &sites[0], &sites[0], &sites[1]] {
        ask(place, site).await;
    }
    let claims = futures::future::join_all((0..2).map(|_| claim(place))).await;
    let mut projects = std::collections::BTreeSet::new();
    for lease in claims.iter().flatten() {
        projects.insert(place.database.release(&lease.id).await.unwrap().unwrap().project_id);
    }
    assert_eq!(projects.len(), 2, "parallel workers serve two organizations");
    for lease in claims.into_iter().flatten() {
        place.database.fail(&lease, "done", 1).await.unwrap();
    }
    place.drain(Queue::Releases).await;
}
