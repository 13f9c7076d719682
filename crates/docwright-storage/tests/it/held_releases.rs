//! Releases that are held for errors that the active release doesn't have.

use docwright_storage::{
    Keyring,
    database::{Lease, NewSubscription, PageRequest, ProjectChange, Queue},
};
use docwright_testing::database::TestDatabase;
use docwright_types::{
    notification::EventKind,
    site::Activation,
    stored_diagnostic::{StoredDiagnostic, StoredDiagnostics},
};

use crate::releases::Builds;

pub(crate) async fn conform(place: &TestDatabase) {
    place.drain(Queue::Releases).await;
    release_with_new_errors_waits_until_someone_activates_it(place).await;
    newer_good_release_ends_a_hold(place).await;
    newer_bad_release_is_held_in_place_of_the_earlier_one(place).await;
    older_build_that_ends_late_changes_no_hold(place).await;
    rollback_keeps_the_hold(place).await;
    setting_counts_when_the_build_ends(place).await;
    commit_that_goes_back_to_the_active_one_ends_a_hold(place).await;
    lost_bundle_is_not_replaced_by_a_held_release(place).await;
    simultaneous_builds_leave_one_decision(place).await;
}

/// A site that holds releases with new errors.
struct Held<'a>(Builds<'a>);

impl<'a> Held<'a> {
    async fn of(place: &'a TestDatabase, name: &str) -> Self {
        let (site, _) = place.site_with(name, Activation::HoldNewErrors).await;
        Self(Builds { place, site })
    }

    /// Builds a head with an error in each of some files.
    async fn build(&self, sha: &str, files: &[&str]) -> String {
        let lease = self.0.start(sha).await;
        self.found(&lease, files).await;
        assert!(self.0.complete(&lease).await);
        lease.id
    }

    async fn found(&self, lease: &Lease, files: &[&str]) {
        let error = |path: &&str| StoredDiagnostic {
            path: (*path).to_owned(),
            line: 1,
            is_error: true,
            code: "broken-link".to_owned(),
            message: "broken link".to_owned(),
        };
        let count = i64::try_from(files.len()).unwrap();
        let found = StoredDiagnostics::new((count, count), files.iter().map(error).collect());
        self.0.place.database.record_diagnostics(lease, &found).await.unwrap();
    }

    async fn held(&self, id: &str) -> Option<i64> {
        self.0.place.database.release(id).await.unwrap().unwrap().held_errors
    }

    /// The releases that wait, which are those that the overview shows.
    async fn waiting(&self) -> Vec<String> {
        let project = &self.0.site.project_id;
        let waiting = self.0.place.database.waiting_releases(project).await.unwrap();
        waiting.into_iter().map(|release| release.id).collect()
    }

    async fn set(&self, activation: Activation) {
        let change = ProjectChange { activation: Some(activation), ..ProjectChange::default() };
        let (database, project) = (&self.0.place.database, &self.0.site.project_id);
        assert!(database.update_project(project, change, 1).await.unwrap());
    }
}

