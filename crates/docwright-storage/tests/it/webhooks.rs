//! Secrets and deliveries of webhooks, and the polls that they schedule.

use docwright_storage::{
    Keyring,
    database::{DELIVERIES, HeadUpdate, Queue, Received, RecurringJobState},
};
use docwright_types::release::Trigger;

use docwright_testing::database::TestDatabase;

pub(crate) async fn conform(place: &TestDatabase) {
    secrets(place).await;
    deliveries(place).await;
    heads(place).await;
}

async fn secrets(place: &TestDatabase) {
    let database = &place.database;
    let keyring = Keyring::parse(&"0a".repeat(32)).unwrap();
    let (site, _) = place.site("hooked").await;
    let (other, _) = place.site("unhooked").await;
    let (own, none) = (site.project_id.as_str(), other.project_id.as_str());
    for secret in ["first-secret", "second-secret"] {
        assert!(database.set_webhook_secret(own, secret, &keyring, 1).await.unwrap());
        let kept = database.webhook_secret(own, &keyring).await.unwrap();
        assert_eq!(kept.as_deref(), Some(secret));
    }
    assert!(!database.set_webhook_secret("prj_none", "x", &keyring, 1).await.unwrap());
    for project in [none, "prj_none"] {
        assert_eq!(database.webhook_secret(project, &keyring).await.unwrap(), None);
    }
    let plain = "SELECT COUNT(*) FROM webhook_secrets WHERE secret LIKE '%secret%'";
    assert_eq!(place.number(plain).await, 0, "the table holds no plain secret");
    let both = format!("{},{}", "0b".repeat(32), "0a".repeat(32));
    database.reencrypt(&Keyring::parse(&both).unwrap()).await.unwrap();
    let new = Keyring::parse(&"0b".repeat(32)).unwrap();
    assert_eq!(database.webhook_secret(own, &new).await.unwrap().as_deref(), Some("second-secret"));
    assert!(database.webhook_secret(own, &keyring).await.is_err());
    // Secrets can't be decrypted after a move to another project.
    place.execute(&format!("UPDATE webhook_secrets SET project_id = '{none}'")).await;
    assert!(database.webhook_secret(none, &new).await.is_err());
    assert!(database.delete_project(none).await.unwrap().is_some());
}

async fn deliveries(place: &TestDatabase) {
    let database = &place.database;
    place.drain(Queue::Polls).await;
    let (site, _) = place.site("delivered").await;
    let (other, _) = place.site("another").await;
    place.drain(Queue::Polls).await;
    let project = site.project_id.as_str();
    let Received::New(id) = database.receive_delivery(project, ("d-1", "push"), 5).await.unwrap()
    else {
        panic!("expected a new delivery")
    };
    let again = database.receive_delivery(project, ("d-1", "push"), 6).await.unwrap();
    assert_eq!(again, Received::Known);
    let same = database.receive_delivery(&other.project_id, ("d-1", "push"), 6).await.unwrap();
    assert!(matches!(same, Received::New(_)), "delivery ids are unique per project");
    let nobody = database.receive_delivery("prj_none", ("d-1", "push"), 6).await.unwrap();
    assert_eq!(nobody, Received::NoProject);
    let claim = async || database.claim(Queue::Polls, 60_000, 7).await.unwrap();
    let claims = [claim().await.unwrap(), claim().await.unwrap()];
    assert_eq!(claim().await, None, "one poll per project");
    let lease = claims.into_iter().map(|claim| claim.lease).find(|lease| lease.id == project);
    let lease = lease.unwrap();
    let (requested, _) = database.recurring_job_state(&lease).await.unwrap();
    // Another delivery arrives during the poll.
    database.receive_delivery(project, ("d-2", "push"), 8).await.unwrap();
    let left = RecurringJobState { requested, error: None, again: None };
    assert!(database.finish_poll(&lease, &left, ("`main` is at 1.", None), 9).await.unwrap());
    let list = database.deliveries(project, None, 10).await.unwrap();
    let outcomes: Vec<_> = list.iter().map(|each| (&*each.delivery, &*each.outcome)).collect();
    assert_eq!(outcomes, [("d-2", "accepted"), ("d-1", "polled")], "newest first");
    assert_eq!((list[1].id.as_str(), list[1].summary.as_str()), (id.as_str(), "`main` is at 1."));
    let lease = claim().await.unwrap().lease;
    let (requested, _) = database.recurring_job_state(&lease).await.unwrap();
    let left = RecurringJobState { requested, error: Some("no".into()), again: Some(60_000) };
    assert!(database.finish_poll(&lease, &left, ("It can't be read.", None), 9).await.unwrap());
    assert_eq!(database.deliveries(project, None, 1).await.unwrap()[0].outcome, "failed");
    assert_eq!(claim().await, None, "the retry isn't due yet");
    let redelivered = database.redeliver(project, &id).await.unwrap().unwrap();
    assert_eq!((redelivered.outcome.as_str(), claim().await.is_some()), ("accepted", true));
    assert_eq!(database.redeliver(&other.project_id, &id).await.unwrap(), None);
    for number in 0..DELIVERIES + 20 {
        let name = format!("many-{number}");
        database.receive_delivery(project, (&name, "push"), 10).await.unwrap();
    }
    let list = database.deliveries(project, None, 1_000).await.unwrap();
    assert_eq!((list.len(), list[0].delivery.as_str()), (200, "many-219"));
    let page = database.deliveries(project, Some(&list[99].id), 1).await.unwrap();
    assert_eq!(page[0], list[100]);
    assert!(database.delete_project(project).await.unwrap().is_some());
    place.drain(Queue::Polls).await;
}

async fn heads(place: &TestDatabase) {
    let database = &place.database;
    let (site, _) = place.site("seen").await;
    let place_before = database.last_head_position(&site).await.unwrap();
    let seen = async |commit: &str, from: i64| {
        database.record_polled_head(&site, ("main", commit), from, 1).await.unwrap()
    };
    assert_eq!(seen("a", place_before).await, HeadUpdate::New);
    let from = database.last_head_position(&site).await.unwrap();
    assert_eq!(seen("a", from).await, HeadUpdate::Same);
    // A push is recorded between the poll's start and end, so the polled head is older.
    let pushed = ("b", Trigger::Push);
    assert!(
        database.record_pushed_head(&site.project_id, ("main", true), pushed, 2).await.unwrap()
    );
    assert_eq!(seen("a", from).await, HeadUpdate::Outdated);
    let newest = database.last_head(&site.project_id, None).await.unwrap();
    assert_eq!(newest.as_deref(), Some("b"));
    assert_eq!(seen("b", from).await, HeadUpdate::Same);
    place.drain(Queue::Releases).await;
    place.drain(Queue::Polls).await;
}
