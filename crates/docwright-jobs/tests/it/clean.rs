//! Effects of a round of clean-up on the disk.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::Path,
    time::{Duration, SystemTime},
};

use docwright_jobs::{
    deletion::Deletion,
    remote_specs::RemoteSpecs,
    scratch::Scratch,
    upkeep::{Cleaner, Retention},
};
use docwright_repository::{
    clones,
    git_hosts::HostSettings,
    location::BUILT_IN,
    network::{AllowedHosts, Network},
};
use docwright_storage::{Objects, database::NewKey, event_key::event_key};
use docwright_types::{
    domain_address::DomainAddress,
    key::Scope,
    timestamp::{DAY, HOUR},
};

use crate::instance::Instance;

fn cleaner(instance: &Instance) -> Cleaner {
    let folder = |name: &str| {
        let folder = instance.folder().join(name);
        fs::create_dir_all(&folder).unwrap();
        folder
    };
    Cleaner {
        objects: Objects::open_folder(instance.folder(), Instance::keyring()).unwrap(),
        repositories: instance.repositories(HostSettings::default()),
        processes: folder("processes"),
        checks: folder("checks"),
        remote_specs: Some(RemoteSpecs {
            folder: folder("specs"),
            network: Network::new(AllowedHosts::default()),
        }),
        retention: Retention {
            releases: 1,
            release_bytes: i64::MAX,
            releases_for: DAY,
            unbuilt_for: DAY,
            exports_for: None,
            archive_after: DAY,
            events_for: DAY,
            agent_jobs_for: None,
            previews_for: 30 * DAY,
            feedback_for: DAY,
            analytics_events_for: 5 * DAY,
            keys_for: DAY,
            audit_for: DAY,
        },
        lost_bundles: instance.lost_bundles(),
    }
}

/// Makes a file or folder this many days old.
fn age(path: &Path, days: u64) {
    let time = SystemTime::now() - Duration::from_hours(24 * days);
    File::open(path).unwrap().set_modified(time).unwrap();
}

fn write(path: &Path, days: u64) {
    fs::write(path, "1").unwrap();
    age(path, days);
}

