//! Entries of the audit log: each change records one, other requests none. Reading and searching entries.

use docwright_storage::{
    Database,
    database::{Actor, ActorKind, AuditEntry, AuditFilter, Change, OrganizationChange},
};
use docwright_types::{plan::Plan, timestamp::DAY};
use serde_json::json;

use docwright_testing::database::TestDatabase;

fn change(action: &'static str, organization_id: Option<&str>, at: i64) -> Change {
    Change {
        organization_id: organization_id.map(str::to_owned),
        actor: Actor { kind: ActorKind::Key, id: "0123".into(), name: "ci".into() },
        action,
        address: Some("192.0.2.7".into()),
        request_id: "request".into(),
        before: None,
        after: Some(json!({ "name": "x" })),
        at,
    }
}

pub(crate) async fn conform(place: &TestDatabase) {
    let database = &place.database;
    place
        .execute(
            "INSERT INTO api_keys (id, name, secret_hash, scope, projects, allowlist, created_at, expires_at) \
             VALUES ('0123', 'ci', '', 'read', '[]', '', 0, 1)",
        )
        .await;
    with_the_change(database).await;
    outside_of_the_database(database).await;
    read_in_pages(database).await;
    found_by_an_index(place).await;
    searched_in_pieces(place).await;
    let all = AuditFilter::default();
    assert!(!database.audit_entries(all, None, 10).await.unwrap().entries.is_empty());
    database.remove_old_audit_entries(i64::MAX).await.unwrap();
    assert_eq!(database.audit_entries(all, None, 10).await.unwrap().entries, []);
    place.execute("DELETE FROM api_keys WHERE id = '0123'").await;
}

async fn about(database: &Database, subject: &str) -> Vec<AuditEntry> {
    let filter = AuditFilter { subject_id: Some(subject), ..AuditFilter::default() };
    database.audit_entries(filter, None, 100).await.unwrap().entries
}

async fn with_the_change(database: &Database) {
    let recording = |action, at| database.recording(change(action, None, at));
    let made = recording("organization.create", DAY)
        .create_organization("Audited", Plan::Free, DAY)
        .await
        .unwrap();
    let entries = about(database, &made.id).await;
    let [entry] = entries.as_slice() else { panic!("expected one entry: {entries:?}") };
    assert_eq!(entry.organization_id.as_deref(), Some(made.id.as_str()));
    assert_eq!(
        (entry.action.as_str(), entry.subject_kind.as_str()),
        ("organization.create", "organization")
    );
    assert_eq!((entry.actor_kind.as_str(), entry.actor_id.as_str()), ("key", "0123"));
    assert_eq!(
        (entry.address.as_deref(), entry.request_id.as_str()),
        (Some("192.0.2.7"), "request")
    );
    assert_eq!(
        (&entry.before, &entry.after, entry.created_at),
        (&None, &Some(json!({ "name": "x" })), DAY)
    );
    // Refused changes record no entry.
    let count = async || {
        database.audit_entries(AuditFilter::default(), None, 100).await.unwrap().entries.len()
    };
    let before = count().await;
    let again = recording("organization.create", DAY);
    again.create_organization("Audited", Plan::Free, DAY).await.unwrap_err();
    assert!(!recording("key.revoke", DAY).revoke_key("none", DAY).await.unwrap());
    assert_eq!(count().await, before);
    // A database handle without a change to record writes no entry.
    database
        .update_organization(
            &made.id,
            OrganizationChange { plan: Some(Plan::Pro), ..OrganizationChange::default() },
        )
        .await
        .unwrap();
    assert_eq!(count().await, before);
    let deletes = recording("organization.delete", 2 * DAY);
    deletes.delete_organization(&made.id).await.unwrap().unwrap();
    let entries = about(database, &made.id).await;
    assert_eq!(entries.len(), 2, "entries outlive their subjects");
    assert_eq!(entries[0].action, "organization.delete", "newest first");
}

async fn outside_of_the_database(database: &Database) {
    let push = database.recording(change("repository.push", Some("org_p"), DAY));
    let id = push.begin_change("prj_p").await.unwrap();
    let started = about(database, "prj_p").await;
    assert_eq!(started[0].id, id);
    database
        .end_change(&id, Some((&json!({ "main": "a" }), &json!({ "main": "b" }))))
        .await
        .unwrap();
    let ended = about(database, "prj_p").await;
    assert_eq!(ended[0].before, Some(json!({ "main": "a" })));
    assert_eq!(ended[0].after, Some(json!({ "main": "b" })));
    let id = push.begin_change("prj_p").await.unwrap();
    database.end_change(&id, None).await.unwrap();
    assert_eq!(about(database, "prj_p").await, ended, "requests without effect leave no entry");
    assert!(database.begin_change("prj_p").await.is_err());
}

