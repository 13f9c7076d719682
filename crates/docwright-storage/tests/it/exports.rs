//! Export jobs: started once, and following the state of their release.

use docwright_storage::database::{
    BuildDecision, BuildInput, BuildResult, ExportTarget, NewExport, PageRequest, Position, Queue,
    Started,
};
use docwright_types::{
    export_job::{ExportStatus, StoredBundle},
    release::{ReleaseCommit, ReleaseStatus},
    timestamp::DAY,
};

use docwright_testing::database::TestDatabase;

pub(crate) async fn conform(place: &TestDatabase) {
    let new = new_export(place, "exports").await;
    idempotency(place, &new).await;
    place.drain(Queue::Releases).await;
    a_job_follows_its_release(place, &new).await;
    some_pages_are_never_served(place, &new).await;
}

pub(crate) async fn new_export(place: &TestDatabase, name: &str) -> NewExport {
    let (site, domain) = place.site(name).await;
    let project = place.database.project(&site.project_id).await.unwrap().unwrap();
    NewExport {
        organization_id: project.organization_id,
        project_id: project.id,
        site_id: site.id,
        domain: domain.to_string(),
        version: None,
        paths: None,
        target: ExportTarget::Cloud("dpl_cloud".to_owned()),
        idempotency: None,
    }
}

/// Starts an export. Returns its id.
pub(crate) async fn start(place: &TestDatabase, new: &NewExport, now: i64) -> String {
    match place.database.start_export(new, now).await.unwrap() {
        Started::Job(job) => job.id,
        Started::Conflict => panic!("conflict"),
    }
}

async fn idempotency(place: &TestDatabase, new: &NewExport) {
    let with = |fingerprint: &str| NewExport {
        idempotency: Some(("k".into(), fingerprint.into())),
        ..new.clone()
    };
    let (one, same) = (with("a"), with("a"));
    let (first, second) = tokio::join!(start(place, &one, 1), start(place, &same, 1));
    assert_eq!(first, second);
    let conflict = place.database.start_export(&with("b"), 2).await.unwrap();
    assert!(matches!(conflict, Started::Conflict));
    let later = start(place, &with("b"), DAY + 2).await;
    assert_ne!(later, first, "keys are free again after a day");
    let list = async |cursor: Option<&str>| {
        let after = cursor.map(Position::of_id);
        let page = PageRequest { after: after.as_ref(), ..PageRequest::first(1) };
        let jobs = place.database.export_jobs(&new.project_id, None, page).await.unwrap();
        jobs.into_iter().map(|job| job.id).collect::<Vec<_>>()
    };
    assert_eq!(list(None).await, std::slice::from_ref(&later), "newest first");
    assert_eq!(list(Some(&later)).await, std::slice::from_ref(&first));
    assert!(list(Some(&first)).await.is_empty());
}

fn commit(sha: &str) -> ReleaseCommit {
    ReleaseCommit { sha: Some(sha.to_owned()), ..ReleaseCommit::default() }
}

async fn a_job_follows_its_release(place: &TestDatabase, new: &NewExport) {
    let database = &place.database;
    let id = start(place, new, 5).await;
    assert_eq!(start(place, new, 5).await.len(), id.len());
    let job = async || database.export_job(&id).await.unwrap().unwrap();
    assert_eq!(job().await.status, ExportStatus::Queued);
    let lease = database.claim(Queue::Releases, 60_000, 6).await.unwrap().unwrap().lease;
    assert_eq!(job().await.release_id.as_deref(), Some(lease.id.as_str()));
    assert_eq!(job().await.status, ExportStatus::Running);
    let commit = commit("e1");
    let input = BuildInput { commit: &commit, options: "o", seen_position: i64::MAX };
    assert_eq!(database.begin_build(&lease, input, 6).await.unwrap(), BuildDecision::Build);
    database.record_progress(&lease, (40, 4), 7).await.unwrap();
    assert_eq!((job().await.progress, job().await.page_count), (40, 4));
    assert!(database.requeue(&lease, 8).await.unwrap());
    assert_eq!(job().await.status, ExportStatus::Running, "the state never goes back");
    let lease = database.claim(Queue::Releases, 60_000, 9).await.unwrap().unwrap().lease;
    assert_eq!(database.begin_build(&lease, input, 9).await.unwrap(), BuildDecision::Build);
    database.record_progress(&lease, (10, 1), 9).await.unwrap();
    assert_eq!((job().await.progress, job().await.page_count), (40, 4));
    let bundle =
        StoredBundle { key: "k".into(), size: 7, sha256: "s".into(), commit: Some("e1".into()) };
    let result = BuildResult { page_count: 9, warnings: &[], warning_count: 3, bundle: &bundle };
    assert!(database.complete_build(&lease, result, 10).await.unwrap());
    let ended = job().await;
    assert_eq!((ended.status, ended.progress, ended.page_count), (ExportStatus::Completed, 100, 9));
    assert_eq!((ended.bundle, ended.warning_count, ended.updated_at), (Some(bundle), 3, 10));
    // A second full export of the same commit reuses the bundle.
    let again = start(place, new, 20).await;
    let lease = database.claim(Queue::Releases, 60_000, 21).await.unwrap().unwrap().lease;
    assert_eq!(database.begin_build(&lease, input, 21).await.unwrap(), BuildDecision::Skipped);
    let again = database.export_job(&again).await.unwrap().unwrap();
    assert_eq!((again.status, again.bundle.unwrap().key), (ExportStatus::Completed, "k".into()));
}

/// Exports of selected pages or with a label have their own bundle and don't change the site.
async fn some_pages_are_never_served(place: &TestDatabase, new: &NewExport) {
    let database = &place.database;
    let site = async || database.site(&new.site_id).await.unwrap().unwrap();
    let before = site().await.active_release_id;
    assert!(before.is_some());
    for (paths, version) in [(Some(vec!["a".to_owned()]), None), (None, Some("v".to_owned()))] {
        let id = start(place, &NewExport { paths, version, ..new.clone() }, 30).await;
        let lease = database.claim(Queue::Releases, 60_000, 31).await.unwrap().unwrap().lease;
        let commit = commit("e1");
        let input = BuildInput { commit: &commit, options: "o", seen_position: i64::MAX };
        assert_eq!(database.begin_build(&lease, input, 31).await.unwrap(), BuildDecision::Build);
        let bundle = StoredBundle { key: "own".into(), size: 1, sha256: "s".into(), commit: None };
        let result =
            BuildResult { page_count: 1, warnings: &[], warning_count: 0, bundle: &bundle };
        assert!(database.complete_build(&lease, result, 32).await.unwrap());
        let job = database.export_job(&id).await.unwrap().unwrap();
        assert_eq!((job.status, job.bundle.unwrap().key), (ExportStatus::Completed, "own".into()));
        assert_eq!(site().await.active_release_id, before);
        assert!(
            !database.activate_release(&lease.id, 9).await.unwrap(),
            "partial exports can't be activated"
        );
        let release = database.release(&lease.id).await.unwrap().unwrap();
        assert_eq!((release.status, release.servable), (ReleaseStatus::Ready, false));
    }
}
