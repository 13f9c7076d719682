//! Retention removes expired records and nothing else.

use docwright_storage::database::{
    AgentResult, KeptReleases, NewAgentJob, NewFeedback, NewKey, Prompted, Queue, Started,
};
use docwright_testing::database::TestDatabase;
use docwright_types::{
    agent_job::Usage,
    feedback::GivenFrom,
    key::Scope,
    timestamp::{DAY, HOUR},
};

use crate::{exports::new_export, releases::Builds, storage_usage::set_bundle_sizes};

/// Long after all other tests.
const LATER: i64 = 1_000 * DAY;

pub(crate) async fn conform(place: &TestDatabase) {
    place.drain(Queue::Releases).await;
    the_newest_and_the_active_release_stay(place).await;
    a_release_that_was_active_lately_stays(place).await;
    oldest_releases_go_when_site_is_too_large(place).await;
    newest_release_stays_however_large(place).await;
    releases_without_bundle_have_age_of_their_own(place).await;
    retention_moves_by_day_at_most(place).await;
    a_removed_release_cant_be_activated(place).await;
    a_bundle_that_an_export_names_stays(place).await;
    places_of_heads_are_given_once(place).await;
    events_go_when_nothing_follows_them(place).await;
    feedback_and_keys_have_an_age(place).await;
    idempotency_keys_last_a_day(place).await;
    clocks_agree(place).await;
    assert!(place.database.erase_deleted().await.unwrap());
}

async fn removed(place: &TestDatabase, newest: i64, before: i64) -> Vec<String> {
    removed_of(place, KeptReleases { newest, ..kept(before) }).await
}

/// Allows removing all releases that ended before a time, except the newest ready one of each site.
const fn kept(before: i64) -> KeptReleases {
    KeptReleases { since: before, unbuilt_since: before, newest: 1, bytes: i64::MAX }
}

async fn removed_of(place: &TestDatabase, keep: KeptReleases) -> Vec<String> {
    let (count, mut keys) = place.database.remove_old_releases(keep).await.unwrap();
    assert!(keys.len() as u64 <= count);
    keys.sort();
    keys
}

/// `Builds` completes releases at time 2.
async fn the_newest_and_the_active_release_stay(place: &TestDatabase) {
    place.execute("UPDATE releases SET ended_at = 1000000000000 WHERE status <> 'queued'").await;
    let builds = Builds::of(place, "kept").await;
    let mut ids = Vec::new();
    for commit in ["a", "b", "c", "d", "e"] {
        ids.push(builds.build(commit).await);
    }
    place.execute("UPDATE releases SET last_active_at = NULL").await;
    assert!(place.database.activate_release(&ids[0], 3).await.unwrap());
    place.execute("UPDATE releases SET last_active_at = NULL").await;
    assert_eq!(removed(place, 2, 2).await, [""; 0], "the bound is exclusive");
    // A bundle's key is the id of its release here.
    assert_eq!(removed(place, 2, 3).await, [ids[1].clone(), ids[2].clone()]);
    assert_eq!(removed(place, 1, 3).await, [ids[3].clone()]);
    assert_eq!(removed(place, 1, 3).await, [""; 0], "the active and the newest release stay");
    assert!(place.database.release(&ids[0]).await.unwrap().is_some());
    assert!(place.database.release(&ids[4]).await.unwrap().is_some());
}

/// Other nodes can still serve the release, and the operator can return to it.
async fn a_release_that_was_active_lately_stays(place: &TestDatabase) {
    let builds = Builds::of(place, "lately").await;
    let first = builds.build("a").await;
    let second = builds.build("b").await;
    assert!(place.database.activate_release(&first, LATER).await.unwrap());
    assert!(place.database.activate_release(&second, LATER + 5).await.unwrap());
    assert_eq!(removed(place, 1, LATER + 5).await, [""; 0]);
    place.execute("UPDATE releases SET ended_at = 1000000000000000 WHERE status = 'failed'").await;
    assert!(removed(place, 1, LATER + 6).await.contains(&first));
}

