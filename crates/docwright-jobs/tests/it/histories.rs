//! Clean-up over generated histories: heads, builds, activations, exports, failures, kills, deletions, and the
//! passing of time in any order. After each clean-up, referenced data exists, and old unreferenced data is gone. A
//! seed decides everything.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    time::{Duration, SystemTime},
};

use docwright_jobs::{
    deletion::Deletion,
    upkeep::{Cleaner, Retention},
};
use docwright_repository::git_hosts::HostSettings;
use docwright_storage::{
    Objects,
    database::{
        BuildDecision, BuildInput, BuildResult, ExportTarget, Lease, NewExport, PageRequest, Queue,
        Started,
    },
};
use docwright_testing::database::TestDatabase;
use docwright_types::{
    deployment::Features,
    domain_address::DomainAddress,
    export_job::{ExportJob, ExportStatus, StoredBundle},
    release::{Release, ReleaseCommit, ReleaseStatus, Trigger},
    site::Site,
    timestamp::{DAY, HOUR, MINUTE},
};

use crate::instance::Instance;

const STEPS: usize = 100;

#[tokio::test(flavor = "multi_thread")]
async fn on_sqlite() {
    for seed in 1..=6 {
        let folder = tempfile::tempdir().unwrap();
        History::begin(TestDatabase::sqlite(folder.path()).await, seed).await.run().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn on_postgres() {
    for seed in 101..=102 {
        let place = TestDatabase::postgres(&format!("history_{seed}")).await;
        History::begin(place, seed).await.run().await;
    }
}

/// Numbers that a seed decides (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn below_time(&mut self, end: i64) -> i64 {
        i64::try_from(self.below(usize::try_from(end).unwrap())).unwrap()
    }
}

struct History {
    place: TestDatabase,
    _instance: Instance,
    objects: Objects,
    cleaner: Cleaner,
    random: Random,
    seed: u64,
    now: i64,
    sites: Vec<Site>,
    /// Current builds of workers, and whether the bundle is already uploaded.
    building: Vec<Lease>,
    /// Ids of exports with their organizations.
    exports: Vec<(String, String)>,
    /// When a release stopped being active.
    last_active: BTreeMap<String, i64>,
    /// The commit of each position of each branch, ever.
    places: BTreeMap<(String, String, i64), Option<String>>,
    /// Another program's objects in the same store.
    foreign: BTreeSet<String>,
    names: usize,
    cleaned: usize,
}

impl History {
    async fn begin(place: TestDatabase, seed: u64) -> Self {
        let instance = Instance::new().await;
        let objects = Objects::open_folder(instance.folder(), Instance::keyring()).unwrap();
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut repositories = instance.repositories(HostSettings::default());
        repositories.database = place.database.clone();
        let retention = Retention {
            releases: 1 + random.below_time(3),
            release_bytes: 1 + random.below_time(4),
            releases_for: (1 + random.below_time(6)) * DAY,
            unbuilt_for: (1 + random.below_time(6)) * DAY,
            exports_for: (seed.is_multiple_of(2)).then_some(8 * DAY),
            archive_after: 30 * DAY,
            events_for: 30 * DAY,
            agent_jobs_for: None,
            previews_for: 30 * DAY,
            feedback_for: 30 * DAY,
            analytics_events_for: 30 * DAY,
            keys_for: 30 * DAY,
            audit_for: 30 * DAY,
        };
        let processes = instance.folder().join("processes");
        std::fs::create_dir(&processes).unwrap();
        let cleaner = Cleaner {
            objects: objects.clone(),
            repositories,
            processes,
            checks: instance.folder().join("checks"),
            remote_specs: None,
            retention,
            lost_bundles: instance.lost_bundles(),
        };
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        Self {
            place,
            _instance: instance,
            objects,
            cleaner,
            random,
            seed,
            now: i64::try_from(now.as_millis()).unwrap(),
            sites: Vec::new(),
            building: Vec::new(),
            exports: Vec::new(),
            last_active: BTreeMap::new(),
            places: BTreeMap::new(),
            foreign: BTreeSet::new(),
            names: 0,
            cleaned: 0,
        }
    }

