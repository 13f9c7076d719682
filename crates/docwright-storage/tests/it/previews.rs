//! Previews: opened, rebuilt, and closed with pull requests; exact limits; expiry.

use docwright_storage::database::{
    KeptReleases, Lease, Limited, PageRequest, PreviewOfBranch, PreviewSync, Queue, RequestLimit,
    Requested, StartedPreview, WantedPreview,
};
use docwright_testing::database::TestDatabase;
use docwright_types::{
    domain_name::DomainName,
    preview::{PreviewAddresses, PreviewEnd, PreviewSource, PreviewState},
    question_check::QuestionCheck,
    release::{ReleaseStatus, Trigger},
    site_origin::SiteOrigin,
    stored_diagnostic::{StoredDiagnostic, StoredDiagnostics},
};

use crate::releases::Builds;

pub(crate) async fn conform(place: &TestDatabase) {
    place.drain(Queue::Releases).await;
    previews_follow_pull_requests(place).await;
    the_newest_hundred_are_open(place).await;
    a_preview_is_served_while_it_is_open(place).await;
    previews_come_after_releases(place).await;
    branches_have_one_preview(place).await;
    limits_are_exact(place).await;
    a_refusal_uses_nothing_up(place).await;
    previews_come_to_an_end(place).await;
    each_state_is_reported_once(place).await;
    one_slow_host_keeps_no_other_organization_waiting(place).await;
    what_is_new_is_new_to_the_published_site(place).await;
    preview_keeps_the_release_that_it_is_based_on(place).await;
}

pub(crate) fn addresses() -> PreviewAddresses {
    let domain = DomainName::parse("previews.example.net").unwrap();
    PreviewAddresses { domain, origin: SiteOrigin::default() }
}

fn wanted(number: i64, head: &str) -> WantedPreview {
    let git_ref = format!("refs/pull/{number}/head");
    WantedPreview {
        pull_request: number,
        title: format!("Change {number}"),
        branch: format!("branch-{number}"),
        base: "main".to_owned(),
        head: head.to_owned(),
        source: PreviewSource { git_ref, fork: None, is_fork: true },
    }
}

/// A project and the functions that update its previews.
struct Previews<'a> {
    place: &'a TestDatabase,
    project: String,
}

impl<'a> Previews<'a> {
    async fn of(place: &'a TestDatabase, name: &str) -> Self {
        Self { place, project: place.site(name).await.0.project_id }
    }

    async fn sync(&self, open: &[(i64, &str)]) -> [usize; 3] {
        self.sync_as_listed(open, 6).await
    }

    /// Syncs with a list that was read at a given time.
    async fn sync_as_listed(&self, open: &[(i64, &str)], listed_at: i64) -> [usize; 3] {
        let open = open.iter().map(|(number, head)| wanted(*number, head)).collect();
        let database = &self.place.database;
        let times = (listed_at, 5);
        let done = database.sync_previews(&self.project, open, &addresses(), times).await;
        let done = done.unwrap();
        let PreviewSync { opened, rebuilt, closed } = done;
        [opened, rebuilt, closed]
    }

    async fn get(&self, number: i64) -> docwright_types::preview::Preview {
        let found = self.place.database.preview_of_pull_request(&self.project, number).await;
        found.unwrap().expect("the pull request has a preview")
    }

    async fn start(&self, branch: &str, key: Option<&str>) -> Limited<StartedPreview> {
        let key = key.map(|key| ("org", key, branch));
        let asked = PreviewOfBranch { project_id: &self.project, branch, idempotency: key };
        self.place.database.start_preview(asked, &addresses(), 5).await.unwrap()
    }

    /// Builds the queued release.
    async fn build(&self, number: i64, sha: &str) -> String {
        let site = self.place.database.site(&self.get(number).await.site_id).await.unwrap();
        let builds = Builds { place: self.place, site: site.unwrap() };
        let lease = builds.claim_and_begin(sha).await;
        assert!(builds.complete(&lease).await);
        lease.id
    }
}