/// Bundles of `Builds` have one byte.
async fn oldest_releases_go_when_site_is_too_large(place: &TestDatabase) {
    place.execute("UPDATE releases SET ended_at = 1000000000000000").await;
    let (large, small) = (Builds::of(place, "large").await, Builds::of(place, "small").await);
    let mut ids = Vec::new();
    for commit in ["a", "b", "c", "d", "e"] {
        ids.push(large.build(commit).await);
        small.build(commit).await;
    }
    set_bundle_sizes(place, 100, &format!("site_id = '{}'", large.site.id)).await;
    place.execute("UPDATE releases SET last_active_at = NULL").await;
    assert!(place.database.activate_release(&ids[1], 3).await.unwrap());
    place.execute("UPDATE releases SET last_active_at = NULL").await;
    let keep = KeptReleases { newest: 10, bytes: 500, ..kept(3) };
    assert_eq!(removed_of(place, keep).await, [""; 0], "five take 500 bytes");
    let keep = KeptReleases { bytes: 299, ..keep };
    assert_eq!(removed_of(place, keep).await, [ids[0].clone(), ids[2].clone()]);
    assert_eq!(
        removed_of(place, keep).await,
        [""; 0],
        "the active and the two newest releases stay"
    );
    let keep = KeptReleases { newest: 3, bytes: 1, ..keep };
    assert!(removed_of(place, keep).await.contains(&ids[3]));
}

async fn newest_release_stays_however_large(place: &TestDatabase) {
    let builds = Builds::of(place, "newest-large").await;
    let (first, second) = (builds.build("a").await, builds.build("b").await);
    place.execute("UPDATE releases SET last_active_at = NULL").await;
    assert!(place.database.activate_release(&first, 3).await.unwrap());
    place.execute("UPDATE releases SET last_active_at = NULL").await;
    set_bundle_sizes(place, 9_000_000_000_000, "1 = 1").await;
    let keep = KeptReleases { bytes: 1, ..kept(3) };
    removed_of(place, keep).await;
    for id in [first, second] {
        assert!(place.database.release(&id).await.unwrap().is_some());
    }
}

async fn releases_without_bundle_have_age_of_their_own(place: &TestDatabase) {
    let builds = Builds::of(place, "unbuilt").await;
    let lease = builds.start("a").await;
    assert!(place.database.fail(&lease, "broken", 5).await.unwrap());
    let is_there = async || place.database.release(&lease.id).await.unwrap().is_some();
    removed_of(place, KeptReleases { unbuilt_since: 5, ..kept(100) }).await;
    assert!(is_there().await, "the job ended at 5");
    removed_of(place, KeptReleases { unbuilt_since: 6, ..kept(100) }).await;
    assert!(!is_there().await);
}

/// The database's clock can't be set, so the test moves the previous round back.
async fn retention_moves_by_day_at_most(place: &TestDatabase) {
    let database = &place.database;
    let now = database.now().await.unwrap();
    let ahead = i64::MAX / 2;
    let entry = now - 400 * DAY;
    place.execute("DELETE FROM audit_entries").await;
    place
        .execute(&format!(
            "INSERT INTO audit_entries (id, actor_kind, actor_id, actor_name, action, subject_kind, subject_id, request_id, \
             created_at) VALUES ('aud_1', 'shell', 'uid:0', 'root', 'key.create', 'key', 'k', '', {entry})"
        ))
        .await;
    let first = database.begin_retention_round(ahead, HOUR).await.unwrap();
    assert_eq!(first.previous, Some(entry), "without a round, the last change counts");
    assert_eq!(first.time, entry + DAY + HOUR);
    let set = format!("UPDATE retention_rounds SET reached_at = {now}, clock_at = 0");
    place.execute(&set).await;
    let second = database.begin_retention_round(ahead, HOUR).await.unwrap();
    assert!((now..now + HOUR).contains(&second.time), "the database's clock is behind");
    let behind = database.begin_retention_round(now - DAY, HOUR).await.unwrap();
    assert_eq!((behind.time, behind.clock), (now - DAY, now - DAY));
    let old = now - 800 * DAY;
    let sql = format!("UPDATE retention_rounds SET reached_at = {old}, clock_at = {old}");
    place.execute(&sql).await;
    let begin = || database.begin_retention_round(ahead, HOUR);
    let rounds = futures::future::join_all((0..8).map(|_| begin())).await;
    for round in rounds {
        assert_eq!(round.unwrap().time, old + DAY + HOUR, "eight nodes are one round");
    }
    let never_set = database.begin_retention_round(9, HOUR).await.unwrap();
    assert_eq!(never_set.time, 9);
    assert_eq!(
        begin().await.unwrap().previous,
        Some(old + DAY + HOUR),
        "this round isn't recorded"
    );
}

