//! Release reports to git hosts: when they are due, and which diagnostics are new.

use docwright_storage::database::{Lease, Queue, RecurringJobState};
use docwright_testing::database::TestDatabase;
use docwright_types::stored_diagnostic::{StoredDiagnostic, StoredDiagnostics};

use crate::releases::Builds;

pub(crate) async fn conform(place: &TestDatabase) {
    let database = &place.database;
    place.drain(Queue::Releases).await;
    place.drain(Queue::Reports).await;
    let builds = Builds::of(place, "reported").await;
    let claim = async || {
        let claim = database.claim(Queue::Reports, 60_000, 1).await.unwrap();
        claim.map(|claim| claim.lease)
    };
    let tell = async |lease: &Lease, error: Option<&str>, again: Option<i64>| {
        let (requested, _) = database.recurring_job_state(lease).await.unwrap();
        let left = RecurringJobState { requested, error: error.map(str::to_owned), again };
        let reported = error.is_none().then_some("reported");
        assert!(database.finish_report(lease, &left, reported, 1).await.unwrap());
    };
    // An unwatched release has no report. A watched release has one for each change.
    let first = builds.build("a").await;
    assert_eq!(claim().await, None);
    let first = database.release(&first).await.unwrap().unwrap();
    assert!(
        !database.has_later_release(&first).await.unwrap(),
        "no later release of the commit exists"
    );
    let building = builds.start("b").await;
    database.watch_release(&building.id, 1).await.unwrap();
    database.watch_release(&building.id, 1).await.unwrap();
    assert_eq!(claim().await, None, "nothing changed since the report");
    let diagnostic = |path: &str| StoredDiagnostic {
        path: path.to_owned(),
        line: 1,
        is_error: true,
        code: "broken-link".to_owned(),
        message: "broken link".to_owned(),
    };
    let found = StoredDiagnostics::new((1, 1), vec![diagnostic("a.mdx")]);
    database.record_diagnostics(&building, &found).await.unwrap();
    assert_eq!(
        database.new_diagnostics(&building.id).await.unwrap(),
        None,
        "no earlier release to compare with"
    );
    assert!(builds.complete(&building).await);
    let lease = claim().await.unwrap();
    assert_eq!((lease.id.as_str(), claim().await), (building.id.as_str(), None), "one at a time");
    tell(&lease, Some("the host is down"), Some(60_000)).await;
    assert_eq!(claim().await, None, "the retry isn't due yet");
    let report = database.report(&building.id).await.unwrap().unwrap();
    assert_eq!((report.reported, report.error.as_deref()), (None, Some("the host is down")));
    place.age("reports", &building.id, 60_000).await;
    let lease = claim().await.unwrap();
    assert_eq!(database.recurring_job_state(&lease).await.unwrap().1, 1, "failures are counted");
    tell(&lease, None, None).await;
    assert_eq!(database.recurring_job_state(&lease).await.unwrap().1, 0);
    // Diagnostics of the previous release aren't new. A worker that lost its lease writes nothing.
    let next = builds.start("c").await;
    let found = StoredDiagnostics::new((2, 2), vec![diagnostic("a.mdx"), diagnostic("b.mdx")]);
    let lost = Lease { number: next.number + 1, ..next.clone() };
    database.record_diagnostics(&lost, &found).await.unwrap();
    assert_eq!(database.diagnostics(&next.id).await.unwrap(), None);
    database.record_diagnostics(&next, &found).await.unwrap();
    let new = database.new_diagnostics(&next.id).await.unwrap().unwrap();
    assert_eq!((new.count, new.first), (1, vec![diagnostic("b.mdx")]));
    // A skipped release changes along with its replacement.
    database.watch_release(&next.id, 1).await.unwrap();
    let newest = builds.start("d").await;
    let superseded = claim().await.unwrap();
    assert_eq!(superseded.id, next.id);
    tell(&superseded, None, None).await;
    assert!(builds.complete(&newest).await);
    assert_eq!(claim().await.unwrap().id, next.id);
    let steps = database.release_log(&next.id).await.unwrap();
    let steps: Vec<_> = steps.iter().map(|(_, step)| step.as_str()).collect();
    assert_eq!(steps[..2], ["queued", "c is checked out"]);
    assert!(steps[2].starts_with("superseded: rel_"), "{steps:?}");
    assert!(database.delete_project(&builds.site.project_id).await.unwrap().is_some());
    assert_eq!(place.number("SELECT COUNT(*) FROM reports").await, 0);
}