async fn release_with_new_errors_waits_until_someone_activates_it(place: &TestDatabase) {
    let site = Held::of(place, "held").await;
    let database = &place.database;
    let organization =
        database.project(&site.0.site.project_id).await.unwrap().unwrap().organization_id;
    let subscription = database
        .create_subscription(
            NewSubscription {
                organization_id: &organization,
                project_id: None,
                target: "mailto:ops@example.com",
                events: &[EventKind::ReleaseHeld],
            },
            &Keyring::parse(&"0a".repeat(32)).unwrap(),
            1,
        )
        .await
        .unwrap()
        .unwrap()
        .0;
    // The first release of a site has nothing to compare with.
    let first = site.build("a", &["a.mdx"]).await;
    assert_eq!(site.0.active().await.as_ref(), Some(&first));
    let same = site.build("b", &["a.mdx"]).await;
    assert_eq!(site.0.active().await.as_ref(), Some(&same), "it has the errors of the active one");
    assert!(site.waiting().await.is_empty());
    let bad = site.build("c", &["a.mdx", "b.mdx", "c.mdx"]).await;
    assert_eq!(site.0.active().await.as_ref(), Some(&same));
    assert_eq!(site.held(&bad).await, Some(2));
    assert_eq!(site.waiting().await, [bad.as_str()]);
    let release = database.release(&bad).await.unwrap().unwrap();
    assert_eq!(release.base_id.as_ref(), Some(&same));
    let sent = database.notifications(&subscription.id, None, 10).await.unwrap();
    assert_eq!(sent.len(), 1);
    let payload: serde_json::Value = serde_json::from_str(&sent[0].payload).unwrap();
    assert_eq!(
        (&payload["type"], &payload["data"]["heldErrors"]),
        (&"release.held".into(), &2.into())
    );
    // Other tests claim every notification.
    for sql in
        ["DELETE FROM notifications WHERE subscription_id", "DELETE FROM subscriptions WHERE id"]
    {
        place.execute(&format!("{sql} = '{}'", subscription.id)).await;
    }
    assert!(database.activate_release(&bad, 9).await.unwrap());
    assert_eq!(site.0.active().await.as_ref(), Some(&bad));
    assert_eq!((site.held(&bad).await, site.waiting().await.len()), (None, 0));
    let steps = database.release_log(&bad).await.unwrap();
    let steps: Vec<_> = steps.iter().map(|(_, step)| step.as_str()).collect();
    assert_eq!(steps[steps.len() - 2..], ["held: 2 new errors", "active"]);
    let next = site.build("d", &["c.mdx"]).await;
    assert_eq!(site.0.active().await, Some(next), "its errors are those of the active one now");
}

async fn newer_good_release_ends_a_hold(place: &TestDatabase) {
    let site = Held::of(place, "held-then-good").await;
    site.build("a", &[]).await;
    let bad = site.build("b", &["b.mdx"]).await;
    assert_eq!(site.held(&bad).await, Some(1));
    let good = site.build("c", &[]).await;
    assert_eq!(site.0.active().await, Some(good));
    assert_eq!((site.held(&bad).await, site.waiting().await.len()), (None, 0));
}

async fn newer_bad_release_is_held_in_place_of_the_earlier_one(place: &TestDatabase) {
    let site = Held::of(place, "held-again").await;
    let active = site.build("a", &[]).await;
    let bad = site.build("b", &["b.mdx"]).await;
    // Nothing is new since the release before, which isn't active.
    let worse = site.build("c", &["b.mdx"]).await;
    assert_eq!(site.0.active().await, Some(active));
    assert_eq!((site.held(&bad).await, site.held(&worse).await), (None, Some(1)));
    assert_eq!(site.waiting().await, [worse]);
}

async fn older_build_that_ends_late_changes_no_hold(place: &TestDatabase) {
    let site = Held::of(place, "held-late").await;
    site.build("a", &[]).await;
    let bad = site.build("b", &["b.mdx", "c.mdx"]).await;
    let newer = site.0.start("c").await;
    site.found(&newer, &["b.mdx"]).await;
    assert!(site.0.complete(&newer).await);
    // The build of the earlier head ends after that of the later one.
    place.execute(&format!("UPDATE releases SET status = 'building', lease_number = 7, lease_expires_at = 1 WHERE id = '{bad}'")).await;
    let late = Lease { queue: Queue::Releases, id: bad.clone(), number: 7 };
    site.found(&late, &["b.mdx", "c.mdx", "d.mdx"]).await;
    assert!(site.0.complete(&late).await);
    assert_eq!((site.held(&bad).await, site.held(&newer.id).await), (None, Some(1)));
    assert_eq!(site.waiting().await, [newer.id]);
}

async fn rollback_keeps_the_hold(place: &TestDatabase) {
    let site = Held::of(place, "held-rollback").await;
    let first = site.build("a", &[]).await;
    let second = site.build("b", &[]).await;
    let bad = site.build("c", &["c.mdx"]).await;
    assert!(place.database.activate_release(&first, 9).await.unwrap());
    assert_eq!(site.0.active().await.as_ref(), Some(&first));
    assert_eq!(site.held(&bad).await, Some(1));
    assert_eq!(site.waiting().await, [bad.as_str()], "it is still the newest commit");
    // A head after the rollback is compared with what was rolled back to.
    let next = site.build("d", &["c.mdx"]).await;
    assert_eq!(site.0.active().await.as_ref(), Some(&first));
    assert_eq!(site.waiting().await, [next.as_str()]);
    assert!(place.database.activate_release(&second, 9).await.unwrap());
    assert!(place.database.activate_release(&next, 9).await.unwrap());
    assert_eq!((site.0.active().await, site.waiting().await.len()), (Some(next), 0));
}

