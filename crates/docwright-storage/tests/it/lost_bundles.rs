//! Releases with lost bundles: rebuilt while the site serves another release.

use docwright_storage::database::{LostBundleCount, NewExport, Queue, Started};
use docwright_testing::database::TestDatabase;
use docwright_types::{
    export_job::ExportStatus,
    release::{Release, ReleaseStatus},
};

use crate::{exports::new_export, releases::Builds};

pub(crate) async fn conform(place: &TestDatabase) {
    place.drain(Queue::Releases).await;
    site_serves_another_release_until_the_lost_one_is_rebuilt(place).await;
    rollback_is_restored(place).await;
    newer_head_wins_over_a_lost_release(place).await;
    lost_release_is_neither_superseded_nor_skipped(place).await;
    failed_rebuild_leaves_what_stands_in(place).await;
    export_runs_again_with_its_progress(place).await;
    export_without_release_fails(place).await;
    check_goes_through_all_releases_and_begins_again(place).await;
}

async fn active(builds: &Builds<'_>) -> Option<String> {
    builds.place.database.site(&builds.site.id).await.unwrap().unwrap().active_release_id
}

async fn release(place: &TestDatabase, id: &str) -> Release {
    place.database.release(id).await.unwrap().unwrap()
}

/// Bundle keys are release ids here.
async fn lose(place: &TestDatabase, id: &str) -> bool {
    place.database.record_lost_bundle(id, id, 50).await.unwrap()
}

async fn rebuild(builds: &Builds<'_>, id: &str) {
    let claim = builds.place.database.claim(Queue::Releases, 60_000, 60).await.unwrap().unwrap();
    assert_eq!(claim.lease.id, id);
    assert!(builds.complete_as(&claim.lease, &format!("{id}-again")).await);
}

async fn site_serves_another_release_until_the_lost_one_is_rebuilt(place: &TestDatabase) {
    let database = &place.database;
    let builds = Builds::of(place, "lost-active").await;
    let first = builds.build("a").await;
    let second = builds.build("b").await;
    let third = builds.build("c").await;
    let changes = database.serving_changes().await.unwrap();
    let before = database.lost_bundles().await.unwrap();
    assert!(!database.record_lost_bundle(&third, "other", 50).await.unwrap(), "another object");
    assert!(lose(place, &third).await);
    assert!(!lose(place, &third).await, "the loss is already recorded");
    let lost = release(place, &third).await;
    assert_eq!((lost.status, lost.bundle_lost_at), (ReleaseStatus::Queued, Some(50)));
    assert_eq!((lost.progress, lost.page_count), (100, 1), "progress never goes back");
    assert_eq!(active(&builds).await, Some(second.clone()));
    assert_eq!(database.serving_changes().await.unwrap(), changes + 1);
    let counted = database.lost_bundles().await.unwrap();
    assert_eq!(counted, LostBundleCount { rebuilding: before.rebuilding + 1, ..before });
    assert!(database.is_being_rebuilt(&third).await.unwrap());
    // The replacement's bundle is lost as well.
    assert!(lose(place, &second).await);
    assert_eq!(active(&builds).await, Some(first.clone()));
    assert!(database.releases_of_bundle(&second).await.unwrap().is_empty());
    assert_eq!(database.releases_of_bundle(&first).await.unwrap().len(), 1);
    // The site returns to the third release, which it prefers to the older second one.
    rebuild(&builds, &third).await;
    assert_eq!(active(&builds).await, Some(third.clone()));
    let back = release(place, &third).await;
    assert_eq!((back.status, back.bundle_lost_at), (ReleaseStatus::Ready, None));
    assert_eq!(back.bundle.unwrap().key, format!("{third}-again"));
    rebuild(&builds, &second).await;
    assert_eq!(active(&builds).await, Some(third), "the site didn't wait for that release");
    assert_eq!(database.lost_bundles().await.unwrap(), before);
}

async fn rollback_is_restored(place: &TestDatabase) {
    let builds = Builds::of(place, "lost-rollback").await;
    let first = builds.build("a").await;
    let second = builds.build("b").await;
    assert!(place.database.activate_release(&first, 9).await.unwrap());
    assert!(lose(place, &first).await);
    assert_eq!(active(&builds).await, Some(second), "no earlier release exists");
    rebuild(&builds, &first).await;
    assert_eq!(active(&builds).await, Some(first));
}

async fn newer_head_wins_over_a_lost_release(place: &TestDatabase) {
    let builds = Builds::of(place, "lost-newer").await;
    builds.build("a").await;
    let lost = builds.build("b").await;
    assert!(lose(place, &lost).await);
    let claim = place.database.claim(Queue::Releases, 60_000, 60).await.unwrap().unwrap();
    let newer = builds.build("c").await;
    assert_eq!(active(&builds).await, Some(newer.clone()));
    assert!(builds.complete_as(&claim.lease, "lost-again").await);
    assert_eq!(active(&builds).await, Some(newer), "the site no longer waits for it");
}