    async fn run(mut self) {
        self.add_site().await;
        for step in 0..STEPS {
            let active = self.active().await;
            self.now += match self.random.below(4) {
                0 => self.random.below_time(3 * DAY),
                _ => self.random.below_time(HOUR),
            };
            match self.random.below(24) {
                0 => self.add_site().await,
                1..=4 => self.move_branch().await,
                5..=8 => self.ask().await,
                9..=11 => self.start_export().await,
                12..=16 => self.work().await,
                17 => self.end_building().await,
                18 | 19 => self.activate().await,
                20 => self.leave_objects().await,
                21 if self.sites.len() > 1 => self.delete().await,
                _ => self.clean().await,
            }
            if step % 20 == 19 {
                self.clean().await;
            }
            for (site, before) in active {
                if self.active().await.get(&site).is_some_and(|after| *after != before) {
                    self.last_active.insert(before, self.now);
                }
            }
            self.check_places(step).await;
        }
        self.now += 60 * DAY;
        self.clean().await;
        assert!(self.cleaned > 5, "seed {}: cleaned up only {} times", self.seed, self.cleaned);
    }

    async fn active(&self) -> BTreeMap<String, String> {
        let mut active = BTreeMap::new();
        for site in &self.sites {
            if let Some(found) = self.place.database.site(&site.id).await.unwrap() {
                active.extend(found.active_release_id.map(|release| (found.id, release)));
            }
        }
        active
    }

    async fn add_site(&mut self) {
        if self.sites.len() < 4 {
            self.names += 1;
            let name = format!("s{}-{}", self.seed, self.names);
            self.sites.push(self.place.site(&name).await.0);
        }
    }

    fn any_site(&mut self) -> Site {
        let place = self.random.below(self.sites.len());
        self.sites[place].clone()
    }

    fn any_commit(&mut self) -> String {
        // Few, so that branches return to earlier commits.
        format!("c{}", self.random.below(12))
    }

    async fn move_branch(&mut self) {
        let (site, commit) = (self.any_site(), self.any_commit());
        let head = (commit.as_str(), Trigger::Push);
        let database = &self.place.database;
        database
            .record_pushed_head(&site.project_id, ("main", true), head, self.now)
            .await
            .unwrap();
    }

    async fn ask(&mut self) {
        let site = self.any_site();
        let database = &self.place.database;
        let (id, trigger) = (&site.project_id, Trigger::Api);
        database.request_update(id, None, trigger, None, self.now).await.unwrap();
        self.work().await;
    }

    async fn start_export(&mut self) {
        let site = self.any_site();
        let project = self.place.database.project(&site.project_id).await.unwrap().unwrap();
        let kind = self.random.below(4);
        let new = NewExport {
            organization_id: project.organization_id.clone(),
            project_id: project.id,
            site_id: site.id,
            domain: site.domain.clone(),
            version: (kind == 0).then(|| "v".to_owned()),
            paths: (kind == 1).then(|| vec!["a".to_owned()]),
            target: if kind == 2 { elsewhere() } else { ExportTarget::Cloud(String::new()) },
            idempotency: None,
        };
        match self.place.database.start_export(&new, self.now).await.unwrap() {
            Started::Job(job) => self.exports.push((project.organization_id, job.id)),
            Started::Conflict => panic!("the request has no key"),
        }
        self.work().await;
    }

    /// A worker starts a release, and finishes it now, later, or never.
    async fn work(&mut self) {
        let database = self.place.database.clone();
        let claimed = database.claim(Queue::Releases, HOUR, self.now).await.unwrap();
        let Some(lease) = claimed.map(|claim| claim.lease) else { return };
        let release = database.release(&lease.id).await.unwrap().unwrap();
        let site = database.site(&release.site_id).await.unwrap().unwrap();
        let seen_position = database.last_head_position(&site).await.unwrap();
        let head = database.last_head(&site.project_id, None).await.unwrap();
        let sha = match self.random.below(3) {
            0 => self.any_commit(),
            _ => head.unwrap_or_else(|| "c0".to_owned()),
        };
        let docs_tree = (self.random.below(3) == 0).then(|| "tree".to_owned());
        let commit = ReleaseCommit { sha: Some(sha), docs_tree, ..ReleaseCommit::default() };
        let input = BuildInput { commit: &commit, options: "o", seen_position };
        if database.begin_build(&lease, input, self.now).await.unwrap() == BuildDecision::Build {
            self.building.push(lease);
            if self.random.below(3) > 0 {
                self.end_building().await;
            }
        }
    }

