//! The cache of clones: shared by one owner's jobs, limited, and repaired after a kill.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use docwright_repository::{
    checkout::{Checkout, CheckoutError, Checkouts, Limits, Origin, Revision},
    clones::CloneLimits,
    remote::Access,
};
use docwright_testing::wait::eventually;

use crate::repositories::{TestRepository, git, names};

async fn check_out(place: &TestRepository, owner: &str) -> Result<Checkout, CheckoutError> {
    let (address, access) = (place.address(), Access::Anonymous);
    let origin = Origin::Remote { owner, address: &address, access: &access };
    place.checkouts.check_out(&origin, "", Revision::Default).await
}

/// Folders of clones, in order.
fn clones(place: &TestRepository) -> Vec<PathBuf> {
    let cache = place.folder.path().join("cache");
    let all = names(&cache).into_iter().map(|name| cache.join(name));
    all.filter(|path| path.is_dir()).collect()
}

/// A repository with a file, and the folder of a clone of it that isn't in use.
async fn cloned() -> (TestRepository, PathBuf) {
    let place = TestRepository::new();
    place.commit(&[("a", "one")]);
    drop(check_out(&place, "org").await.unwrap());
    let clone = clones(&place).remove(0);
    (place, clone)
}

#[tokio::test]
async fn owners_never_share_a_clone() {
    let place = TestRepository::new();
    place.commit(&[("a", "one")]);
    let one = check_out(&place, "org_1").await.unwrap();
    let two = check_out(&place, "org_2").await.unwrap();
    assert_ne!(one.folder(), two.folder());
    assert_ne!(one.clone_size().unwrap().name, two.clone_size().unwrap().name);
    assert_eq!(clones(&place).len(), 2);
    let again = check_out(&place, "org_1").await.unwrap();
    assert_eq!(one.folder(), again.folder());
}

#[tokio::test]
async fn simultaneous_jobs_take_turns() {
    let place = TestRepository::new();
    place.commit(&[("a", "one")]);
    let all = (0..8).map(|_| check_out(&place, "org"));
    let all = futures::future::join_all(all).await;
    assert!(
        all.iter().all(|each| each.as_ref().is_ok_and(|each| each.folder().join("a").is_file()))
    );
    assert_eq!(clones(&place).len(), 1);
}

/// Text of which about 450 KB remain when git has compressed it.
fn noise() -> String {
    let mut state = 88_172_645_463_325_252_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..50_000).flat_map(|_| format!("{:016x}", next()).into_bytes()).map(char::from).collect()
}

fn small() -> CloneLimits {
    let fetch_timeout = Duration::from_mins(1);
    CloneLimits { clone_bytes: 150_000, fetch_timeout, ..CloneLimits::default() }
}

#[tokio::test]
async fn clone_over_limit_is_refused_and_removed() {
    let place = TestRepository::with(small(), Limits::default());
    place.commit(&[("noise", &noise())]);
    let error = check_out(&place, "org").await.unwrap_err();
    assert!(error.to_string().contains("exceeds 146 KiB") && !error.is_transient(), "{error}");
    place.git(&["rm", "--quiet", "noise"]);
    place.git(&["commit", "--quiet", "--amend", "--allow-empty", "--message", "Small"]);
    let checkout = check_out(&place, "org").await.unwrap();
    assert!(!checkout.folder().join("noise").exists());
}

#[tokio::test]
async fn fetch_stops_at_limit() {
    let mut place = TestRepository::with(small(), Limits::default());
    place.commit(&[("noise", &noise())]);
    // A host that sends most of a pack and then nothing, without ever ending. Git writes only whole packets of up
    // to 64 KiB: the sent part exceeds the limit by more than one.
    let host = "git-upload-pack \"$1\" | { dd bs=1 count=300000 2>/dev/null; \
                [ -z \"$(head -c 1 | tr '\\0' x)\" ] || sleep 1000; }";
    let key = format!("remote.{}.uploadpack", place.address());
    let script = place.folder.path().join("host");
    fs::write(&script, host).unwrap();
    place.checkouts.git =
        place.checkouts.git.with_config(&key, &format!("sh {}", script.display()));
    let error = check_out(&place, "org").await.unwrap_err();
    assert!(error.to_string().contains("exceeds 146 KiB"), "{error}");
}