#[tokio::test(flavor = "multi_thread")]
async fn clean_up_removes_only_unused_files() {
    let instance = Instance::new().await;
    let cleaner = cleaner(&instance);
    let project = instance.project("built-in", BUILT_IN).await;
    let repositories = &cleaner.repositories;
    repositories.built_in(&project.id).create().await.unwrap();
    let git = &repositories.git_folder;
    for (name, days) in [("prj_old.git", 3), ("prj_new.git", 0), ("backup.git", 3)] {
        fs::create_dir(git.join(name)).unwrap();
        fs::write(git.join(name).join("HEAD"), "x").unwrap();
        age(&git.join(name), days);
    }
    age(&repositories.built_in(&project.id).repository(), 3);
    let (hash, other) = ("a".repeat(64), "b".repeat(64));
    write(&instance.folder().join("specs").join(&hash), 31);
    write(&instance.folder().join("specs").join(&other), 29);
    write(&instance.folder().join("specs/notes.txt"), 400);
    write(&instance.folder().join("checks/old.json"), 31);
    write(&instance.folder().join("checks/new.json"), 1);
    let mine = Scratch::open(&cleaner.processes).unwrap();
    fs::write(mine.folder().join("file"), "1").unwrap();
    // The state after a kill.
    fs::create_dir(cleaner.processes.join("killed")).unwrap();
    fs::write(cleaner.processes.join("killed/spool"), "1").unwrap();
    fs::write(cleaner.processes.join("killed.lock"), "").unwrap();

    cleaner.round(repositories.clock.now()).await;
    let names = |folder: &Path| {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let own = format!("{}.git", project.id);
    let mut expected = ["backup.git", "instance", "prj_new.git", &own].map(str::to_owned);
    expected.sort();
    assert_eq!(names(git), expected);
    assert_eq!(names(&instance.folder().join("specs")), [other.as_str(), "notes.txt"]);
    assert_eq!(names(&instance.folder().join("checks")), ["new.json"]);
    assert!(mine.folder().join("file").is_file());
    assert_eq!(names(&cleaner.processes).len(), 2, "a folder and its lock");
}

#[tokio::test(flavor = "multi_thread")]
async fn size_of_repository_is_recorded_when_it_changes() {
    let instance = Instance::new().await;
    let repositories = instance.repositories(HostSettings::default());
    let project = instance.project("built-in", BUILT_IN).await;
    let repository = repositories.built_in(&project.id);
    let recorded = async || {
        let usage = instance.database.storage_usage(&project.organization_id).await.unwrap();
        u64::try_from(usage.repositories).unwrap()
    };
    let files = instance.folder().join("import");
    fs::create_dir(&files).unwrap();
    fs::write(files.join("index.mdx"), "# Page").unwrap();
    repository.import(&files).await.unwrap();
    let imported = recorded().await;
    assert_eq!(imported, clones::size(&repository.repository()));
    fs::write(repository.repository().join("objects/large"), vec![0; 100_000]).unwrap();
    repository.record_push(&BTreeMap::new()).await.unwrap();
    assert_eq!(recorded().await, imported + 100_000);
}

/// As if the process of its last use had ended an hour ago.
#[tokio::test(flavor = "multi_thread")]
async fn size_of_clone_is_forgotten_after_an_hour() {
    let instance = Instance::new().await;
    let project = instance.project("clones", BUILT_IN).await;
    instance.database.record_clone_size(&project.id, ("clone", 9)).await.unwrap();
    let now = instance.database.now().await.unwrap();
    let cleaner = cleaner(&instance);
    let rows = async || instance.number("SELECT COUNT(*) FROM clones").await;
    cleaner.round(now).await;
    assert_eq!(rows().await, 1);
    cleaner.round(now + 2 * HOUR).await;
    assert_eq!(rows().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn events_go_with_their_days_and_domains() {
    let instance = Instance::new().await;
    let cleaner = cleaner(&instance);
    let project = instance.project("read", BUILT_IN).await;
    let database = &cleaner.repositories.database;
    for name in ["docs.example.com", "example.com/docs"] {
        let domain = DomainAddress::parse(name).unwrap();
        database.add_domain(&domain, &project.id, None, 1).await.unwrap();
    }
    let now = cleaner.repositories.clock.now();
    let store = async |project: &str, domain: &str, days: i64| {
        let hour = now - now.rem_euclid(HOUR) - days * DAY;
        let key = event_key(project, domain, hour, "1");
        let mut upload = cleaner.objects.upload(&key).await.unwrap();
        upload.write(b"PAR1").await.unwrap();
        upload.finish().await.unwrap();
        age(&cleaner.objects.local_path(&key).unwrap(), u64::try_from(days).unwrap());
        key
    };
    let mut kept = vec![
        store(&project.id, "docs.example.com", 0).await,
        store(&project.id, "docs.example.com", 5).await,
        store(&project.id, "example.com/docs", 2).await,
    ];
    store(&project.id, "docs.example.com", 7).await;
    store(&project.id, "gone.example.com", 2).await;
    store("prj_gone", "docs.example.com", 2).await;
    cleaner.round(now).await;
    kept.sort();
    assert_eq!(cleaner.objects.list("events").await.unwrap(), kept);
    // Those that remain go with the domain and with the project.
    let deletion =
        Deletion { repositories: cleaner.repositories.clone(), objects: cleaner.objects.clone() };
    let domain = DomainAddress::parse("example.com/docs").unwrap();
    assert_eq!(deletion.domain(&domain).await.unwrap().unwrap().left, 0);
    kept.retain(|key| !key.contains("example.com_2fdocs"));
    assert_eq!(cleaner.objects.list("events").await.unwrap(), kept);
    assert_eq!(deletion.project(&project.id).await.unwrap().unwrap().left, 0);
    assert_eq!(cleaner.objects.list("events").await.unwrap(), [""; 0]);
}

/// As if the clocks had jumped 800 days ahead since the last round, and stayed there for three starts.
#[tokio::test(flavor = "multi_thread")]
async fn clean_up_removes_one_day_when_clock_jumps() {
    let instance = Instance::new().await;
    let cleaner = cleaner(&instance);
    let database = &cleaner.repositories.database;
    let project = instance.project("jump", BUILT_IN).await;
    let now = cleaner.repositories.clock.now();
    let last = now - 800 * DAY;
    let revoke = async |ended| {
        let new = NewKey {
            organization_id: Some(project.organization_id.clone()),
            name: "k".to_owned(),
            scope: Scope::Read,
            projects: Vec::new(),
            allowlist: Vec::new(),
            days: None,
            created_by: None,
        };
        let id = database.create_key(&new, ended).await.unwrap().id().to_owned();
        assert!(database.revoke_key(&id, ended).await.unwrap());
        id
    };
    // Keys are kept for a day here.
    let (_old, young) = (revoke(last - HOUR).await, revoke(last + 2 * DAY).await);
    let set = format!("UPDATE retention_rounds SET reached_at = {last}, clock_at = {last}");
    instance.execute(&set).await;
    for _ in 0..3 {
        let time = cleaner.begin_round(now).await.unwrap();
        assert!((last + DAY..last + 2 * DAY).contains(&time), "{}", time - last);
        cleaner.round(time).await;
        let keys = database.keys(&project.organization_id).await.unwrap();
        let keys: Vec<_> = keys.iter().map(|key| &key.id).collect();
        assert_eq!(keys, [&young]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn clean_up_packs_repositories_and_drops_no_commit() {
    let instance = Instance::new().await;
    let cleaner = cleaner(&instance);
    let project = instance.project("built-in", BUILT_IN).await;
    let built_in = cleaner.repositories.built_in(&project.id);
    built_in.create().await.unwrap();
    let repository = built_in.repository();
    let git = async |arguments: &[&str]| built_in.git.run(&repository, arguments).await.unwrap();
    // More objects than many pushes leave; no branch reaches them.
    let files = instance.folder().join("texts");
    fs::create_dir(&files).unwrap();
    let mut write = vec!["hash-object".to_owned(), "-w".to_owned()];
    for number in 0..3_000 {
        let file = files.join(number.to_string());
        fs::write(&file, number.to_string()).unwrap();
        write.push(file.display().to_string());
    }
    let hashes = git(&write.iter().map(String::as_str).collect::<Vec<_>>()).await;
    // What killed commands leave.
    let objects = repository.join("objects");
    for (name, days) in [("tmp_pack_old", 2), (".tmp-1-pack-old", 2), ("tmp_pack_new", 0)] {
        self::write(&objects.join("pack").join(name), days);
    }
    fs::create_dir(objects.join("tmp_objdir-incoming-old")).unwrap();
    age(&objects.join("tmp_objdir-incoming-old"), 2);

    cleaner.round(cleaner.repositories.clock.now()).await;
    let counted = git(&["count-objects", "-v"]).await;
    for line in ["count: 0", "in-pack: 3000", "packs: 1"] {
        assert!(counted.lines().any(|each| each == line), "{counted}");
    }
    git(&["cat-file", "-e", hashes.lines().next().unwrap()]).await;
    for (name, stays) in [
        ("pack/tmp_pack_old", false),
        ("pack/.tmp-1-pack-old", false),
        ("pack/tmp_pack_new", true),
        ("tmp_objdir-incoming-old", false),
    ] {
        assert_eq!(objects.join(name).exists(), stays, "{name}");
    }
    assert!(!built_in.pack(SystemTime::now()).await.unwrap(), "nothing is left to do");
    let recorded = instance.number("SELECT repository_bytes FROM projects").await;
    assert_eq!(recorded, i64::try_from(clones::size(&repository)).unwrap());
}
