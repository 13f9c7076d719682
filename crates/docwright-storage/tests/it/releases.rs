//! Releases: the newest head wins in any order of builds, and a rollback lasts.

use docwright_storage::database::{
    BuildDecision, BuildInput, BuildResult, Lease, NewExport, PageRequest, Queue,
    RecurringJobState, Requested, Started,
};
use docwright_testing::database::TestDatabase;
use docwright_types::{
    export_job::{ExportStatus, StoredBundle},
    problem::ProblemKind,
    release::{Release, ReleaseCommit, ReleaseStatus, SiteConfiguration, Trigger},
    site::{Activation, Site},
};

use crate::exports::new_export;

pub(crate) async fn conform(place: &TestDatabase) {
    place.drain(Queue::Releases).await;
    the_newest_head_wins(place).await;
    the_newest_options_win(place).await;
    a_build_repeats_a_failed_poll(place).await;
    a_slow_look_is_repeated(place).await;
    a_head_that_comes_back_is_the_newest(place).await;
    a_rollback_holds_until_a_newer_head(place).await;
    nothing_changed_below_the_docs_root(place).await;
    folders_are_always_built(place).await;
    activation_by_hand(place).await;
    an_export_outlives_its_release(place).await;
    pushes_ask_for_releases_once(place).await;
    updates_are_asked_for_once(place).await;
    heads_that_are_seen_at_once_have_an_order(place).await;
    canceled_release_stops_its_worker_and_its_exports(place).await;
    rebuild_is_not_replaced_by_the_release_of_its_commit(place).await;
    releases_of_a_project_are_numbered(place).await;
    log_is_bounded(place).await;
}

/// A site and the steps of its tests.
pub(crate) struct Builds<'a> {
    pub(crate) place: &'a TestDatabase,
    pub(crate) site: Site,
}

impl<'a> Builds<'a> {
    pub(crate) async fn of(place: &'a TestDatabase, name: &str) -> Self {
        Self { place, site: place.site(name).await.0 }
    }

    async fn request(&self) -> String {
        let database = &self.place.database;
        let project = &self.site.project_id;
        let asked = database.request_update(project, None, Trigger::Api, None, 1).await;
        let Requested::Update(update) = asked.unwrap() else { panic!("the project has a site") };
        let releases = database.releases_of_update(&update).await.unwrap();
        releases[0].id.clone()
    }

    pub(crate) async fn claim(&self) -> Lease {
        self.place.database.claim(Queue::Releases, 60_000, 1).await.unwrap().unwrap().lease
    }

    /// Requests a release and claims it.
    pub(crate) async fn request_and_claim(&self) -> Lease {
        self.request().await;
        self.claim().await
    }

    async fn begin(&self, lease: &Lease, sha: Option<&str>, tree: Option<&str>) -> BuildDecision {
        let commit = ReleaseCommit {
            sha: sha.map(str::to_owned),
            docs_tree: tree.map(str::to_owned),
            ..ReleaseCommit::default()
        };
        self.begin_with(lease, &commit, "o").await
    }

    async fn begin_with(
        &self,
        lease: &Lease,
        commit: &ReleaseCommit,
        options: &str,
    ) -> BuildDecision {
        let seen_position = self.place.database.last_head_position(&self.site).await.unwrap();
        let input = BuildInput { commit, options, seen_position };
        self.place.database.begin_build(lease, input, 1).await.unwrap()
    }

    /// Requests a release of a head and starts it.
    pub(crate) async fn start(&self, sha: &str) -> Lease {
        self.request().await;
        let lease = self.claim().await;
        assert_eq!(self.begin(&lease, Some(sha), None).await, BuildDecision::Build, "{sha}");
        lease
    }

    /// Starts the queued release.
    pub(crate) async fn claim_and_begin(&self, sha: &str) -> Lease {
        let lease = self.claim().await;
        assert_eq!(self.begin(&lease, Some(sha), None).await, BuildDecision::Build, "{sha}");
        lease
    }

