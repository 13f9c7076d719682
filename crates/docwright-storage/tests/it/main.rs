//! One suite for every database: what holds on SQLite holds on PostgreSQL.

mod agent;
mod cancelled;
mod credentials;
mod exports;
mod keys;
mod leases;
mod migration;
mod objects;
mod place;
mod queue_depth;
mod releases;
mod serving;

use docwright_domain::plan::Plan;
use docwright_storage::database::{FEEDBACK_AN_HOUR, NewFeedback};

use place::Place;

#[tokio::test(flavor = "multi_thread")]
async fn sqlite() {
    let folder = tempfile::tempdir().unwrap();
    conforms(&Place::sqlite(folder.path()).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres() {
    conforms(&Place::postgres("conformance").await).await;
}

async fn conforms(place: &Place) {
    place.database.check().await.unwrap();
    aggregates(place).await;
    keys::conform(place).await;
    exports::conform(place).await;
    leases::conform(place).await;
    queue_depth::conform(place).await;
    releases::conform(place).await;
    serving::conform(place).await;
    agent::conforms(place).await;
    credentials::conform(place).await;
    feedback(place).await;
}

/// What readers say of pages, and that it comes to an end.
async fn feedback(place: &Place) {
    const START: i64 = 10_000_000_000;
    let database = &place.database;
    let (_, domain) = place.site("feedback").await;
    let said =
        |helpful, comment| NewFeedback { domain: domain.as_str(), page: "a/b", helpful, comment };
    assert!(database.add_feedback(said(true, None), START).await.unwrap());
    assert!(database.add_feedback(said(false, Some("first")), START + 1).await.unwrap());
    assert!(database.add_feedback(said(false, Some("second")), START + 2).await.unwrap());
    let pages = database.feedback(domain.as_str()).await.unwrap();
    assert_eq!((pages[0].page.as_str(), pages[0].helpful, pages[0].unhelpful), ("a/b", 1, 2));
    assert_eq!(pages[0].comments, ["second", "first"]);
    for _ in 3..FEEDBACK_AN_HOUR {
        assert!(database.add_feedback(said(true, None), START + 3).await.unwrap());
    }
    assert!(!database.add_feedback(said(true, None), START + 4).await.unwrap());
    let later = START + docwright_domain::timestamp::HOUR + 3;
    assert!(database.add_feedback(said(true, None), later).await.unwrap());
    assert_eq!(database.feedback("other.example.com").await.unwrap(), []);
}

/// Organisations and domains.
async fn aggregates(place: &Place) {
    let database = &place.database;
    let (site, domain) = place.site("aggregates").await;
    let project = database.project(&site.project_id).await.unwrap().unwrap();
    let organization = database.organization(&project.organization_id).await.unwrap().unwrap();
    assert_eq!(organization.plan, Plan::Free);
    assert!(
        database.update_organization(&organization.id, None, Some(Plan::Enterprise)).await.unwrap()
    );
    let after = database.organization(&organization.id).await.unwrap().unwrap();
    assert_eq!(after.plan, Plan::Enterprise);
    assert!(database.add_domain(&domain, &project.id, None, 1).await.is_err());
    assert_eq!(database.project_of_domain(&domain).await.unwrap().unwrap().id, project.id);
    assert_eq!(database.site_of_domain(&domain).await.unwrap().unwrap(), site);
}
