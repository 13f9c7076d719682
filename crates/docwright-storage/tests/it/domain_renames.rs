//! Renames of domains: everything goes on under the new name, and the former name is known.

use docwright_storage::{
    StorageError,
    database::{
        Actor, ActorKind, AnalyticsBatch, AuditFilter, Change, Claimed, DomainContents,
        DomainRename, FormerDomain, LiveKind, MinuteSum, NewFeedback, Queue, Renamed, ViewSum,
        VisitorSketch,
    },
};
use docwright_testing::database::TestDatabase;
use docwright_types::{
    analytics::Reader,
    domain_address::DomainAddress,
    domain_check::{DnsState, FoundDns},
    feedback::GivenFrom,
    timestamp::{DAY, HOUR, MINUTE},
};
use futures::future::join_all;

use crate::releases::Builds;

const NOW: i64 = 20_000 * DAY + 5 * HOUR;

pub(crate) async fn conform(place: &TestDatabase) {
    place.drain(Queue::Releases).await;
    everything_goes_on_under_the_new_name(place).await;
    counts_of_the_former_name_are_added_to_the_new_one(place).await;
    former_name_is_kept_or_free(place).await;
    one_of_several_renames_succeeds(place).await;
    build_during_a_rename_starts_over(place).await;
    pending_name_renames_when_it_is_verified(place).await;
    name_is_checked_and_redirected_to(place).await;
}

fn address(text: &str) -> DomainAddress {
    DomainAddress::parse(text).unwrap()
}

async fn rename(place: &TestDatabase, from: &str, to: &str, redirects: bool) -> Renamed {
    let name = &address(to);
    let rename = DomainRename { name, redirects, needs_proof: false, revision: None };
    place.database.rename_domain(&address(from), rename, NOW).await.unwrap()
}

fn views(domain: &str, human: i64) -> ViewSum {
    ViewSum { domain: domain.to_owned(), hour: NOW, page: "p".to_owned(), views: [human, 0, 0] }
}

fn minute(domain: &str, human: i64) -> MinuteSum {
    MinuteSum {
        domain: domain.to_owned(),
        minute: NOW - MINUTE,
        kind: LiveKind::All,
        value: String::new(),
        views: [human, 0],
    }
}

async fn everything_goes_on_under_the_new_name(place: &TestDatabase) {
    let database = &place.database;
    let builds = Builds::of(place, "rename-all").await;
    let (old, new) = (builds.site.domain.clone(), "new.rename-all.example.net/docs");
    let project = builds.site.project_id.clone();
    let ready = builds.build("a").await;
    fill(place, &old, &project).await;
    let counted = database.domain_contents(&address(&old)).await.unwrap();
    let expected = DomainContents {
        releases: 1,
        export_jobs: 1,
        feedback: 1,
        questions: 1,
        assistant_keys: 1,
        days: 1,
    };
    assert_eq!(counted, expected);
    let changes = database.serving_changes().await.unwrap();
    let recording = database.recording(Change {
        organization_id: None,
        actor: Actor { kind: ActorKind::Shell, id: "u".to_owned(), name: "u".to_owned() },
        action: "domain.rename",
        address: None,
        request_id: "r".to_owned(),
        before: None,
        after: None,
        at: NOW,
    });
    let name = &address(new);
    let wanted = DomainRename { name, redirects: true, needs_proof: false, revision: Some(1) };
    let renamed = recording.rename_domain(&address(&old), wanted, NOW).await.unwrap();
    assert_eq!(renamed, Renamed::Done);
    assert_eq!(database.serving_changes().await.unwrap(), changes + 1, "nodes learn of it");
    let filter = AuditFilter { subject_id: Some(new), ..AuditFilter::default() };
    let entries = database.audit_entries(filter, None, 9).await.unwrap().entries;
    assert_eq!(entries.len(), 1, "with its entry");
    assert_eq!(database.domain(&address(&old)).await.unwrap(), None);
    let domain = database.domain(name).await.unwrap().unwrap();
    assert_eq!((domain.release_id.as_ref(), domain.revision), (Some(&ready), 2));
    let moved = database.domain_contents(name).await.unwrap();
    assert_eq!(moved, DomainContents { releases: 2, ..expected }, "one with the new address");
    let serving = database.serving().await.unwrap();
    let served = serving.iter().find(|(served, _)| served == new).unwrap().1.as_ref().unwrap();
    assert_eq!(served.release_id, ready);
    assert!(!serving.iter().any(|(served, _)| *served == old));
    let redirects = database.former_domain_redirects().await.unwrap();
    assert!(redirects.contains(&(old.clone(), new.to_owned())), "{redirects:?}");
    let former = database.former_domains(&[new]).await.unwrap();
    assert_eq!(
        former,
        [FormerDomain { name: old.clone(), domain: new.to_owned(), redirects: true }]
    );
    // A stale rename changes nothing.
    let stale =
        DomainRename { name: &address("x.rename-all.example.net"), revision: Some(1), ..wanted };
    let stale = database.rename_domain(name, stale, NOW).await;
    assert!(matches!(stale, Err(StorageError::Stale { .. })), "{stale:?}");
    assert!(database.domain(name).await.unwrap().is_some());
    place.drain(Queue::Releases).await;
    former_names_follow_and_go_with_the_domain(place, [&old, new]).await;
}

