//! Shares of a worker's slots between organizations.

use docwright_storage::database::{Lease, Queue, Requested, Share};
use docwright_types::{release::Trigger, site::Site};

use docwright_testing::database::TestDatabase;

#[tokio::test(flavor = "multi_thread")]
async fn organization_alone_has_all_slots_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    alone(&TestDatabase::sqlite(folder.path()).await).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn organization_alone_has_all_slots_on_postgres() {
    alone(&TestDatabase::postgres("shares").await).await;
}

/// A second organization changes the first one's share even before it has a job.
async fn alone(place: &TestDatabase) {
    let (site, _) = place.site("alone").await;
    let jobs = [ask(place, &site).await, ask(place, &site).await];
    let preview = format!("UPDATE releases SET trigger_name = 'preview' WHERE id = '{}'", jobs[1]);
    place.execute(&preview).await;
    let last = last_slot(place, Some(&site)).await;
    for _ in &jobs {
        let lease = claim(place, &last).await.expect("a single organization gets all slots");
        place.database.requeue(&lease, 1).await.unwrap();
    }
    place.site("second").await;
    assert_eq!(claim(place, &last).await, None);
    conform(place).await;
}

pub(crate) async fn conform(place: &TestDatabase) {
    place.drain(Queue::Releases).await;
    full_organization_gets_no_more(place).await;
    previews_leave_last_slot(place).await;
}

/// Requests a release. Returns its id.
async fn ask(place: &TestDatabase, site: &Site) -> String {
    let asked = place.database.request_update(&site.project_id, None, Trigger::Api, None, 1).await;
    let Requested::Update(update) = asked.unwrap() else { panic!("the project has a site") };
    place.database.releases_of_update(&update).await.unwrap()[0].id.clone()
}

/// One slot is free; the organization of a site has the others.
async fn last_slot(place: &TestDatabase, site: Option<&Site>) -> Share {
    let mut share = Share { full: None, is_last: true };
    if let Some(site) = site {
        let project = place.database.project(&site.project_id).await.unwrap().unwrap();
        share.full = Some(project.organization_id);
    }
    share
}

async fn claim(place: &TestDatabase, share: &Share) -> Option<Lease> {
    let claim = place.database.claim_share(Queue::Releases, share, 60_000, 1).await;
    claim.unwrap().map(|claim| claim.lease)
}

async fn full_organization_gets_no_more(place: &TestDatabase) {
    let (busy, _) = place.site("shares-busy").await;
    let (other, _) = place.site("shares-other").await;
    for _ in 0..3 {
        ask(place, &busy).await;
    }
    let share = last_slot(place, Some(&busy)).await;
    let turn = "SELECT turn FROM queue_turns WHERE queue = 'releases'";
    let before = place.number(turn).await;
    assert_eq!(claim(place, &share).await, None, "the slot waits for others");
    assert_eq!(place.number(turn).await, before, "a claim without a job writes nothing");
    let expected = ask(place, &other).await;
    let lease = claim(place, &share).await.expect("the slot goes to another organization");
    assert_eq!(lease.id, expected);
    assert_eq!(claim(place, &share).await, None);
    assert!(
        claim(place, &Share::default()).await.is_some(),
        "a single slot serves all organizations"
    );
    place.database.fail(&lease, "done", 1).await.unwrap();
    end_all(place).await;
}

async fn previews_leave_last_slot(place: &TestDatabase) {
    let (site, _) = place.site("shares-preview").await;
    let preview = ask(place, &site).await;
    place
        .execute(&format!("UPDATE releases SET trigger_name = 'preview' WHERE id = '{preview}'"))
        .await;
    let share = last_slot(place, None).await;
    assert_eq!(claim(place, &share).await, None);
    let release = ask(place, &site).await;
    assert_eq!(claim(place, &share).await.unwrap().id, release);
    let more = Share { is_last: false, ..share };
    assert_eq!(claim(place, &more).await.unwrap().id, preview);
    end_all(place).await;
}

/// Finishes queued and running releases.
async fn end_all(place: &TestDatabase) {
    let sql = "UPDATE releases SET status = 'failed', lease_expires_at = NULL WHERE status IN ('queued', 'building')";
    place.execute(sql).await;
}