async fn lost_release_is_neither_superseded_nor_skipped(place: &TestDatabase) {
    let database = &place.database;
    let builds = Builds::of(place, "lost-skip").await;
    let lost = builds.build("a").await;
    assert!(lose(place, &lost).await);
    // A new release of the same commit isn't skipped in favor of the lost one.
    let claim = database.claim(Queue::Releases, 60_000, 60).await.unwrap().unwrap();
    assert_eq!(claim.lease.id, lost);
    let again = builds.start("a").await;
    assert!(builds.complete(&again).await);
    let newer = builds.build("b").await;
    let still = release(place, &lost).await;
    assert_eq!((still.status, still.replaced_by), (ReleaseStatus::Building, None));
    assert!(builds.complete_as(&claim.lease, "skip-again").await);
    assert_eq!(active(&builds).await, Some(newer));
}

async fn failed_rebuild_leaves_what_stands_in(place: &TestDatabase) {
    let database = &place.database;
    let builds = Builds::of(place, "lost-failed").await;
    let first = builds.build("a").await;
    let second = builds.build("b").await;
    let before = database.lost_bundles().await.unwrap();
    assert!(lose(place, &second).await);
    let claim = database.claim(Queue::Releases, 60_000, 60).await.unwrap().unwrap();
    assert!(database.fail(&claim.lease, "the commit is gone", 61).await.unwrap());
    assert_eq!(active(&builds).await, Some(first));
    let failed = release(place, &second).await;
    assert_eq!(
        (failed.status, failed.error.as_deref()),
        (ReleaseStatus::Failed, Some("the commit is gone"))
    );
    let counted = database.lost_bundles().await.unwrap();
    assert_eq!(counted, LostBundleCount { failed: before.failed + 1, ..before });
    assert!(!database.is_being_rebuilt(&second).await.unwrap());
    assert_eq!(database.options_of(&second).await.unwrap().as_deref(), Some("o"));
    assert!(!database.record_options(&claim.lease, "p").await.unwrap(), "the lease expired");
}

async fn exported(place: &TestDatabase, name: &str) -> (NewExport, String, String) {
    let database = &place.database;
    let export = NewExport { version: Some("1".to_owned()), ..new_export(place, name).await };
    let Started::Job(job) = database.start_export(&export, 1).await.unwrap() else {
        panic!("expected a started export")
    };
    let claim = database.claim(Queue::Releases, 60_000, 1).await.unwrap().unwrap();
    let site = database.site(&export.site_id).await.unwrap().unwrap();
    let builds = Builds { place, site };
    assert!(builds.begin_at(&claim.lease, "a").await);
    assert!(builds.complete(&claim.lease).await);
    (export, job.id, claim.lease.id)
}

async fn export_runs_again_with_its_progress(place: &TestDatabase) {
    let database = &place.database;
    let (export, id, release) = exported(place, "lost-export").await;
    let job = async || database.export_job(&id).await.unwrap().unwrap();
    assert_eq!(job().await.status, ExportStatus::Completed);
    assert!(lose(place, &release).await);
    let lost = job().await;
    assert_eq!((lost.status, lost.progress, lost.page_count), (ExportStatus::Running, 100, 1));
    let claim = database.claim(Queue::Releases, 60_000, 60).await.unwrap().unwrap();
    assert!(database.record_progress(&claim.lease, (5, 0), 60).await.unwrap());
    let running = job().await;
    assert_eq!((running.progress, running.page_count), (100, 1));
    let site = database.site(&export.site_id).await.unwrap().unwrap();
    assert!(Builds { place, site }.complete_as(&claim.lease, "export-again").await);
    let done = job().await;
    assert_eq!(
        (done.status, done.bundle.unwrap().key),
        (ExportStatus::Completed, "export-again".to_owned())
    );
}

async fn export_without_release_fails(place: &TestDatabase) {
    let database = &place.database;
    let (export, id, release) = exported(place, "lost-orphan").await;
    let project = export.project_id;
    assert_eq!(
        database.fail_exports_of_bundle(&release, "gone", 50).await.unwrap(),
        0,
        "the release can be built"
    );
    place.execute(&format!("DELETE FROM releases WHERE id = '{release}'")).await;
    place.execute(&format!("UPDATE projects SET bundle_bytes = 0 WHERE id = '{project}'")).await;
    assert_eq!(database.fail_exports_of_bundle(&release, "gone", 50).await.unwrap(), 1);
    let job = database.export_job(&id).await.unwrap().unwrap();
    assert_eq!((job.status, job.error.as_deref()), (ExportStatus::Failed, Some("gone")));
}

async fn check_goes_through_all_releases_and_begins_again(place: &TestDatabase) {
    let database = &place.database;
    let one = Builds::of(place, "lost-checked").await.build("a").await;
    for _ in 0..2 {
        let mut seen = Vec::new();
        for _ in 0..1_000 {
            let keys = database.next_bundles_to_check(7).await.unwrap();
            assert!(keys.len() <= 7);
            seen.extend(keys);
            if place.number("SELECT COUNT(*) FROM bundle_checks WHERE after_release = ''").await
                == 1
            {
                break;
            }
        }
        assert!(seen.contains(&one));
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert!(seen.len() + 50 > count, "a round checks each bundle about once");
    }
}