async fn previews_follow_pull_requests(place: &TestDatabase) {
    let previews = Previews::of(place, "previews-follow").await;
    assert_eq!(previews.sync(&[(1, "a"), (2, "a")]).await, [2, 0, 0]);
    assert_eq!(
        previews.sync(&[(1, "a"), (2, "a")]).await,
        [0, 0, 0],
        "a repeated sync changes nothing"
    );
    let first = previews.get(1).await;
    assert!(first.source.is_fork && first.source.git_ref == "refs/pull/1/head");
    assert!(!first.host.contains('1') || first.host.len() > 40, "{}", first.host);
    assert_ne!(first.host, previews.get(2).await.host);
    assert_eq!(previews.sync(&[(1, "b"), (2, "a")]).await, [0, 1, 0]);
    let newest = place.database.newest_releases(&[&first.site_id]).await.unwrap();
    let newest = &newest[&first.site_id];
    assert_eq!((newest.trigger, newest.status), (Trigger::Preview, ReleaseStatus::Queued));
    let all =
        place.database.releases(&previews.project, None, PageRequest::first(100)).await.unwrap();
    assert_eq!(all.len(), 2, "a queued release is reused");
    // Updates of the domain and pushes affect only the domain's site.
    let sites = place.database.sites(&previews.project).await.unwrap();
    assert_eq!(sites.len(), 1);
    let moved = ("refs/pull/1/head", false);
    place
        .database
        .record_pushed_head(&previews.project, moved, ("c", Trigger::Push), 6)
        .await
        .unwrap();
    let all =
        place.database.releases(&previews.project, None, PageRequest::first(100)).await.unwrap();
    assert_eq!(all.len(), 2, "pushes create no preview");
    let before_all = previews.sync_as_listed(&[], 5).await;
    assert_eq!(before_all, [0, 0, 0], "outdated lists don't close previews");
    assert_eq!(previews.sync(&[(2, "a")]).await, [0, 0, 1]);
    let closed = previews.get(1).await;
    assert_eq!((closed.state, closed.end), (PreviewState::Closed, Some(PreviewEnd::PullRequest)));
    let newest = place.database.newest_releases(&[&first.site_id]).await.unwrap();
    assert_eq!(newest[&first.site_id].status, ReleaseStatus::Failed, "its release is canceled");
    assert_eq!(previews.sync(&[(1, "b"), (2, "a")]).await, [1, 0, 0], "opened again");
    assert_eq!(previews.get(1).await.host, first.host);
    // A preview that someone closed stays closed until the next push.
    let id = previews.get(2).await.id;
    assert!(place.database.close_preview(&previews.project, &id, 7).await.unwrap());
    assert!(!place.database.close_preview(&previews.project, &id, 7).await.unwrap());
    assert_eq!(previews.sync(&[(1, "b"), (2, "a")]).await, [0, 0, 0]);
    assert_eq!(previews.sync(&[(1, "b"), (2, "b")]).await, [1, 0, 0]);
    place.drain(Queue::Releases).await;
}

async fn the_newest_hundred_are_open(place: &TestDatabase) {
    let previews = Previews::of(place, "previews-many").await;
    let open: Vec<_> = (1..=110).map(|number| (number, "a")).collect();
    assert_eq!(previews.sync(&open).await, [100, 0, 0]);
    let count = "SELECT COUNT(*) FROM previews WHERE state = 'open' AND project_id = ";
    let count = format!("{count}'{}'", previews.project);
    assert_eq!(place.number(&count).await, 100);
    assert_eq!(previews.sync(&open).await, [0, 0, 0]);
    let one_more: Vec<_> = (1..=111).map(|number| (number, "a")).collect();
    assert_eq!(previews.sync(&one_more).await, [1, 0, 1]);
    assert_eq!(previews.get(11).await.end, Some(PreviewEnd::Newer));
    assert_eq!(place.number(&count).await, 100);
    previews.sync(&[]).await;
    assert_eq!(place.number(&count).await, 0);
}

