//! Subscriptions and notifications: recorded with their event, sent one at a time by one sender.

use docwright_storage::{
    Keyring,
    database::{
        ClaimedNotification, MAXIMUM_SUBSCRIPTIONS, NewFeedback, NewSubscription, Notification,
        Queue, Subscription,
    },
};
use docwright_testing::database::TestDatabase;
use docwright_types::{
    feedback::GivenFrom,
    notification::{EventKind, NotificationStatus},
    timestamp::{HOUR, MINUTE},
};

use crate::{exports::new_export, releases::Builds};

const URL: &str = "https://hooks.example.com/";
const START: i64 = 20_000_000_000;

pub(crate) async fn conform(place: &TestDatabase) {
    what_happens_is_recorded_once_for_whoever_wants_it(place).await;
    one_at_a_time_is_sent_to_a_target(place).await;
    organization_has_a_limit_of_subscriptions(place).await;
    secrets_are_encrypted_anew(place).await;
}

fn keyring() -> Keyring {
    Keyring::parse(&"0a".repeat(32)).unwrap()
}

async fn subscribe(
    place: &TestDatabase,
    (organization, project): (&str, Option<&str>),
    events: &[EventKind],
) -> Subscription {
    let new =
        NewSubscription { organization_id: organization, project_id: project, target: URL, events };
    let created = place.database.create_subscription(new, &keyring(), START).await.unwrap();
    created.unwrap().0
}

async fn recorded(place: &TestDatabase, subscription: &Subscription) -> Vec<Notification> {
    place.database.notifications(&subscription.id, None, 100).await.unwrap()
}

fn kinds(notifications: &[Notification]) -> Vec<&str> {
    notifications.iter().rev().map(|each| each.event.name()).collect()
}

async fn what_happens_is_recorded_once_for_whoever_wants_it(place: &TestDatabase) {
    let database = &place.database;
    place.drain(Queue::Releases).await;
    let builds = Builds::of(place, "notified").await;
    let project = database.project(&builds.site.project_id).await.unwrap().unwrap();
    let organization = project.organization_id.as_str();
    let all = subscribe(place, (organization, None), &EventKind::ALL).await;
    let failures = subscribe(place, (organization, Some(&project.id)), &[EventKind::ReleaseFailed]);
    let failures = failures.await;
    let (stranger, _) = place.site("notified-stranger").await;
    let stranger = database.project(&stranger.project_id).await.unwrap().unwrap();
    let others = subscribe(place, (&stranger.organization_id, None), &EventKind::ALL).await;

    let release = builds.build("n1").await;
    let found = recorded(place, &all).await;
    assert_eq!(kinds(&found), ["release.ready"]);
    let payload: serde_json::Value = serde_json::from_str(&found[0].payload).unwrap();
    assert_eq!(payload["type"], "release.ready");
    assert_eq!(payload["data"]["releaseId"], release.as_str());
    assert_eq!(payload["data"]["commit"], "n1");
    assert_eq!(payload["data"]["projectId"], project.id.as_str());

    // A worker that lost its lease records nothing.
    let lease = builds.start("n2").await;
    assert!(database.fail(&lease, "no docs.json", START).await.unwrap());
    assert!(!database.fail(&lease, "again", START).await.unwrap());
    assert_eq!(kinds(&recorded(place, &all).await), ["release.ready", "release.failed"]);
    assert_eq!(kinds(&recorded(place, &failures).await), ["release.failed"]);

    let domain = database.domains(&project.id).await.unwrap().remove(0).name;
    let said = NewFeedback {
        domain: &domain,
        page: "a",
        helpful: false,
        comment: Some("why?"),
        given_from: GivenFrom::Site,
    };
    assert!(database.add_feedback(said, START).await.unwrap());
    let last = recorded(place, &all).await.remove(0);
    assert_eq!(last.event, EventKind::FeedbackCreated);
    assert!(last.payload.contains("\"why?\""), "{}", last.payload);

    assert_eq!(recorded(place, &others).await, []);
    an_export_ends_once(place).await;
    for subscription in [&all, &failures, &others] {
        assert!(database.remove_subscription(&subscription.id).await.unwrap());
        assert!(!database.remove_subscription(&subscription.id).await.unwrap());
    }
}