#[tokio::test]
async fn killed_fetch_is_cleaned_up() {
    let (place, clone) = cloned().await;
    let repository = clone.join("repository.git");
    // The state after a kill: git's lock, half a pack, and the mark of the fetch.
    for path in ["shallow.lock", "objects/pack/tmp_pack_x"] {
        fs::create_dir_all(repository.join("objects/pack")).unwrap();
        fs::write(repository.join(path), "").unwrap();
    }
    fs::write(clone.join("changing"), "").unwrap();
    let commit = place.commit(&[("a", "two")]);
    let fresh = check_out(&place, "org").await.unwrap();
    assert_eq!(fresh.commit(), Some(&*commit));
    assert!(!repository.join("objects/pack/tmp_pack_x").exists());
    // While it is in use it stays, and only the leftovers of the fetch are removed.
    fs::write(repository.join("shallow.lock"), "").unwrap();
    fs::write(clone.join("changing"), "").unwrap();
    let commit = place.commit(&[("a", "three")]);
    let again = check_out(&place, "org").await.unwrap();
    assert_eq!(again.commit(), Some(&*commit));
    assert_eq!(fs::read_to_string(fresh.folder().join("a")).unwrap(), "two");
    assert!(!clone.join("changing").exists());
}

#[tokio::test]
async fn damaged_clone_is_cloned_again() {
    let (place, clone) = cloned().await;
    let repository = clone.join("repository.git");
    for folder in ["objects", "refs"] {
        fs::remove_dir_all(repository.join(folder)).unwrap();
    }
    let commit = place.commit(&[("a", "two")]);
    let fresh = check_out(&place, "org").await.unwrap();
    assert_eq!(fresh.commit(), Some(&*commit));
}

#[tokio::test]
async fn old_or_excess_clones_are_removed_unless_in_use() {
    let limits = CloneLimits { age: Duration::from_hours(1), ..CloneLimits::default() };
    let place = TestRepository::with(limits, Limits::default());
    place.commit(&[("a", "one")]);
    let used = check_out(&place, "org_1").await.unwrap();
    drop(check_out(&place, "org_2").await.unwrap());
    let clones_of = &place.checkouts.clones;
    assert_eq!(clones_of.remove_unused(SystemTime::now()), 0);
    let later = SystemTime::now() + Duration::from_hours(2);
    // A process that another test starts holds the locks until it has replaced the copy of this one.
    eventually("the unused clone is removed", async || clones_of.remove_unused(later) == 1).await;
    assert_eq!(clones(&place).len(), 1);
    assert!(used.folder().join("a").is_file(), "clones in use stay");
    drop(used);
    eventually("the last clone is removed", async || clones_of.remove_unused(later) == 1).await;
    assert_eq!(clones(&place).len(), 0);

    let limits = CloneLimits { total_bytes: 0, ..CloneLimits::default() };
    let place = TestRepository::with(limits, Limits::default());
    place.commit(&[("a", "one")]);
    let first = check_out(&place, "org_1").await.unwrap();
    drop(check_out(&place, "org_2").await.unwrap());
    drop(check_out(&place, "org_3").await.unwrap());
    // Each use removes leftovers of others, but never files in use.
    assert!(first.folder().join("a").is_file());
    assert_eq!(clones(&place).len(), 2);
}

#[tokio::test]
async fn files_of_commits_are_removed_at_limit_unless_in_use() {
    let limits = CloneLimits { clone_bytes: 1_000_000, ..CloneLimits::default() };
    let place = TestRepository::with(limits, Limits::default());
    let page = "text\n".repeat(90_000);
    let mut used = Vec::new();
    for number in 0..6 {
        place.commit(&[("page", &format!("{number}\n{page}"))]);
        used.push(check_out(&place, "org").await.unwrap());
    }
    let first = used.remove(0);
    assert_eq!(commits(&place), 6, "files in use stay");
    drop(used);
    // A process that another test starts holds the locks until it has replaced the copy of this one.
    eventually("only what fits and what is in use stays", async || {
        place.commit(&[("page", &page)]);
        let checkout = check_out(&place, "org").await.unwrap();
        assert!(checkout.folder().join("page").is_file());
        assert!(first.folder().join("page").is_file(), "files in use stay");
        // Two commits fit, of which the new one is in use.
        commits(&place) == 2 && checkout.clone_size().unwrap().bytes < 1_600_000
    })
    .await;
}