    /// Starts a claimed release. Returns whether it must be built.
    pub(crate) async fn begin_at(&self, lease: &Lease, sha: &str) -> bool {
        self.begin(lease, Some(sha), None).await == BuildDecision::Build
    }

    pub(crate) async fn complete(&self, lease: &Lease) -> bool {
        self.complete_as(lease, &lease.id).await
    }

    /// Completes a release with a bundle of the given key, which has one byte.
    pub(crate) async fn complete_as(&self, lease: &Lease, key: &str) -> bool {
        self.complete_with(lease, key, 1).await
    }

    /// Completes a release with a bundle of the given key and size.
    pub(crate) async fn complete_with(&self, lease: &Lease, key: &str, size: i64) -> bool {
        let bundle = StoredBundle { key: key.to_owned(), size, sha256: "s".into(), commit: None };
        let result =
            BuildResult { page_count: 1, warnings: &[], warning_count: 0, bundle: &bundle };
        let database = &self.place.database;
        let configuration = SiteConfiguration {
            path: format!("{key}.json"),
            name: "\"é".into(),
            theme: "t".into(),
        };
        let held = database.record_configuration(lease, &configuration).await.unwrap();
        let completed = database.complete_build(lease, result, 2).await.unwrap();
        let kept = database.configuration_of(&lease.id).await.unwrap();
        assert_eq!((held, kept == Some(configuration)), (completed, completed));
        completed
    }

    pub(crate) async fn build(&self, sha: &str) -> String {
        let lease = self.start(sha).await;
        assert!(self.complete(&lease).await);
        lease.id
    }

    pub(crate) async fn active(&self) -> Option<String> {
        self.place.database.site(&self.site.id).await.unwrap().unwrap().active_release_id
    }

    async fn release(&self, id: &str) -> Release {
        self.place.database.release(id).await.unwrap().unwrap()
    }
}

async fn the_newest_head_wins(place: &TestDatabase) {
    let builds = Builds::of(place, "newest").await;
    let slow = builds.start("a").await;
    let fast = builds.start("b").await;
    let superseded = builds.release(&slow.id).await;
    assert_eq!(superseded.status, ReleaseStatus::Superseded);
    assert_eq!(superseded.replaced_by.as_deref(), Some(fast.id.as_str()));
    assert!(!place.database.renew(&slow, 1000).await.unwrap(), "the worker must stop");
    assert!(builds.complete(&fast).await);
    assert_eq!(builds.active().await, Some(fast.id.clone()));
    assert!(!builds.complete(&slow).await, "a late build of an older head changes nothing");
    assert_eq!(builds.active().await, Some(fast.id.clone()));
    assert_eq!(builds.release(&slow.id).await.bundle, None);
    assert_eq!(builds.begin(&slow, Some("c"), None).await, BuildDecision::Lost);
}

/// A build that began before the options of the site changed doesn't become active after one with the new options.
async fn the_newest_options_win(place: &TestDatabase) {
    let builds = Builds::of(place, "options").await;
    let slow = builds.start("a").await;
    builds.request().await;
    let fast = builds.claim().await;
    let commit = ReleaseCommit { sha: Some("a".to_owned()), ..ReleaseCommit::default() };
    assert_eq!(builds.begin_with(&fast, &commit, "new").await, BuildDecision::Build);
    assert!(builds.complete(&fast).await);
    assert!(!builds.complete(&slow).await, "its options are no longer those of the site");
    assert_eq!(builds.active().await, Some(fast.id.clone()));
    assert_eq!(builds.release(&slow.id).await.replaced_by, Some(fast.id));
}