async fn a_preview_is_served_while_it_is_open(place: &TestDatabase) {
    let previews = Previews::of(place, "previews-served").await;
    place
        .execute(&format!(
            "UPDATE projects SET activation = 'manual' WHERE id = '{}'",
            previews.project
        ))
        .await;
    let before = place.database.serving_changes().await.unwrap();
    previews.sync(&[(1, "a")]).await;
    assert!(place.database.serving_changes().await.unwrap() > before);
    let host = previews.get(1).await.host;
    assert!(place.database.has_preview_host(&host).await.unwrap());
    assert!(!place.database.has_preview_host("docs.example.com").await.unwrap());
    let serving = async || {
        let all = place.database.serving().await.unwrap();
        assert!(all.is_sorted_by_key(|(name, _)| name.clone()));
        all.into_iter().find(|(name, _)| *name == host).map(|(_, serving)| serving)
    };
    assert_eq!(serving().await, Some(None), "no release is ready");
    let release = previews.build(1, "a").await;
    assert_eq!(
        serving().await.unwrap().unwrap().release_id,
        release,
        "previews activate releases regardless of the project's setting"
    );
    let meta = place.database.served_previews().await.unwrap();
    let meta = meta.into_iter().find(|each| each.host == host).unwrap();
    assert_eq!(meta.pull_request, Some((1, "Change 1".to_owned())));
    assert_eq!((meta.base, meta.password), (None, None), "the domain serves nothing yet");
    previews.sync(&[]).await;
    assert_eq!(serving().await, None);
    let meta = place.database.served_previews().await.unwrap();
    let meta = meta.into_iter().find(|each| each.host == host).unwrap();
    assert_eq!(meta.state, PreviewState::Closed);
}

async fn previews_come_after_releases(place: &TestDatabase) {
    place.drain(Queue::Releases).await;
    let previews = Previews::of(place, "previews-later").await;
    previews.sync(&[(1, "a"), (2, "a"), (3, "a")]).await;
    let asked =
        place.database.request_update(&previews.project, None, Trigger::Push, None, 9).await;
    assert!(matches!(asked, Ok(Requested::Update(_))));
    // The latest request belongs to the site.
    let claim = place.database.claim(Queue::Releases, 60_000, 9).await.unwrap().unwrap();
    let first = place.database.release(&claim.lease.id).await.unwrap().unwrap();
    assert_eq!(first.trigger, Trigger::Push);
    let claim = place.database.claim(Queue::Releases, 60_000, 9).await.unwrap().unwrap();
    let second = place.database.release(&claim.lease.id).await.unwrap().unwrap();
    assert_eq!(second.trigger, Trigger::Preview);
    // Another organization's preview is built before the third of this one.
    let other = Previews::of(place, "previews-other").await;
    other.sync(&[(1, "a")]).await;
    let claim = place.database.claim(Queue::Releases, 60_000, 9).await.unwrap().unwrap();
    assert_eq!(claim.project_id, other.project);
    previews.sync(&[]).await;
    other.sync(&[]).await;
    place.drain(Queue::Releases).await;
}

async fn branches_have_one_preview(place: &TestDatabase) {
    let previews = Previews::of(place, "previews-branch").await;
    let started = previews.start("x", Some("k")).await;
    let Limited::Taken(StartedPreview::Started(update, first), left) = &started else {
        panic!("{started:?}")
    };
    assert_eq!(left.remaining, 4);
    let Limited::Taken(same, left) = previews.start("x", Some("k")).await else { panic!() };
    assert_eq!(same, StartedPreview::Started(update.clone(), first.clone()), "a repeated request");
    assert_eq!(left.remaining, 4, "repeated requests don't count");
    let Limited::Taken(conflict, _) = previews.start("y", Some("k")).await else { panic!() };
    assert_eq!(conflict, StartedPreview::Conflict);
    let again = previews.start("x", None).await;
    let Limited::Taken(StartedPreview::Started(second, preview), _) = again else { panic!() };
    assert_eq!((&preview.id, &preview.host), (&first.id, &first.host), "the same preview");
    assert_ne!(&second, update, "another release");
    assert_eq!(place.database.releases_of_update(&second).await.unwrap().len(), 1);
    assert_eq!(previews.sync(&[]).await, [0, 0, 0], "the preview has no pull request");
    assert!(place.database.close_preview(&previews.project, &preview.id, 9).await.unwrap());
    let Limited::Taken(StartedPreview::Started(_, opened), _) = previews.start("x", None).await
    else {
        panic!()
    };
    assert_eq!((opened.state, &opened.id), (PreviewState::Open, &first.id));
}