async fn setting_counts_when_the_build_ends(place: &TestDatabase) {
    let site = Held::of(place, "held-switched").await;
    site.set(Activation::Automatic).await;
    let first = site.build("a", &[]).await;
    let running = site.0.start("b").await;
    site.found(&running, &["b.mdx"]).await;
    site.set(Activation::HoldNewErrors).await;
    assert!(site.0.complete(&running).await);
    assert_eq!(site.0.active().await.as_ref(), Some(&first), "it was switched on meanwhile");
    assert_eq!(site.waiting().await, [running.id.as_str()]);
    let running = site.0.start("c").await;
    site.found(&running, &["b.mdx", "c.mdx"]).await;
    site.set(Activation::Automatic).await;
    assert!(site.0.complete(&running).await);
    assert_eq!(site.0.active().await, Some(running.id), "it was switched off meanwhile");
    assert!(site.waiting().await.is_empty());
    // A release that is held when activation becomes manual still waits, until a newer one does.
    site.set(Activation::HoldNewErrors).await;
    let bad = site.build("d", &["b.mdx", "c.mdx", "d.mdx"]).await;
    site.set(Activation::Manual).await;
    assert_eq!(site.waiting().await, [bad.as_str()]);
    let manual = site.build("e", &[]).await;
    assert_eq!(site.waiting().await, [manual.as_str()]);
    assert!(place.database.activate_release(&manual, 9).await.unwrap());
    assert_eq!((site.held(&bad).await, site.waiting().await.len()), (None, 0));
}

async fn commit_that_goes_back_to_the_active_one_ends_a_hold(place: &TestDatabase) {
    let site = Held::of(place, "held-revert").await;
    let first = site.build("a", &[]).await;
    let bad = site.build("b", &["b.mdx"]).await;
    let lease = site.0.request_and_claim().await;
    assert!(!site.0.begin_at(&lease, "a").await, "the active release has this commit");
    assert_eq!(site.0.active().await, Some(first));
    assert_eq!((site.held(&bad).await, site.waiting().await.len()), (None, 0));
    // And forward again: the ready release of that commit is held again.
    let lease = site.0.request_and_claim().await;
    assert!(!site.0.begin_at(&lease, "b").await);
    assert_eq!((site.held(&bad).await, site.waiting().await), (Some(1), vec![bad]));
}

async fn lost_bundle_is_not_replaced_by_a_held_release(place: &TestDatabase) {
    let site = Held::of(place, "held-lost").await;
    let first = site.build("a", &[]).await;
    let bad = site.build("b", &["b.mdx"]).await;
    assert!(place.database.record_lost_bundle(&first, &first, 5).await.unwrap());
    assert_eq!(site.0.active().await, Some(first), "copies of the lost bundle are served");
    assert_eq!(site.held(&bad).await, Some(1));
    place.drain(Queue::Releases).await;
}

/// Of builds that end at the same time as the setting and the active release change, each is decided once.
async fn simultaneous_builds_leave_one_decision(place: &TestDatabase) {
    let site = Held::of(place, "held-at-once").await;
    let first = site.build("a", &[]).await;
    let bad = site.0.start("b").await;
    site.found(&bad, &["b.mdx"]).await;
    let (completed, activated) =
        tokio::join!(site.0.complete(&bad), place.database.activate_release(&first, 9),);
    assert!(completed && activated.unwrap());
    assert_eq!(site.0.active().await.as_ref(), Some(&first));
    let (completed, ()) = {
        let next = site.0.start("c").await;
        site.found(&next, &["b.mdx"]).await;
        let both = tokio::join!(site.0.complete(&next), site.set(Activation::Automatic));
        let is_active = site.0.active().await.as_ref() == Some(&next.id);
        assert_ne!(is_active, site.held(&next.id).await.is_some(), "either active or held");
        both
    };
    assert!(completed);
    let releases = place
        .database
        .releases(&site.0.site.project_id, None, PageRequest::first(10))
        .await
        .unwrap();
    let held = releases.iter().filter(|release| release.held_errors.is_some()).count();
    assert!(held <= 1, "one release of a site is held");
}