/// Adds one of everything to a domain.
async fn fill(place: &TestDatabase, old: &str, project: &str) {
    let database = &place.database;
    let said = NewFeedback {
        domain: old,
        page: "p",
        helpful: true,
        comment: Some("Good."),
        given_from: GivenFrom::Site,
    };
    assert!(database.add_feedback(said, NOW).await.unwrap());
    let batch = AnalyticsBatch {
        minutes: vec![minute(old, 1)],
        ..AnalyticsBatch::new(vec![views(old, 3)], vec![])
    };
    assert!(database.add_analytics(&batch, NOW).await.unwrap());
    for sql in [
        "INSERT INTO export_jobs (id, organization_id, project_id, domain, status, progress, page_count, warnings, \
         warning_count, created_at, updated_at) SELECT 'exp_rename', organization_id, id, '{old}', 'completed', 100, 1, \
         '[]', 0, 1, 1 FROM projects WHERE id = '{project}'",
        "INSERT INTO assistant_questions (id, project_id, domain, thread, asked_at, expires_at, question, answer, kind, \
         sources, asked_from) VALUES ('ans_rename', '{project}', '{old}', 't', 1, 9, 'q', 'a', 'answer', '[]', 'site')",
        "INSERT INTO assistant_keys (id, project_id, domain, name, secret_hash, secret, key_id, origins, created_at) \
         VALUES ('ask_rename', '{project}', '{old}', 'k', 'h', 's', 'k', '[]', 1)",
    ] {
        place.execute(&sql.replace("{old}", old).replace("{project}", project)).await;
    }
}

async fn former_names_follow_and_go_with_the_domain(place: &TestDatabase, [old, new]: [&str; 2]) {
    let database = &place.database;
    // Another rename leads both former names to the newest one; the deletion takes all with it.
    assert_eq!(rename(place, new, "newest.rename-all.example.net", true).await, Renamed::Done);
    let redirects = database.former_domain_redirects().await.unwrap();
    for former in [old, new] {
        let to = "newest.rename-all.example.net".to_owned();
        assert!(redirects.contains(&(former.to_owned(), to)), "{redirects:?}");
    }
    place.drain(Queue::Releases).await;
    let newest = address("newest.rename-all.example.net");
    let deleted = database.delete_domain(&newest).await.unwrap().unwrap();
    assert_eq!((deleted.domains, deleted.feedback, deleted.export_jobs), (1, 1, 1));
    for name in [old, new] {
        assert_eq!(database.former_domain(name).await.unwrap(), None);
    }
    let hosts = "SELECT COUNT(*) FROM hosts WHERE name LIKE '%rename-all%'";
    assert_eq!(place.number(hosts).await, 0, "hosts are free");
}

/// Nodes that don't know of the rename yet, or whose reports waited on a disk.
async fn counts_of_the_former_name_are_added_to_the_new_one(place: &TestDatabase) {
    let database = &place.database;
    let (site, domain) = place.site("rename-late").await;
    let (old, new) = (domain.as_str(), "new.rename-late.example.net");
    database.add_analytics(&AnalyticsBatch::new(vec![views(old, 1)], vec![]), NOW).await.unwrap();
    assert_eq!(rename(place, old, new, false).await, Renamed::Done);
    // Both names are in one batch, with the same page, hour, and minute.
    let batch = AnalyticsBatch {
        minutes: vec![minute(old, 2), minute(new, 5)],
        ..AnalyticsBatch::new(vec![views(old, 2), views(new, 4)], vec![])
    };
    for _ in 0..2 {
        database.add_analytics(&batch, NOW).await.unwrap();
    }
    let mut sketch = VisitorSketch::default();
    sketch.add(7);
    database.merge_visitors((old, NOW - NOW % DAY, Reader::Human), &sketch).await.unwrap();
    let of_site = format!("site = (SELECT id FROM analytics_sites WHERE domain = '{new}')");
    let of_domain = format!("kind = 'all' AND domain = '{new}'");
    for (table, of, sum) in
        [("views", format!("step = 24 AND {of_site}"), 7), ("minutes", of_domain, 7)]
    {
        let sql = format!("SELECT CAST(SUM(human) AS BIGINT) FROM analytics_{table} WHERE {of}");
        assert_eq!(place.number(&sql).await, sum, "{table}");
    }
    let sketches = format!("SELECT COUNT(*) FROM analytics_sketches WHERE domain = '{new}'");
    assert_eq!(place.number(&sketches).await, 1);
    assert_eq!(database.former_domain(old).await.unwrap().unwrap().domain, new);
    drop(site);
}