/// Of 200 parallel requests, exactly the limit is accepted, across several projects of an organization.
async fn limits_are_exact(place: &TestDatabase) {
    let previews = Previews::of(place, "previews-limit").await;
    let ask = |number: usize| {
        let (database, project) = (place.database.clone(), previews.project.clone());
        tokio::spawn(async move {
            let branch = format!("branch-{number}");
            let asked =
                PreviewOfBranch { project_id: &project, branch: &branch, idempotency: None };
            database.start_preview(asked, &addresses(), 5).await.unwrap()
        })
    };
    let answers = futures::future::join_all((0..200).map(ask)).await;
    let taken = answers.iter().filter(|each| matches!(each, Ok(Limited::Taken(..)))).count();
    assert_eq!(taken, 5);
    for answer in answers {
        if let Limited::Refused(left) = answer.unwrap() {
            assert_eq!(left.remaining, 0);
            assert!((1..=RequestLimit::PREVIEWS.window).contains(&left.reset), "{left:?}");
        }
    }
    let ask = |_| {
        let (database, project) = (place.database.clone(), previews.project.clone());
        tokio::spawn(
            async move { database.request_limited_update(&project, None, 5).await.unwrap() },
        )
    };
    // The test is shorter than the window.
    let answers = futures::future::join_all((0..200).map(ask)).await;
    let taken = answers.iter().filter(|each| matches!(each, Ok(Limited::Taken(..)))).count();
    assert_eq!(taken, 10);
    // Requests stop counting after the window.
    place.execute("UPDATE limited_requests SET made_at = made_at - 60001").await;
    assert!(matches!(previews.start("later", None).await, Limited::Taken(..)));
    place.drain(Queue::Releases).await;
}

async fn a_refusal_uses_nothing_up(place: &TestDatabase) {
    let previews = Previews::of(place, "previews-refused").await;
    let used = format!(
        "SELECT COUNT(*) FROM limited_requests JOIN projects ON projects.organization_id = limited_requests.organization_id \
         WHERE projects.id = '{}'",
        previews.project
    );
    for number in 0..5 {
        previews.start(&format!("{number}"), Some(&format!("r{number}"))).await;
    }
    assert_eq!(place.number(&used).await, 5);
    let refused = previews.start("six", Some("six")).await;
    assert!(matches!(refused, Limited::Refused(_)));
    assert_eq!(place.number(&used).await, 5);
    let again = previews.start("0", Some("r0")).await;
    assert!(matches!(again, Limited::Taken(StartedPreview::Started(..), _)), "a repeated request");
    // The key of the refused request is free.
    place.execute("UPDATE limited_requests SET made_at = made_at - 60001").await;
    let taken = previews.start("six", Some("six")).await;
    assert!(
        matches!(taken, Limited::Taken(StartedPreview::Started(..), left) if left.remaining == 4)
    );
    place.drain(Queue::Releases).await;
}