/// A build reads the repository, so an error of the last poll can be over.
async fn a_build_repeats_a_failed_poll(place: &TestDatabase) {
    let builds = Builds::of(place, "unreadable").await;
    let database = &place.database;
    let project = builds.site.project_id.as_str();
    database.request_poll(project, 0).await.unwrap();
    let lease = loop {
        let claim =
            database.claim(Queue::Polls, 60_000, 1).await.unwrap().expect("it is requested");
        if claim.lease.id == project {
            break claim.lease;
        }
    };
    let (requested, _) = database.recurring_job_state(&lease).await.unwrap();
    let left = RecurringJobState { requested, error: Some("no".into()), again: Some(600_000) };
    let found = ("It can't be read.", Some(ProblemKind::Branch));
    assert!(database.finish_poll(&lease, &left, found, 5).await.unwrap());
    let poll = async || database.poll_state(project).await.unwrap().unwrap();
    let failed = poll().await;
    assert_eq!((failed.error_kind, failed.failures), (Some(ProblemKind::Branch), 1));
    assert_eq!((failed.failing_since, failed.next_at.is_some()), (Some(5), true));
    builds.start("a").await;
    assert_eq!(poll().await.next_at, None, "it is due");
}

/// A late result of a poll doesn't make an older commit the newest.
async fn a_slow_look_is_repeated(place: &TestDatabase) {
    let builds = &Builds::of(place, "slow").await;
    let database = &place.database;
    let push = |commit: &'static str| async move {
        let project = &builds.site.project_id;
        let pushed =
            database.record_pushed_head(project, ("main", true), (commit, Trigger::Push), 1);
        assert!(pushed.await.unwrap());
    };
    push("a").await;
    let slow = builds.claim().await;
    let seen_position = database.last_head_position(&builds.site).await.unwrap();
    push("b").await;
    let fast = builds.claim().await;
    assert_eq!(builds.begin(&fast, Some("b"), None).await, BuildDecision::Build);
    let commit = ReleaseCommit { sha: Some("a".to_owned()), ..ReleaseCommit::default() };
    let input = BuildInput { commit: &commit, options: "o", seen_position };
    assert_eq!(database.begin_build(&slow, input, 1).await.unwrap(), BuildDecision::Outdated);
    assert_eq!(
        builds.begin(&slow, Some("b"), None).await,
        BuildDecision::Skipped,
        "the repeated poll finds the head"
    );
    assert!(builds.complete(&fast).await);
    assert_eq!(builds.active().await, Some(fast.id));
}

/// If a branch is reset to an earlier commit, the site serves that commit.
async fn a_head_that_comes_back_is_the_newest(place: &TestDatabase) {
    let builds = Builds::of(place, "forced").await;
    let first = builds.build("a").await;
    let second = builds.build("b").await;
    assert_eq!(builds.active().await, Some(second));
    let again = builds.request().await;
    let lease = builds.claim().await;
    assert_eq!(builds.begin(&lease, Some("a"), None).await, BuildDecision::Skipped);
    assert_eq!(builds.active().await, Some(first.clone()), "the commit is already built");
    let skipped = builds.release(&again).await;
    assert_eq!((skipped.status, skipped.replaced_by), (ReleaseStatus::Skipped, Some(first)));
    let sql = format!(
        "SELECT COUNT(*) FROM branch_heads WHERE project_id = '{}'",
        builds.site.project_id
    );
    assert_eq!(place.number(&sql).await, 3);
}

async fn a_rollback_holds_until_a_newer_head(place: &TestDatabase) {
    let builds = Builds::of(place, "rollback").await;
    let good = builds.build("a").await;
    let bad = builds.build("b").await;
    let late = builds.start("c").await;
    let before = async |id: &str| {
        let release = builds.release(id).await;
        place.database.release_before(&release).await.unwrap().map(|before| before.id)
    };
    assert_eq!(before(&good).await, None);
    assert_eq!(before(&bad).await, Some(good.clone()));
    assert_eq!(before(&late.id).await, Some(bad.clone()), "a release that is building isn't ready");
    assert!(place.database.activate_release(&good, 9).await.unwrap());
    assert_eq!(builds.active().await, Some(good.clone()));
    assert!(builds.complete(&late).await);
    assert_eq!(
        builds.active().await,
        Some(good.clone()),
        "the head was recorded before the rollback"
    );
    builds.request().await;
    let lease = builds.claim().await;
    assert_eq!(builds.begin(&lease, Some("c"), None).await, BuildDecision::Skipped);
    assert_eq!(builds.active().await, Some(good), "the same head again");
    let newest = builds.build("d").await;
    assert_eq!(builds.active().await, Some(newest));
    assert!(place.database.activate_release(&bad, 9).await.unwrap());
    assert_eq!(builds.active().await, Some(bad));
    assert!(!place.database.activate_release("rel_none", 9).await.unwrap());
    assert!(
        !place.database.activate_release(&lease.id, 9).await.unwrap(),
        "a skipped release has no bundle"
    );
}