async fn former_name_is_kept_or_free(place: &TestDatabase) {
    let database = &place.database;
    let (ours, domain) = place.site("rename-ours").await;
    let theirs = place.site("rename-theirs").await.0.project_id;
    let (old, new) = (domain.as_str(), "new.rename-ours.example.net");
    let add = async |project: &str, name: &str| {
        database.add_domain(&address(name), project, None, NOW).await.is_ok()
    };
    assert_eq!(rename(place, old, new, true).await, Renamed::Done);
    let below = format!("{old}/below");
    for (project, name) in [(&theirs, old), (&theirs, &below), (&ours.project_id, old)] {
        assert!(!add(project, name).await, "{name} redirects");
    }
    assert!(!database.end_domain_redirect(old, "other.example.net").await.unwrap());
    // A name that redirects to one domain isn't for another one of the same project, but the domain can have it back.
    assert!(add(&ours.project_id, "second.rename-ours.example.net").await);
    assert_eq!(rename(place, "second.rename-ours.example.net", old, true).await, Renamed::Taken);
    assert_eq!(rename(place, new, old, true).await, Renamed::Done);
    assert_eq!(database.former_domain(old).await.unwrap(), None);
    assert_eq!(rename(place, old, new, true).await, Renamed::Done);
    assert!(database.end_domain_redirect(old, new).await.unwrap());
    assert!(!database.end_domain_redirect(old, new).await.unwrap());
    assert!(add(&theirs, old).await, "the host is free");
    assert_eq!(database.former_domain(old).await.unwrap(), None, "it is another domain now");
    // Names and hosts of others can't be taken.
    for name in [old, &below] {
        assert_eq!(rename(place, new, name, false).await, Renamed::Taken, "{name}");
    }
    assert!(database.domain(&address(new)).await.unwrap().is_some(), "it stays as it was");
    let unknown = &address("unverified.rename-ours.example.net");
    let proven = DomainRename { name: unknown, redirects: true, needs_proof: true, revision: None };
    let unproven = database.rename_domain(&address(new), proven, NOW).await.unwrap();
    assert_eq!(unproven, Renamed::Unverified);
    let own = &address("new.rename-ours.example.net/path");
    let own = DomainRename { name: own, ..proven };
    assert_eq!(database.rename_domain(&address(new), own, NOW).await.unwrap(), Renamed::Done);
    assert_eq!(rename(place, "none.example.net", "x.example.net", true).await, Renamed::Missing);
}

async fn one_of_several_renames_succeeds(place: &TestDatabase) {
    let (_, domain) = place.site("rename-race").await;
    let old = domain.as_str();
    let names: Vec<_> = (0..6).map(|number| format!("n{number}.rename-race.example.net")).collect();
    let renamed = join_all(names.iter().map(|name| rename(place, old, name, false))).await;
    let done = renamed.iter().filter(|renamed| **renamed == Renamed::Done).count();
    assert_eq!(done, 1, "{renamed:?}");
    assert_eq!(renamed.iter().filter(|renamed| **renamed == Renamed::Missing).count(), 5);
    // Several domains want the same name.
    let mut domains = Vec::new();
    for number in 0..4 {
        domains.push(place.site(&format!("rename-race-{number}")).await.1);
    }
    let wanted = "wanted.rename-race.example.net";
    let renamed = domains.iter().map(|domain| rename(place, domain.as_str(), wanted, false));
    let renamed = join_all(renamed).await;
    assert_eq!(
        renamed.iter().filter(|renamed| **renamed == Renamed::Done).count(),
        1,
        "{renamed:?}"
    );
    assert_eq!(
        renamed.iter().filter(|renamed| **renamed == Renamed::Taken).count(),
        3,
        "{renamed:?}"
    );
}