/// How many commits have files in the only clone.
fn commits(place: &TestRepository) -> usize {
    let files = clones(place).remove(0).join("files");
    names(&files).into_iter().filter(|name| !name.ends_with(".lock")).count()
}

/// Fetches 51 commits like the releases of as many pushes.
fn fetch_often(place: &TestRepository, repository: &Path, how: &str, target: fn(&str) -> String) {
    let address = format!("file://{}", place.source().display());
    for number in 0..51 {
        let commit = place.commit(&[("a", &number.to_string())]);
        let refspec = format!("+{commit}:refs/docwright/{}", target(&commit));
        let settings = ["-c", "fetch.unpackLimit=1", "-c", "gc.auto=0"];
        let fetch = ["fetch", "--quiet", how, &address, &refspec];
        git(repository, &[&settings[..], &fetch].concat());
    }
}

fn packs(repository: &Path) -> usize {
    let all = names(&repository.join("objects/pack"));
    all.iter().filter(|name| name.ends_with(".pack")).count()
}

#[tokio::test]
async fn clone_of_many_fetches_is_packed_once_it_is_unused() {
    let place = TestRepository::new();
    let first = place.commit(&[("a", "one"), ("b", "b")]);
    let checkout = check_out(&place, "org").await.unwrap();
    let dates = place.checkouts.last_changes(&checkout, checkout.root(), None).await;
    assert_eq!(dates.len(), 2);
    let clone = clones(&place).remove(0);
    let [repository, history] = ["repository.git", "history.git"].map(|name| clone.join(name));
    fetch_often(&place, &repository, "--depth=2", str::to_owned);
    fetch_often(&place, &history, "--filter=blob:none", |_| "history".to_owned());
    assert!(packs(&repository) > 50 && packs(&history) > 50);
    let Checkouts { clones: all, git: runner, .. } = &place.checkouts;
    assert_eq!(all.pack(runner).await, 0, "the clone is in use");
    drop(checkout);
    assert_eq!(all.pack(runner).await, 1);
    assert_eq!((packs(&repository), packs(&history)), (1, 1));
    assert_eq!(all.pack(runner).await, 0, "nothing is left to do");
    // Git sends each commit where the history ends to the host.
    let ends = fs::read_to_string(repository.join("shallow")).unwrap();
    assert!(ends.lines().count() <= 20, "{ends}");
    let newest = check_out(&place, "org").await.unwrap();
    assert_eq!(fs::read_to_string(newest.folder().join("a")).unwrap(), "50");
    assert_eq!(place.checkouts.last_changes(&newest, newest.root(), None).await.len(), 2);
    // A release of an older commit gets it again.
    let (address, access) = (place.address(), Access::Anonymous);
    let origin = Origin::Remote { owner: "org", address: &address, access: &access };
    let older = place.checkouts.check_out(&origin, "", Revision::Commit(&first)).await.unwrap();
    assert_eq!(fs::read_to_string(older.folder().join("a")).unwrap(), "one");
}

#[tokio::test]
async fn clone_that_cannot_be_packed_is_cloned_again() {
    let (place, clone) = cloned().await;
    let repository = clone.join("repository.git");
    for number in 0..60 {
        fs::write(repository.join(format!("objects/pack/pack-{number}.pack")), "").unwrap();
    }
    let name = git(&repository, &["for-each-ref", "--format=%(refname)"]);
    fs::write(repository.join(name), "0123456789012345678901234567890123456789").unwrap();
    let Checkouts { clones: all, git: runner, .. } = &place.checkouts;
    for _ in 0..2 {
        assert_eq!(all.pack(runner).await, 0);
        assert!(clone.join("changing").exists());
    }
    let checkout = check_out(&place, "org").await.unwrap();
    assert_eq!(fs::read_to_string(checkout.folder().join("a")).unwrap(), "one");
    assert_eq!(packs(&repository), 1);
}