async fn a_removed_release_cant_be_activated(place: &TestDatabase) {
    let builds = Builds::of(place, "removed").await;
    let first = builds.build("a").await;
    builds.build("b").await;
    place.execute("UPDATE releases SET last_active_at = NULL").await;
    // The first of the two decides.
    let (removed, activated) = tokio::join!(
        place.database.remove_old_releases(kept(3)),
        place.database.activate_release(&first, 4)
    );
    let removed = removed.unwrap().1.contains(&first);
    let (activated, there) =
        (activated.unwrap(), place.database.release(&first).await.unwrap().is_some());
    assert_eq!((activated, there), (!removed, !removed));
    if removed {
        assert!(!place.database.activate_release(&first, 5).await.unwrap());
    }
}

async fn a_bundle_that_an_export_names_stays(place: &TestDatabase) {
    let database = &place.database;
    let new = new_export(place, "kept-export").await;
    let Started::Job(job) = database.start_export(&new, 1).await.unwrap() else {
        panic!("expected a started export")
    };
    let site = database.site(&new.site_id).await.unwrap().unwrap();
    let builds = Builds { place, site };
    let lease = builds.claim_and_begin("a").await;
    let key = format!("{}/1/bundle.tar.gz", lease.id);
    let needed = async || database.unneeded(vec![key.clone()]).await.unwrap().is_empty();
    assert!(needed().await, "the release is still building");
    assert!(builds.complete_as(&lease, &key).await);
    assert!(needed().await);
    for commit in ["b", "c"] {
        builds.build(commit).await;
    }
    place.execute("UPDATE releases SET last_active_at = NULL").await;
    assert!(!removed(place, 1, 3).await.contains(&key), "an export refers to it");
    let (_, keys) = database.remove_old_exports(2).await.unwrap();
    assert!(!keys.contains(&key), "the export ended at 2");
    let (_, keys) = database.remove_old_exports(3).await.unwrap();
    assert!(keys.contains(&key));
    assert!(needed().await, "the release still names the bundle");
    assert!(database.export_job(&job.id).await.unwrap().is_none());
    assert!(removed(place, 1, 3).await.contains(&key));
    assert!(!needed().await);
}

async fn places_of_heads_are_given_once(place: &TestDatabase) {
    let database = &place.database;
    let builds = Builds::of(place, "places").await;
    for commit in ["a", "b", "c"] {
        builds.build(commit).await;
    }
    let heads = format!(
        "SELECT project_id, branch, sequence, commit_sha FROM branch_heads WHERE project_id = '{}'",
        builds.site.project_id
    );
    let count = async || place.heads(&heads).await.len();
    assert_eq!(count().await, 3);
    database.remove_old_heads(1).await.unwrap();
    assert_eq!(count().await, 3, "deliveries arrived at 1");
    database.remove_old_heads(2).await.unwrap();
    assert_eq!(count().await, 1);
    assert_eq!(database.last_head_position(&builds.site).await.unwrap(), 3);
    assert_eq!(
        database.last_head(&builds.site.project_id, None).await.unwrap().as_deref(),
        Some("c")
    );
    builds.build("d").await;
    assert_eq!(database.last_head_position(&builds.site).await.unwrap(), 4);
}

async fn agent_job(place: &TestDatabase, project: &str) -> String {
    let new = NewAgentJob {
        organization_id: "org".to_owned(),
        project_id: project.to_owned(),
        repository: "/r".to_owned(),
        model: "m".to_owned(),
        prompt: "p".to_owned(),
        idempotency: None,
    };
    match place.database.create_agent_job(&new, 1).await.unwrap() {
        Prompted::Job(job, _) => job.id,
        other => panic!("{other:?}"),
    }
}

