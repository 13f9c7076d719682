//! Revisions of records: of updates that name the same one, one succeeds.

use docwright_storage::{
    Database, StorageError,
    database::{
        Actor, ActorKind, AuditFilter, Change, KeyChange, NewKey, OrganizationChange, ProjectChange,
    },
};
use docwright_types::{key::Scope, timestamp::MINUTE};
use futures::future::join_all;

use docwright_testing::database::TestDatabase;

/// Updates that are sent at the same time.
const AT_ONCE: usize = 12;

pub(crate) async fn conform(place: &TestDatabase) {
    let database = &place.database;
    let (site, _) = place.site("revisions").await;
    let project = database.project(&site.project_id).await.unwrap().unwrap();
    projects(database, &project.id).await;
    organizations(database, &project.organization_id).await;
    keys(database, &project.organization_id).await;
}

/// A database that records who updates a record.
fn recording(database: &Database, action: &'static str) -> Database {
    database.recording(Change {
        organization_id: None,
        actor: Actor { kind: ActorKind::Service, id: "x".to_owned(), name: "x".to_owned() },
        action,
        address: None,
        request_id: "request".to_owned(),
        before: None,
        after: None,
        at: 1,
    })
}

async fn entries(database: &Database, subject: &str, action: &str) -> usize {
    let filter =
        AuditFilter { subject_id: Some(subject), action: Some(action), ..AuditFilter::default() };
    database.audit_entries(filter, None, 100).await.unwrap().entries.len()
}

/// Runs updates at the same time that name the same revision. One succeeds, with its entry; the others are stale.
async fn one_succeeds(
    database: &Database,
    (subject, action): (&str, &'static str),
    update: impl AsyncFn(&Database, String) -> Result<bool, StorageError>,
) {
    let recording = recording(database, action);
    let updates = (0..AT_ONCE).map(|number| update(&recording, format!("Revised {number}")));
    let results = join_all(updates).await;
    let made = results.iter().filter(|result| matches!(result, Ok(true))).count();
    let stale = |result: &&Result<_, _>| matches!(result, Err(StorageError::Stale { .. }));
    assert_eq!((made, results.iter().filter(stale).count()), (1, AT_ONCE - 1), "{results:?}");
    assert_eq!(entries(database, subject, action).await, 1, "{action}");
}

async fn projects(database: &Database, id: &str) {
    fn change(name: Option<&str>, revision: Option<i64>) -> ProjectChange<'_> {
        ProjectChange { name, revision, ..ProjectChange::default() }
    }

    let revision = async || database.project(id).await.unwrap().unwrap().revision;
    one_succeeds(database, (id, "project.update"), async |database, name| {
        database.update_project(id, change(Some(name.as_str()), Some(1))).await
    })
    .await;
    assert_eq!(revision().await, 2);
    let stale = database.update_project(id, change(Some("Stale"), Some(1))).await.unwrap_err();
    assert_eq!(stale.to_string(), "someone else changed this project since revision 1");
    assert_ne!(database.project(id).await.unwrap().unwrap().name, "Stale");
    assert!(database.update_project(id, change(None, Some(2))).await.unwrap());
    assert!(database.update_project(id, change(None, None)).await.unwrap());
    assert!(!database.update_project("prj_none", change(None, Some(1))).await.unwrap());
    database.request_poll(id, 1).await.unwrap();
    assert_eq!(revision().await, 4, "a poll is no update");
}

async fn organizations(database: &Database, id: &str) {
    fn change(name: Option<&str>, revision: Option<i64>) -> OrganizationChange<'_> {
        OrganizationChange { name, revision, ..OrganizationChange::default() }
    }

    let revision = async || database.organization(id).await.unwrap().unwrap().revision;
    let before = revision().await;
    assert_eq!(before, 1, "new members and projects are no updates");
    one_succeeds(database, (id, "organization.update"), async |database, name| {
        database.update_organization(id, change(Some(name.as_str()), Some(1))).await
    })
    .await;
    assert_eq!(revision().await, 2);
    let stale = database.update_organization(id, change(Some("Stale"), Some(1))).await;
    assert!(matches!(stale, Err(StorageError::Stale { revision: 1, .. })), "{stale:?}");
    assert!(database.update_organization(id, change(None, None)).await.unwrap());
    assert!(!database.update_organization("org_none", change(None, Some(1))).await.unwrap());
    assert_eq!(revision().await, 3);
}

async fn keys(database: &Database, organization_id: &str) {
    let new = NewKey {
        organization_id: Some(organization_id.to_owned()),
        name: "k".to_owned(),
        scope: Scope::Read,
        projects: Vec::new(),
        allowlist: Vec::new(),
        days: None,
        created_by: None,
    };
    let created = database.create_key(&new, 1).await.unwrap();
    let id = created.id();
    let key = async || database.key(id).await.unwrap().unwrap().0;
    let change = |name, revision| KeyChange { name, revision, ..KeyChange::default() };
    one_succeeds(database, (id, "key.update"), async |database, name| {
        database.update_key(id, &change(Some(name), Some(1))).await
    })
    .await;
    database.touch_key(&key().await, MINUTE).await.unwrap();
    assert_eq!(key().await.last_used_at, Some(MINUTE));
    assert_eq!(key().await.revision, 2, "a use is no update");
    let organization = database.key(id).await.unwrap().unwrap().1.unwrap();
    assert_eq!(organization.revision, 3, "it isn't that of the key");
    let stale = database.update_key(id, &change(Some("Stale".to_owned()), Some(1))).await;
    assert!(matches!(stale, Err(StorageError::Stale { revision: 1, .. })), "{stale:?}");
    assert!(database.update_key(id, &change(None, None)).await.unwrap());
    assert!(database.revoke_key(id, 2 * MINUTE).await.unwrap());
    assert_eq!(key().await.revision, 4);
    assert!(!database.update_key(id, &change(None, Some(4))).await.unwrap(), "it is revoked");
}