/// Repeated reads of the release record no second event.
async fn an_export_ends_once(place: &TestDatabase) {
    let database = &place.database;
    let new = new_export(place, "notified-export").await;
    let subscription =
        subscribe(place, (&new.organization_id, None), &[EventKind::ExportFailed]).await;
    database.start_export(&new, START).await.unwrap();
    let lease = database.claim(Queue::Releases, 60_000, START).await.unwrap().unwrap().lease;
    assert!(database.record_progress(&lease, (10, 1), START).await.unwrap());
    assert!(database.fail(&lease, "no docs.json", START).await.unwrap());
    assert!(!database.fail(&lease, "no docs.json", START).await.unwrap());
    let found = recorded(place, &subscription).await;
    assert_eq!(kinds(&found), ["export.failed"]);
    assert!(found[0].payload.contains("no docs.json"));
    assert!(database.remove_subscription(&subscription.id).await.unwrap());
}

async fn one_at_a_time_is_sent_to_a_target(place: &TestDatabase) {
    let database = &place.database;
    let builds = Builds::of(place, "sent").await;
    let project = database.project(&builds.site.project_id).await.unwrap().unwrap();
    let one = subscribe(place, (&project.organization_id, None), &[EventKind::ReleaseReady]).await;
    let two = subscribe(place, (&project.organization_id, None), &[EventKind::ReleaseReady]).await;
    builds.build("s1").await;
    builds.build("s2").await;
    let claim =
        async |lease: i64| database.claim_notification(lease, &keyring(), START).await.unwrap();
    let many = (0..6).map(|_| claim(60_000));
    let claimed: Vec<ClaimedNotification> =
        futures::future::join_all(many).await.into_iter().flatten().collect();
    let mut targets: Vec<_> = claimed.iter().map(|each| each.subscription_id.as_str()).collect();
    targets.sort_unstable();
    let mut both = [one.id.as_str(), two.id.as_str()];
    both.sort_unstable();
    assert_eq!(targets, both, "each target gets one notification at a time");
    assert!(claimed[0].secret.as_deref().unwrap().starts_with("whsec_"));
    assert!(!format!("{:?}", claimed[0]).contains("whsec_"), "secrets are not printed");

    let (first, second) = (&claimed[0], &claimed[1]);
    database.notification_delivered(first, Some(204), START).await.unwrap();
    let refused = (Some(503), "busy");
    database.notification_refused(second, refused, Some(HOUR), START).await.unwrap();
    // The sender's result counts once, because it ends the lease.
    database.notification_refused(first, refused, None, START).await.unwrap();
    let state = async |claimed: &ClaimedNotification| {
        let all = database.notifications(&claimed.subscription_id, None, 10).await.unwrap();
        all.into_iter().find(|each| each.id == claimed.id).unwrap()
    };
    let delivered = state(first).await;
    assert_eq!((delivered.status, delivered.attempts), (NotificationStatus::Delivered, 1));
    let waits = state(second).await;
    assert_eq!((waits.status, waits.response_status), (NotificationStatus::Pending, Some(503)));
    assert_eq!(waits.error.as_deref(), Some("busy"));
    assert_eq!(database.delivered_since(&first.subscription_id, START - MINUTE).await.unwrap(), 1);

    // The second release is left, for each target. The sender of one disappears.
    let lost = claim(-1).await.unwrap();
    let again = claim(60_000).await.unwrap();
    assert_eq!(again.subscription_id == lost.subscription_id, again.id == lost.id);
    let other = claim(60_000).await.unwrap();
    assert_ne!(again.subscription_id, other.subscription_id);
    database.notification_delivered(&lost, Some(200), START).await.unwrap();
    assert_eq!(state(&lost).await.status, NotificationStatus::Pending, "another sender has it now");
    for claimed in [&again, &other] {
        database.notification_refused(claimed, (None, "gone"), None, START).await.unwrap();
        assert_eq!(state(claimed).await.status, NotificationStatus::Failed);
    }
    assert!(claim(60_000).await.is_none(), "retries aren't due yet");
    let is_due = async || database.due_work().await.unwrap().has_notifications;
    assert!(!is_due().await, "retries aren't due yet");

    let id = (again.subscription_id.as_str(), again.id.as_str());
    assert!(database.resend_notification(("sub_none", id.1), START).await.unwrap().is_none());
    assert!(database.resend_notification(id, START).await.unwrap().is_some());
    assert!(is_due().await);
    let resent = claim(60_000).await.unwrap();
    assert_eq!((resent.id.as_str(), resent.attempts), (again.id.as_str(), 0));
    database.notification_delivered(&resent, Some(200), START).await.unwrap();
    assert_eq!(database.remove_old_notifications(START).await.unwrap(), 0);
    assert_eq!(database.remove_old_notifications(START + 1).await.unwrap(), 3);
    for subscription in [&one, &two] {
        assert!(database.remove_subscription(&subscription.id).await.unwrap());
    }
}