async fn previews_come_to_an_end(place: &TestDatabase) {
    let previews = Previews::of(place, "previews-end").await;
    previews.sync(&[(1, "a")]).await;
    let release = previews.build(1, "a").await;
    previews.sync(&[(1, "a"), (2, "a")]).await;
    place
        .execute(&format!(
            "UPDATE previews SET changed_at = 0 WHERE project_id = '{}' AND pull_request = 1",
            previews.project
        ))
        .await;
    assert!(place.database.close_unchanged_previews(1, 20).await.unwrap() >= 1);
    let first = previews.get(1).await;
    assert_eq!((first.end, first.closed_at), (Some(PreviewEnd::Unchanged), Some(20)));
    assert_eq!(previews.get(2).await.state, PreviewState::Open);
    assert_eq!(previews.sync(&[(1, "a"), (2, "a")]).await, [0, 0, 0], "until the next push");
    place.database.remove_closed_previews(20).await.unwrap();
    assert_eq!(previews.get(1).await.id, first.id, "not yet");
    let project = place.database.project(&previews.project).await.unwrap().unwrap();
    let usage = async || place.database.storage_usage(&project.organization_id).await.unwrap();
    assert_eq!(usage().await.bundles, 1);
    let (count, keys) = place.database.remove_closed_previews(21).await.unwrap();
    assert!(count >= 1 && keys.contains(&release));
    assert_eq!(usage().await.bundles, 0);
    assert!(place.database.site(&first.site_id).await.unwrap().is_none());
    assert!(place.database.release(&release).await.unwrap().is_none());
    let deleted = place.database.delete_project(&previews.project).await.unwrap().unwrap();
    assert_eq!(deleted.previews, 1);
}

async fn each_state_is_reported_once(place: &TestDatabase) {
    place.execute("UPDATE previews SET reported = 'x', report_after = 9000000000000000").await;
    let previews = Previews::of(place, "previews-report").await;
    previews.sync(&[(1, "a")]).await;
    let take = async || place.database.take_preview_report().await.unwrap();
    let report = take().await.expect("the queued state is reported");
    assert_eq!(take().await, None, "the report is claimed");
    place.database.record_preview_report(&report, Some("c1")).await.unwrap();
    assert_eq!(take().await, None, "the state was reported");
    let release = previews.build(1, "a").await;
    let report = take().await.expect("the ready state is reported");
    assert_eq!(report.release_id, Some(release));
    assert_eq!(report.preview.comment_id.as_deref(), Some("c1"));
    // The worker with the lease disappears.
    place.execute("UPDATE previews SET report_lease_expires_at = 1 WHERE comment_id = 'c1'").await;
    assert_eq!(take().await.map(|again| again.state), Some(report.state.clone()));
    place.database.record_preview_report(&report, None).await.unwrap();
    assert_eq!(take().await, None);
    previews.sync(&[]).await;
    assert_eq!(take().await.map(|report| report.state).as_deref(), Some("closed"));
}

async fn one_slow_host_keeps_no_other_organization_waiting(place: &TestDatabase) {
    place.execute("UPDATE previews SET report_after = 9000000000000000").await;
    let slow = Previews::of(place, "previews-slow-host").await;
    slow.sync(&[(1, "a"), (2, "a")]).await;
    let other = Previews::of(place, "previews-other-host").await;
    other.sync(&[(1, "a")]).await;
    let take = async || place.database.take_preview_report().await.unwrap();
    let first = take().await.expect("the oldest");
    assert_eq!(first.preview.project_id, slow.project);
    let second = take().await.expect("another organization's");
    assert_eq!(second.preview.project_id, other.project);
    assert_eq!(take().await, None, "one report per organization");
    place.database.postpone_preview_report(&first, 60_000).await.unwrap();
    let next = take().await.expect("the next of the organization");
    assert_eq!((&next.preview.project_id, next.failures), (&slow.project, 0));
    assert_ne!(next.preview.id, first.preview.id);
    place.database.record_preview_report(&next, None).await.unwrap();
    assert_eq!(take().await, None, "refused reports wait");
    place.execute("UPDATE previews SET report_after = 1 WHERE report_failures = 1").await;
    assert_eq!(take().await.map(|again| again.failures), Some(1));
    place.execute("UPDATE previews SET report_after = 9000000000000000").await;
}