async fn events_go_when_nothing_follows_them(place: &TestDatabase) {
    let database = &place.database;
    place.drain(Queue::AgentJobs).await;
    let (site, _) = place.site("events").await;
    let id = agent_job(place, &site.project_id).await;
    let lease = database.claim(Queue::AgentJobs, 60_000, 1).await.unwrap().unwrap().lease;
    let usage = Usage::default();
    assert!(database.save_agent_run(&lease, ("{}", &usage), 1).await.unwrap());
    let result = AgentResult {
        outcome: Ok("s"),
        usage: &usage,
        files_changed: &[],
        refused: &[],
        pr_link: Some("l"),
    };
    assert!(database.end_agent_job(&lease, result, 2).await.unwrap());
    let events = async || database.agent_events(&id, 0).await.unwrap().len();
    database.forget_old_agent_jobs(LATER).await.unwrap();
    assert_eq!(events().await, 1, "the job accepts follow-ups");
    assert!(database.archive_agent_job(&id, 10).await.unwrap());
    assert_eq!(database.forget_old_agent_jobs(10).await.unwrap(), 0);
    assert_eq!(events().await, 1, "the job was archived at 10");
    assert!(database.agent_run(&id).await.unwrap().is_some());
    assert_eq!(database.forget_old_agent_jobs(11).await.unwrap(), 1);
    assert_eq!(database.forget_old_agent_jobs(11).await.unwrap(), 0, "once");
    assert_eq!(events().await, 0);
    assert_eq!(database.agent_run(&id).await.unwrap(), None);
    let job = database.agent_job(&site.project_id, &id).await.unwrap().unwrap();
    assert_eq!(job.pr_link.as_deref(), Some("l"), "the job itself stays");
    assert_eq!(database.remove_old_agent_jobs(10).await.unwrap(), 0);
    assert_eq!(database.remove_old_agent_jobs(11).await.unwrap(), 1);
    assert!(database.agent_job(&site.project_id, &id).await.unwrap().is_none());
}

async fn feedback_and_keys_have_an_age(place: &TestDatabase) {
    let database = &place.database;
    let (site, domain) = place.site("ages").await;
    for time in [LATER, LATER + 1] {
        let said = NewFeedback {
            domain: domain.as_str(),
            page: "p",
            helpful: true,
            comment: None,
            given_from: GivenFrom::Site,
        };
        assert!(database.add_feedback(said, time).await.unwrap());
    }
    database.remove_old_feedback(LATER + 1).await.unwrap();
    assert_eq!(database.feedback(domain.as_str()).await.unwrap()[0].helpful, 1);
    let project = database.project(&site.project_id).await.unwrap().unwrap();
    let organization = project.organization_id;
    let mut ids = Vec::new();
    for days in [None, None, Some(1)] {
        let new = NewKey {
            organization_id: Some(organization.clone()),
            name: "k".to_owned(),
            scope: Scope::Read,
            projects: Vec::new(),
            allowlist: Vec::new(),
            days,
            created_by: None,
        };
        ids.push(database.create_key(&new, LATER).await.unwrap().id().to_owned());
    }
    assert!(database.revoke_key(&ids[1], LATER + HOUR).await.unwrap());
    database.remove_ended_keys(LATER + HOUR).await.unwrap();
    assert_eq!(database.keys(&organization).await.unwrap().len(), 3);
    database.remove_ended_keys(LATER + 2 * DAY).await.unwrap();
    let left = database.keys(&organization).await.unwrap();
    assert_eq!(left.iter().map(|key| &key.id).collect::<Vec<_>>(), [&ids[0]]);
}

async fn idempotency_keys_last_a_day(place: &TestDatabase) {
    let database = &place.database;
    let count = "SELECT COUNT(*) FROM idempotency_keys";
    let used = async |key: &str, time| {
        let mut new = new_export(place, &format!("day-{key}")).await;
        new.idempotency = Some((key.to_owned(), "f".to_owned()));
        database.start_export(&new, time).await.unwrap();
    };
    database.remove_old_idempotency_keys(LATER).await.unwrap();
    assert_eq!(place.number(count).await, 0);
    used("one", LATER).await;
    used("two", LATER + 1).await;
    assert_eq!(database.remove_old_idempotency_keys(LATER + 1).await.unwrap(), 1);
    assert_eq!(place.number(count).await, 1);
    place.drain(Queue::Releases).await;
}

async fn clocks_agree(place: &TestDatabase) {
    let own = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let own = i64::try_from(own.as_millis()).unwrap();
    let theirs = place.database.now().await.unwrap();
    assert!((theirs - own).abs() < HOUR, "{theirs} {own}");
}