/// Each filter of an organization's log uses an index and keeps the order.
async fn found_by_an_index(place: &TestDatabase) {
    for (condition, index) in [
        ("organization_id", "audit_entries_by_organization"),
        ("organization_id || ' ' || actor_id", "audit_entries_by_actor"),
        ("organization_id || ' ' || action", "audit_entries_by_action"),
        ("organization_id || ' ' || subject_kind", "audit_entries_by_kind"),
        ("subject_id", "audit_entries_by_subject"),
        ("actor_id", "audit_entries_of_instance_by_actor"),
        ("subject_kind", "audit_entries_of_instance_by_kind"),
    ] {
        let statement = format!(
            "SELECT id, state_after FROM audit_entries WHERE created_at + 0 >= $1 AND created_at + 0 < $2 \
             AND {condition} = $3 AND id < $4 ORDER BY id DESC LIMIT 20"
        );
        // PostgreSQL chooses plans by row counts, which are small here.
        let Some(plan) = place.plan(&statement).await else { return };
        let plan = plan.join("; ");
        assert!(plan.contains(index) && !plan.contains("TEMP B-TREE"), "{condition}: {plan}");
    }
}

/// A search with several filters reads a bounded number of entries, then continues after them.
async fn searched_in_pieces(place: &TestDatabase) {
    // Only the oldest entry matches, behind many of the same actor.
    place
        .execute(
            "INSERT INTO audit_entries (id, organization_id, actor_kind, actor_id, actor_name, action, subject_kind, \
             subject_id, request_id, created_at) \
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000) \
             SELECT 'aud_' || (1000000 + i), CASE WHEN i % 2 = 0 THEN 'org_pieces' ELSE 'org_more' END, 'key', 'busy', 'ci', \
             CASE WHEN i = 2 THEN 'key.revoke' ELSE 'key.create' END, 'key', 'key_' || (i % 2), 'request', i FROM n",
        )
        .await;
    let busy = AuditFilter { actor_id: Some("busy"), ..AuditFilter::default() };
    let of = |organization_id, action| AuditFilter { organization_id, action, ..busy };
    let read = async |filter, cursor: Option<&str>| {
        place.database.audit_entries(filter, cursor, 20).await.unwrap()
    };
    let found = async |organization_id| {
        let (mut found, mut cursors) = (Vec::new(), vec![None]);
        while let Some(cursor) = cursors.last() {
            let page =
                read(of(organization_id, Some("key.revoke")), Option::as_deref(cursor)).await;
            found.extend(page.entries.into_iter().map(|entry| entry.id));
            let Some(next) = page.next else { break };
            cursors.push(Some(next));
        }
        (found, cursors.into_iter().flatten().collect::<Vec<_>>())
    };
    let (ids, cursors) = found(None).await;
    assert_eq!(ids, ["aud_1000002"]);
    assert_eq!(cursors, ["aud_1004001", "aud_1002001", "aud_1000001"]);
    // Searches of an organization's log by action use an index for any actor.
    assert_eq!(found(Some("org_more")).await.0, [""; 0]);
    let revoked = AuditFilter { actor_id: None, ..of(Some("org_pieces"), Some("key.revoke")) };
    let page = read(revoked, None).await;
    assert_eq!((page.entries.len(), page.next), (1, None));
    // If two organizations share a subject, each sees only its own entries.
    let subject = AuditFilter {
        organization_id: Some("org_more"),
        subject_id: Some("key_0"),
        ..AuditFilter::default()
    };
    assert_eq!(read(subject, None).await.entries, []);
    let own = AuditFilter { organization_id: Some("org_pieces"), ..subject };
    let page = read(own, None).await;
    assert_eq!((page.entries.len(), page.next.as_deref()), (20, Some("aud_1005962")));
    place.execute("DELETE FROM audit_entries WHERE actor_id = 'busy'").await;
}

async fn read_in_pages(database: &Database) {
    for at in 1..=5 {
        let of = if at == 3 { "org_other" } else { "org_pages" };
        let recording = database.recording(change("repository.push", Some(of), at * DAY));
        recording.begin_change(&format!("prj_{at}")).await.unwrap();
    }
    let own = AuditFilter { organization_id: Some("org_pages"), ..AuditFilter::default() };
    let read = async |filter, cursor: Option<&str>, limit| {
        let page = database.audit_entries(filter, cursor, limit).await.unwrap();
        let subjects =
            page.entries.iter().map(|entry| entry.subject_id.clone()).collect::<Vec<_>>();
        (subjects, page.next)
    };
    let (first, cursor) = read(own, None, 3).await;
    assert_eq!(first, ["prj_5", "prj_4", "prj_2"]);
    assert_eq!(read(own, cursor.as_deref(), 3).await, (vec!["prj_1".to_owned()], None));
    let between = AuditFilter { since: Some(2 * DAY), until: Some(5 * DAY), ..own };
    assert_eq!(read(between, None, 9).await.0, ["prj_4", "prj_2"]);
    let other = AuditFilter { actor_id: Some("4567"), ..own };
    assert_eq!(read(other, None, 9).await.0, [""; 0]);
    let other = AuditFilter { action: Some("key.create"), ..own };
    assert_eq!(read(other, None, 9).await.0, [""; 0]);
    for (action, count) in [("repository.push", 4), ("repository", 4), ("repo", 0), ("key", 0)] {
        let done = AuditFilter { action: Some(action), ..own };
        assert_eq!(read(done, None, 9).await.0.len(), count, "{action}");
    }
}