async fn build_during_a_rename_starts_over(place: &TestDatabase) {
    let database = &place.database;
    place.drain(Queue::Releases).await;
    let builds = Builds::of(place, "rename-build").await;
    builds.build("a").await;
    let lease = builds.start("b").await;
    let address_of = async |id: &str| database.release(id).await.unwrap().unwrap().address;
    let before = address_of(&lease.id).await;
    let new = "new.rename-build.example.net";
    assert_eq!(rename(place, &builds.site.domain, new, true).await, Renamed::Done);
    assert!(!builds.complete(&lease).await, "its pages have the former address");
    if let Some(before) = before {
        let after = address_of(&lease.id).await.unwrap();
        assert_eq!(after, before.replace(&builds.site.domain, new));
    }
    place.drain(Queue::Releases).await;
}

async fn pending_name_renames_when_it_is_verified(place: &TestDatabase) {
    let database = &place.database;
    let (site, domain) = place.site("rename-pending").await;
    let (old, new) = (domain.as_str(), "new.rename-pending.example.net");
    let claim = async || {
        let claimed = database
            .claim_domain_rename(&address(new), &site.project_id, (&address(old), true), NOW)
            .await;
        assert_eq!(claimed.unwrap(), Claimed::Claim);
        database.domain_claims_to(&address(new)).await.unwrap().remove(0)
    };
    let pending = claim().await;
    assert_eq!(pending.renames, Some((old.to_owned(), true)));
    assert!(
        database.domain(&address(old)).await.unwrap().is_some(),
        "it keeps its name until then"
    );
    assert!(database.grant_domain(&pending.id, NOW).await.unwrap());
    assert_eq!(database.former_domain(old).await.unwrap().unwrap().domain, new);
    assert!(database.domain_claims_to(&address(new)).await.unwrap().is_empty());
    // A rename of a domain that is gone gives nothing.
    assert_eq!(rename(place, new, old, false).await, Renamed::Done);
    let pending = claim().await;
    assert_eq!(rename(place, old, "third.rename-pending.example.net", false).await, Renamed::Done);
    assert!(!database.grant_domain(&pending.id, NOW).await.unwrap());
    assert_eq!(database.domain(&address(new)).await.unwrap(), None);
}

async fn name_is_checked_and_redirected_to(place: &TestDatabase) {
    let database = &place.database;
    let (_, domain) = place.site("rename-checks").await;
    let (name, old) = (domain.as_str(), "local.localhost");
    let state = async |name: &str| {
        let domain = database.domain(&address(name)).await.unwrap().unwrap();
        domain.check.map(|check| check.state)
    };
    assert_eq!(state(name).await, None);
    assert!(database.due_domain_dns_checks(NOW, 1000).await.unwrap().contains(&name.to_owned()));
    let begin = async |now| database.begin_domain_dns_check(name, now, now + HOUR).await.unwrap();
    assert_eq!((begin(NOW).await, begin(NOW + 1).await), (Some(0), None), "one at a time");
    let record = async |state, problem: Option<&str>| {
        let found = FoundDns { problem: problem.map(str::to_owned), ..FoundDns::default() };
        database.record_domain_dns(name, (state, &found), NOW + HOUR).await.unwrap();
    };
    let changes = async || database.serving_changes().await.unwrap();
    let before = changes().await;
    record(DnsState::Missing, Some("No.")).await;
    assert_eq!((state(name).await, changes().await), (Some(DnsState::Missing), before));
    record(DnsState::Correct, None).await;
    assert_eq!((state(name).await, changes().await), (Some(DnsState::Correct), before + 1));
    record(DnsState::Unknown, Some("DNS is away.")).await;
    let domain = database.domain(&address(name)).await.unwrap().unwrap().check.unwrap();
    assert_eq!(domain.state, DnsState::Correct, "what was known stays");
    assert_eq!((domain.found.problem, changes().await), (None, before + 1));
    assert!(!database.due_domain_dns_checks(NOW, 1000).await.unwrap().contains(&name.to_owned()));
    // A new name isn't known to lead here, unless it is one of this machine.
    assert_eq!(rename(place, name, "checks.example.net", false).await, Renamed::Done);
    assert_eq!(state("checks.example.net").await, None);
    assert_eq!(rename(place, "checks.example.net", old, false).await, Renamed::Done);
    assert_eq!(state(old).await, Some(DnsState::Correct));
}