async fn nothing_changed_below_the_docs_root(place: &TestDatabase) {
    let builds = Builds::of(place, "unchanged").await;
    builds.request().await;
    let first = builds.claim().await;
    assert_eq!(builds.begin(&first, Some("a"), Some("t1")).await, BuildDecision::Build);
    assert!(builds.complete(&first).await);
    builds.request().await;
    let second = builds.claim().await;
    assert_eq!(builds.begin(&second, Some("b"), Some("t1")).await, BuildDecision::Skipped);
    assert_eq!(builds.active().await, Some(first.id.clone()));
    assert_eq!(
        builds.release(&first.id).await.head_sequence,
        Some(2),
        "the release belongs to both heads"
    );
    builds.request().await;
    let third = builds.claim().await;
    assert_eq!(builds.begin(&third, Some("c"), Some("t2")).await, BuildDecision::Build);
    assert!(builds.complete(&third).await);
    // The files match the first release but not the previous head, so this is a change.
    builds.request().await;
    let fourth = builds.claim().await;
    assert_eq!(builds.begin(&fourth, Some("d"), Some("t1")).await, BuildDecision::Build);
    assert!(place.database.fail(&fourth, "done", 1).await.unwrap());
}

/// A folder with uncommitted changes has no commit, so its builds are never reused.
async fn folders_are_always_built(place: &TestDatabase) {
    let builds = Builds::of(place, "folder").await;
    for _ in 0..3 {
        builds.request().await;
        let lease = builds.claim().await;
        assert_eq!(builds.begin(&lease, None, None).await, BuildDecision::Build);
        assert!(builds.complete(&lease).await);
        assert_eq!(builds.active().await, Some(lease.id));
    }
}

async fn activation_by_hand(place: &TestDatabase) {
    let (site, _) = place.site_with("by-hand", Activation::Manual).await;
    let builds = Builds { place, site };
    let release = builds.build("a").await;
    assert_eq!(builds.active().await, None);
    assert!(place.database.activate_release(&release, 9).await.unwrap());
    assert_eq!(builds.active().await, Some(release));
}

async fn updates_are_asked_for_once(place: &TestDatabase) {
    let (site, _) = place.site("updates").await;
    let (project, database) = (site.project_id.as_str(), &place.database);
    let ask = async |site: Option<&str>, print| {
        let key = Some(("org", "key", print));
        database.request_update(project, site, Trigger::Api, key, 1).await.unwrap()
    };
    let (one, two) = tokio::join!(ask(None, "a"), ask(None, "a"));
    assert_eq!(one, two, "the requests share a release");
    assert_eq!(ask(None, "b").await, Requested::Conflict);
    assert_eq!(ask(Some("site_none"), "c").await, Requested::NoSite);
    let builds = Builds { place, site: site.clone() };
    assert_eq!(builds.active().await, None);
    let lease = builds.claim().await;
    assert_eq!(builds.begin(&lease, Some("a"), None).await, BuildDecision::Build);
    assert!(builds.complete(&lease).await);
    assert_eq!(builds.active().await.as_ref(), Some(&lease.id));
    let active = builds.release(&lease.id).await;
    assert_eq!(Requested::Update(active.update_id.unwrap()), one);
}