/// The limit also holds for parallel requests.
async fn organization_has_a_limit_of_subscriptions(place: &TestDatabase) {
    let (site, _) = place.site("subscriptions").await;
    let project = place.database.project(&site.project_id).await.unwrap().unwrap();
    let asked = (0..MAXIMUM_SUBSCRIPTIONS + 10).map(|_| {
        let (database, organization) = (place.database.clone(), project.organization_id.clone());
        tokio::spawn(async move {
            let new = NewSubscription {
                organization_id: &organization,
                project_id: None,
                target: "mailto:ops@example.com",
                events: &[EventKind::JobFailed],
            };
            database.create_subscription(new, &keyring(), START).await.unwrap()
        })
    });
    let made = futures::future::join_all(asked).await;
    let made: Vec<_> = made.into_iter().filter_map(|asked| asked.unwrap()).collect();
    assert_eq!(made.len(), usize::try_from(MAXIMUM_SUBSCRIPTIONS).unwrap());
    assert!(made.iter().all(|(_, secret)| secret.is_none()), "email subscriptions have no secret");
    let listed = place.database.subscriptions(&project.organization_id).await.unwrap();
    assert_eq!(listed.len(), made.len());
    for subscription in listed {
        let found = place.database.subscription(&subscription.id).await.unwrap();
        assert_eq!(found.as_ref(), Some(&subscription));
        assert!(place.database.remove_subscription(&subscription.id).await.unwrap());
    }
}

async fn secrets_are_encrypted_anew(place: &TestDatabase) {
    let database = &place.database;
    let builds = Builds::of(place, "reencrypted").await;
    let project = database.project(&builds.site.project_id).await.unwrap().unwrap();
    let subscription =
        subscribe(place, (&project.organization_id, None), &[EventKind::ReleaseReady]).await;
    let newer = "0b".repeat(32);
    let both = Keyring::parse(&format!("{newer},{}", "0a".repeat(32))).unwrap();
    assert_eq!(database.reencrypt_subscriptions(&both).await.unwrap(), 1);
    assert_eq!(database.reencrypt_subscriptions(&both).await.unwrap(), 0);
    builds.build("r1").await;
    let newest = Keyring::parse(&newer).unwrap();
    let claimed = database.claim_notification(60_000, &newest, START).await.unwrap().unwrap();
    assert!(claimed.secret.is_some());
    database.notification_delivered(&claimed, None, START).await.unwrap();
    assert!(database.remove_subscription(&subscription.id).await.unwrap());
}