    async fn end_building(&mut self) {
        if self.building.is_empty() {
            return;
        }
        let place = self.random.below(self.building.len());
        let lease = self.building.swap_remove(place);
        let (database, now) = (self.place.database.clone(), self.now);
        match self.random.below(8) {
            0 => drop(database.fail(&lease, "failed", now).await.unwrap()),
            // Its worker is killed, before or after it has uploaded the bundle.
            kill @ (1 | 2) => {
                if kill == 1 {
                    self.upload(&key(&lease)).await;
                }
                self.place.age("releases", &lease.id, 2 * HOUR).await;
            }
            _ => {
                let key = key(&lease);
                self.upload(&key).await;
                let bundle =
                    StoredBundle { key: key.clone(), size: 1, sha256: "s".into(), commit: None };
                let result =
                    BuildResult { page_count: 1, warnings: &[], warning_count: 0, bundle: &bundle };
                if !database.complete_build(&lease, result, now).await.unwrap() {
                    self.objects.remove(&key).await.unwrap();
                }
            }
        }
    }

    /// Uploads an object at this time.
    async fn upload(&self, key: &str) {
        let mut upload = self.objects.upload(key).await.unwrap();
        upload.write(b"bundle").await.unwrap();
        upload.finish().await.unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(self.now.unsigned_abs());
        let file = File::options().write(true).open(self.objects.local_path(key).unwrap()).unwrap();
        file.set_modified(time).unwrap();
    }

    async fn leave_objects(&mut self) {
        let number = self.random.below(1000);
        self.upload(&format!("rel_{number:032x}/1/bundle.tar.gz")).await;
        let foreign = format!("backup-{number}/1/bundle.tar.gz");
        self.upload(&foreign).await;
        self.foreign.insert(foreign);
    }

    async fn activate(&mut self) {
        let all = self.releases().await;
        if !all.is_empty() {
            let id = &all[self.random.below(all.len())].id;
            self.place.database.activate_release(id, self.now).await.unwrap();
        }
    }

    async fn delete(&mut self) {
        let place = self.random.below(self.sites.len());
        let site = self.sites.swap_remove(place);
        let repositories = self.cleaner.repositories.clone();
        let deletion = Deletion { repositories, objects: self.objects.clone() };
        if self.random.below(2) == 0 {
            assert!(deletion.project(&site.project_id).await.unwrap().is_some());
        } else {
            let domain = DomainAddress::parse(&site.domain).unwrap();
            assert!(deletion.domain(&domain).await.unwrap().is_some());
        }
    }

    async fn releases(&self) -> Vec<Release> {
        let mut all = Vec::new();
        for project in self.place.database.projects().await.unwrap() {
            all.extend(
                self.place
                    .database
                    .releases(&project.id, None, PageRequest::first(100_000))
                    .await
                    .unwrap(),
            );
        }
        all.sort_by(|one, other| one.id.cmp(&other.id));
        all
    }

    async fn export_jobs(&self) -> Vec<ExportJob> {
        let mut jobs = Vec::new();
        for (_, id) in &self.exports {
            jobs.extend(self.place.database.export_job(id).await.unwrap());
        }
        jobs
    }

    async fn clean(&mut self) {
        self.cleaned += 1;
        if self.random.below(3) == 0 {
            self.clean_while_others_work().await;
        }
        let (before, mut jobs) = (self.releases().await, self.export_jobs().await);
        let active: BTreeSet<String> = self.active().await.into_values().collect();
        self.cleaner.round(self.now).await;
        if let Some(age) = self.cleaner.retention.exports_for {
            let ended = [ExportStatus::Completed, ExportStatus::Failed];
            jobs.retain(|job| !ended.contains(&job.status) || job.updated_at >= self.now - age);
        }
        let ids = |jobs: &[ExportJob]| jobs.iter().map(|job| job.id.clone()).collect::<Vec<_>>();
        assert_eq!(ids(&self.export_jobs().await), ids(&jobs), "seed {}: exports", self.seed);
        let expected: Vec<_> = before
            .iter()
            .filter(|release| self.stays(release, &before, &jobs, &active))
            .map(|release| release.id.clone())
            .collect();
        let after = self.releases().await;
        let found: Vec<_> = after.iter().map(|release| release.id.clone()).collect();
        assert_eq!(found, expected, "seed {} at clean-up {}", self.seed, self.cleaned);
        self.check_objects(&after, &jobs).await;
    }