/// An export whose release is superseded gets the bundle of the newer release.
async fn an_export_outlives_its_release(place: &TestDatabase) {
    let new: NewExport = new_export(place, "outlives").await;
    let Started::Job(job) = place.database.start_export(&new, 1).await.unwrap() else {
        panic!("expected a started export");
    };
    let site = place.database.site(&new.site_id).await.unwrap().unwrap();
    let builds = Builds { place, site };
    let first = builds.claim().await;
    assert_eq!(builds.begin(&first, Some("a"), None).await, BuildDecision::Build);
    let second = builds.start("b").await;
    let third = builds.start("c").await;
    assert_eq!(builds.release(&first.id).await.replaced_by, Some(third.id.clone()));
    assert_eq!(builds.release(&second.id).await.replaced_by, Some(third.id.clone()));
    let now = async || place.database.export_job(&job.id).await.unwrap().unwrap();
    assert_eq!(now().await.status, ExportStatus::Running);
    assert!(builds.complete(&third).await);
    assert_eq!(now().await.status, ExportStatus::Completed);
    assert_eq!(now().await.bundle.unwrap().key, third.id);
}

async fn canceled_release_stops_its_worker_and_its_exports(place: &TestDatabase) {
    let database = &place.database;
    let new: NewExport = new_export(place, "canceled").await;
    let Started::Job(job) = database.start_export(&new, 1).await.unwrap() else {
        panic!("expected a started export");
    };
    let site = database.site(&new.site_id).await.unwrap().unwrap();
    let builds = Builds { place, site };
    let lease = builds.claim_and_begin("a").await;
    assert!(database.cancel_release(&lease.id, 3).await.unwrap());
    assert!(!database.cancel_release(&lease.id, 4).await.unwrap(), "it is finished");
    let canceled = builds.release(&lease.id).await;
    assert!(canceled.is_canceled() && canceled.ended_at == Some(3), "{canceled:?}");
    assert!(!database.renew(&lease, 1000).await.unwrap(), "the worker must stop");
    assert!(!builds.complete(&lease).await, "a build that ends later changes nothing");
    assert!(!database.log_step(&lease, "built", 5).await.unwrap());
    assert_eq!(builds.active().await, None);
    let export = database.export_job(&job.id).await.unwrap().unwrap();
    assert_eq!((export.status, export.error.as_deref()), (ExportStatus::Failed, Some("canceled")));
    let queued = builds.request().await;
    assert!(database.cancel_release(&queued, 6).await.unwrap());
    assert!(database.claim(Queue::Releases, 60_000, 1).await.unwrap().is_none());
    assert!(!database.cancel_release("rel_none", 7).await.unwrap());
    // The next build of the same commit isn't replaced by the canceled one.
    let ready = builds.build("a").await;
    assert!(!database.cancel_release(&ready, 8).await.unwrap());
    assert_eq!(builds.active().await.as_ref(), Some(&ready));
    // A lost bundle that is rebuilt stays.
    assert!(database.record_lost_bundle(&ready, &ready, 9).await.unwrap());
    assert!(!database.cancel_release(&ready, 10).await.unwrap());
    place.drain(Queue::Releases).await;
}

async fn rebuild_is_not_replaced_by_the_release_of_its_commit(place: &TestDatabase) {
    let builds = Builds::of(place, "rebuilt").await;
    let first = builds.build("a").await;
    let update = place.database.request_rebuild(&builds.site, Trigger::Manual, 1).await.unwrap();
    let asked = &place.database.releases_of_update(&update).await.unwrap()[0];
    assert!(asked.without_cache && asked.id != first);
    let lease = builds.claim_and_begin("a").await;
    assert_eq!(lease.id, asked.id);
    assert!(builds.complete(&lease).await);
    assert_eq!(builds.active().await, Some(lease.id.clone()));
    let again = builds.request_and_claim().await;
    assert!(!builds.begin_at(&again, "a").await, "other builds are still replaced");
}

async fn releases_of_a_project_are_numbered(place: &TestDatabase) {
    let builds = Builds::of(place, "numbered").await;
    let requests = (0..6).map(|_| builds.request());
    let ids = futures::future::join_all(requests).await;
    let mut numbers = Vec::new();
    for id in &ids {
        numbers.push(builds.release(id).await.number);
    }
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6]);
    place.execute(&format!("DELETE FROM releases WHERE id = '{}'", ids[5])).await;
    assert_eq!(builds.release(&builds.request().await).await.number, 7, "no number is used twice");
    place.drain(Queue::Releases).await;
}