async fn what_is_new_is_new_to_the_published_site(place: &TestDatabase) {
    place.drain(Queue::Releases).await;
    let builds = Builds::of(place, "previews-diagnostics").await;
    let previews = Previews { place, project: builds.site.project_id.clone() };
    let diagnostic = |path: &str| StoredDiagnostic {
        path: path.to_owned(),
        line: 1,
        is_error: true,
        code: "broken-link".to_owned(),
        message: "broken link".to_owned(),
    };
    let found = |paths: &[&str]| {
        let all: Vec<_> = paths.iter().map(|path| diagnostic(path)).collect();
        let count = i64::try_from(all.len()).unwrap();
        StoredDiagnostics::new((count, count), all)
    };
    let published = builds.start("a").await;
    place.database.record_diagnostics(&published, &found(&["a.mdx"])).await.unwrap();
    assert!(builds.complete(&published).await);
    previews.sync(&[(1, "b")]).await;
    let site = place.database.site(&previews.get(1).await.site_id).await.unwrap();
    let of_preview = Builds { place, site: site.unwrap() };
    // Twice: a head is new even if the preview had it before.
    for head in ["b", "c"] {
        previews.sync(&[(1, head)]).await;
        let lease = of_preview.claim_and_begin(head).await;
        place.database.record_diagnostics(&lease, &found(&["a.mdx", "b.mdx"])).await.unwrap();
        let new = place.database.new_diagnostics(&lease.id).await.unwrap().expect("compared");
        assert_eq!(new.first, [diagnostic("b.mdx")], "{head}");
        assert!(of_preview.complete(&lease).await);
    }
    // A worker that lost its lease writes nothing.
    previews.sync(&[(1, "d")]).await;
    let lease = of_preview.claim_and_begin("d").await;
    let check = QuestionCheck { total: 3, asked: 3, passed: 2, ..QuestionCheck::default() };
    let lost = Lease { number: lease.number + 1, ..lease.clone() };
    place.database.record_question_check(&lost, &check).await.unwrap();
    assert_eq!(place.database.question_check(&lease.id).await.unwrap(), None);
    place.database.record_question_check(&lease, &check).await.unwrap();
    assert_eq!(place.database.question_check(&lease.id).await.unwrap(), Some(check));
    assert!(of_preview.complete(&lease).await);
}

/// Neither a later release of the target branch nor retention changes what an open preview is compared with.
async fn preview_keeps_the_release_that_it_is_based_on(place: &TestDatabase) {
    place.drain(Queue::Releases).await;
    let database = &place.database;
    let builds = Builds::of(place, "previews-based").await;
    let previews = Previews { place, project: builds.site.project_id.clone() };
    let first = builds.build("a").await;
    previews.sync(&[(1, "b")]).await;
    let preview = previews.get(1).await;
    let site = database.site(&preview.site_id).await.unwrap().unwrap();
    let of_preview = Builds { place, site };
    let lease = of_preview.claim_and_begin("b").await;
    let bases = database.bases_of_preview(&preview.id).await.unwrap();
    assert_eq!(bases, [("a".to_owned(), first.clone())]);
    // A worker that lost its lease records nothing.
    let lost = Lease { number: lease.number + 1, ..lease.clone() };
    database.record_base_of_preview(&lost, Some(&lease.id)).await.unwrap();
    database.record_base_of_preview(&lease, Some(&first)).await.unwrap();
    assert!(of_preview.complete(&lease).await);
    let second = builds.build("c").await;
    let base = async || database.base_of_preview(&preview.id).await.unwrap();
    assert_eq!(base().await.as_deref(), Some(&*first));
    let old = "UPDATE releases SET last_active_at = NULL, ended_at = 1 WHERE project_id = ";
    place.execute(&format!("{old}'{}'", previews.project)).await;
    let keep = KeptReleases { since: 2, unbuilt_since: 2, newest: 1, bytes: i64::MAX };
    let (_, removed) = database.remove_old_releases(keep).await.unwrap();
    assert!(!removed.contains(&first), "{removed:?}");
    previews.sync(&[]).await;
    let (_, removed) = database.remove_old_releases(keep).await.unwrap();
    assert!(removed.contains(&first), "no open preview needs it: {removed:?}");
    assert_eq!(base().await.as_deref(), Some(&*second), "the active release takes its place");
}