    /// The retention rule, implemented differently than in the database.
    fn stays(
        &self,
        release: &Release,
        all: &[Release],
        jobs: &[ExportJob],
        active: &BTreeSet<String>,
    ) -> bool {
        let retention = &self.cleaner.retention;
        let since = self.now - retention.releases_for;
        let Some(ended) = release.ended_at else { return true };
        let is_ready = release.status == ReleaseStatus::Ready;
        let unbuilt = !is_ready && ended >= self.now - retention.unbuilt_for;
        let rank = |each: &Release| (each.head_sequence, each.id.clone());
        let newer = all.iter().filter(|each| {
            each.site_id == release.site_id
                && each.servable
                && each.status == ReleaseStatus::Ready
                && rank(each) > rank(release)
        });
        // Each bundle takes one byte.
        let most = retention.releases.min(retention.release_bytes).max(1);
        let newest = usize::try_from(most).unwrap();
        ended >= since
            || unbuilt
            || self.last_active.get(&release.id).is_some_and(|last| *last >= since)
            || active.contains(&release.id)
            || (is_ready
                && jobs.iter().any(|job| job.release_id.as_deref() == Some(release.id.as_str())))
            || (is_ready && release.servable && newer.count() < newest)
    }

    /// Two nodes clean up while the operator activates a release; one of them is killed.
    async fn clean_while_others_work(&mut self) {
        let all = self.releases().await;
        let Some(id) = all.get(self.random.below(all.len().max(1))).map(|each| each.id.clone())
        else {
            return;
        };
        let before = self.active().await;
        let killed = Duration::from_millis(self.random.below(20) as u64);
        let (activated, (), _) = tokio::join!(
            self.place.database.activate_release(&id, self.now),
            self.cleaner.round(self.now),
            tokio::time::timeout(killed, self.cleaner.round(self.now)),
        );
        let release = self.place.database.release(&id).await.unwrap();
        if activated.unwrap() {
            let bundle = release.expect("the activated release exists").bundle.unwrap();
            assert!(self.objects.size(&bundle.key).await.is_ok(), "seed {}", self.seed);
        }
        for (site, release) in before {
            if self.active().await.get(&site).is_some_and(|after| *after != release) {
                self.last_active.insert(release, self.now);
            }
        }
    }

    async fn check_objects(&self, releases: &[Release], jobs: &[ExportJob]) {
        let of_releases = releases.iter().filter_map(|release| release.bundle.as_ref());
        let of_jobs = jobs.iter().filter_map(|job| job.bundle.as_ref());
        let mut named: BTreeSet<&str> =
            of_releases.chain(of_jobs).map(|bundle| bundle.key.as_str()).collect();
        named.extend(self.foreign.iter().map(String::as_str));
        let there = self.objects.list("").await.unwrap();
        for key in &named {
            assert!(there.iter().any(|found| found == key), "seed {}: {key} is lost", self.seed);
        }
        let old: BTreeSet<_> = {
            use futures::TryStreamExt;
            self.objects.older_than(self.now - DAY - MINUTE).try_collect().await.unwrap()
        };
        let is_building = |key: &str| {
            releases.iter().any(|each| each.ended_at.is_none() && key.starts_with(&each.id))
        };
        for key in there.iter().filter(|key| old.contains(*key)) {
            let stays = named.contains(key.as_str()) || is_building(key);
            assert!(stays, "seed {}: {key} should be gone", self.seed);
        }
    }

    /// Positions of a branch are never repeated. All sites serve the default branch, which has no name, so
    /// other branches aren't checked.
    async fn check_places(&mut self, step: usize) {
        let sql =
            "SELECT project_id, branch, sequence, commit_sha FROM branch_heads WHERE branch = ''";
        for (project, branch, sequence, commit) in self.place.heads(sql).await {
            let place = (project, branch, sequence);
            let first = self.places.entry(place.clone()).or_insert_with(|| commit.clone());
            assert_eq!(*first, commit, "seed {} step {step}: {place:?}", self.seed);
        }
    }
}

/// An export with the default features.
fn elsewhere() -> ExportTarget {
    let features = Features::default();
    ExportTarget::Elsewhere { deployment_id: None, features, address: None }
}

fn key(lease: &Lease) -> String {
    format!("{}/{}/bundle.tar.gz", lease.id, lease.number)
}