async fn log_is_bounded(place: &TestDatabase) {
    let builds = Builds::of(place, "logged").await;
    let lease = builds.start("a").await;
    for _ in 0..100 {
        let line = format!("{}\nbuilt\t", "é".repeat(1_000));
        assert!(place.database.log_step(&lease, &line, 2).await.unwrap());
    }
    let steps = place.database.release_log(&lease.id).await.unwrap();
    assert!(steps.len() < 40, "{}", steps.len());
    assert!(steps.iter().all(|(_, step)| step.chars().count() <= 500));
    assert!(builds.complete(&lease).await);
}

async fn pushes_ask_for_releases_once(place: &TestDatabase) {
    let builds = Builds::of(place, "pushes").await;
    let project = builds.site.project_id.as_str();
    let push = async |branch, default, commit| {
        let head = (commit, Trigger::Push);
        place.database.record_pushed_head(project, (branch, default), head, 1).await.unwrap()
    };
    let count = async || {
        place.database.releases(project, None, PageRequest::first(10)).await.unwrap().len()
    };
    assert!(push("main", true, "p1").await);
    assert_eq!(count().await, 1);
    assert!(!push("main", true, "p1").await, "the same head is no update");
    assert!(push("draft", false, "p9").await);
    assert_eq!(count().await, 1, "no site shows that branch");
    assert!(push("main", true, "p2").await);
    assert_eq!(count().await, 1, "the queued release will build the newest head");
    assert_eq!(place.database.last_head(project, None).await.unwrap().as_deref(), Some("p2"));
    let lease = builds.claim().await;
    assert!(push("main", true, "p3").await);
    assert_eq!(count().await, 2, "a claimed poll can miss the head");
    assert_eq!(builds.begin(&lease, Some("p3"), None).await, BuildDecision::Build);
    let later = builds.claim().await;
    assert_eq!(builds.begin(&later, Some("p3"), None).await, BuildDecision::Skipped);
    assert!(builds.complete(&lease).await);
    assert_eq!(builds.active().await, Some(lease.id));
}

/// Heads that several nodes record in parallel get distinct positions. Only the last one is built.
async fn heads_that_are_seen_at_once_have_an_order(place: &TestDatabase) {
    let builds = Builds::of(place, "at-once").await;
    let mut leases = Vec::new();
    for _ in 0..8 {
        builds.request().await;
        leases.push(builds.claim().await);
    }
    let heads: Vec<_> = (0..leases.len()).map(|number| format!("h{number}")).collect();
    let begin = async |(lease, sha): (&Lease, &String)| {
        // A head that was overtaken is polled again.
        loop {
            match builds.begin(lease, Some(sha), None).await {
                BuildDecision::Outdated => {}
                started => return started,
            }
        }
    };
    for started in futures::future::join_all(leases.iter().zip(&heads).map(begin)).await {
        assert_eq!(started, BuildDecision::Build);
    }
    let mut releases = Vec::new();
    for lease in &leases {
        releases.push(builds.release(&lease.id).await);
    }
    releases.sort_by_key(|release| release.head_sequence);
    let sequences: Vec<_> = releases.iter().filter_map(|release| release.head_sequence).collect();
    assert_eq!(sequences, (1..=8).collect::<Vec<_>>());
    let newest = releases.pop().unwrap();
    assert_eq!(newest.status, ReleaseStatus::Building);
    for release in releases {
        assert_eq!(release.status, ReleaseStatus::Superseded);
        assert_eq!(release.replaced_by.as_deref(), Some(newest.id.as_str()));
    }
    let newest = leases.iter().find(|lease| lease.id == newest.id).unwrap();
    assert!(builds.complete(newest).await);
    assert_eq!(builds.active().await.as_ref(), Some(&newest.id));
    place.drain(Queue::Releases).await;
}
