//! API keys: stored fields, expiry, and the hourly limit.

use docwright_storage::{Database, StorageError, database::NewKey};
use docwright_types::{
    key::{KeyRefusal, Scope, parse_allowlist},
    timestamp::{DAY, HOUR, MINUTE},
};

use docwright_testing::database::TestDatabase;

pub(crate) async fn conform(place: &TestDatabase) {
    let (site, _) = place.site("keys").await;
    let project = place.database.project(&site.project_id).await.unwrap().unwrap();
    let key = NewKey {
        organization_id: Some(project.organization_id),
        name: "k".into(),
        scope: Scope::Read,
        projects: Vec::new(),
        allowlist: Vec::new(),
        days: Some(2),
        created_by: None,
    };
    revoked(&place.database, &key).await;
    kept(&place.database, &key).await;
    used(&place.database, &key).await;
    limited_to_projects(&place.database, &key).await;
    limit(&place.database, &key).await;
    let instance = NewKey { organization_id: None, scope: Scope::Operator, ..key };
    limit(&place.database, &instance).await;
}

async fn revoked(database: &Database, key: &NewKey) {
    let presented = database.create_key(key, 1).await.unwrap();
    let stored = async || database.key(presented.id()).await.unwrap().unwrap().0;
    assert_eq!(stored().await.check(&presented, 2), Ok(()));
    assert!(database.revoke_key(presented.id(), 3).await.unwrap());
    assert!(!database.revoke_key(presented.id(), 3).await.unwrap(), "a key is revoked once");
    assert_eq!(stored().await.check(&presented, 4), Err(KeyRefusal::Revoked));
    assert!(database.key("none").await.unwrap().is_none());
}

/// A key is read back without its secret, and expires after its days.
async fn kept(database: &Database, key: &NewKey) {
    let now = 5 * DAY;
    let allowlist = parse_allowlist("10.0.0.0/8,2001:db8::/32").unwrap();
    let other =
        NewKey { scope: Scope::Write, allowlist: allowlist.clone(), days: None, ..key.clone() };
    let short = database.create_key(key, now).await.unwrap();
    let long = database.create_key(&other, now + 1).await.unwrap();
    let keys = database.keys(key.organization_id.as_deref().unwrap()).await.unwrap();
    let [_, first, second] = keys.as_slice() else { panic!("expected three keys: {}", keys.len()) };
    assert_eq!((first.id.as_str(), second.id.as_str()), (short.id(), long.id()), "oldest first");
    assert_eq!((first.scope(), second.scope()), (Scope::Read, Scope::Write));
    assert_eq!((&first.allowlist, &second.allowlist), (&Vec::new(), &allowlist));
    assert_eq!(first.expires_at, Some(now + 2 * DAY));
    assert_eq!(second.expires_at, Some(now + 1 + docwright_types::key::DEFAULT_DAYS * DAY));
    assert_eq!(first.check(&short, now), Ok(()));
    assert_eq!(first.check(&long, now), Err(KeyRefusal::WrongSecret));
    assert!(database.keys("org_none").await.unwrap().is_empty());
}

/// The last use of a key is recorded at most once a minute.
async fn used(database: &Database, key: &NewKey) {
    let now = 8 * DAY;
    let id = database.create_key(key, now).await.unwrap().id().to_owned();
    let stored = async || database.key(&id).await.unwrap().unwrap().0;
    for (use_at, recorded) in [
        (now, now),
        (now + MINUTE - 1, now),
        (now + MINUTE, now + MINUTE),
        (now + MINUTE + 1, now + MINUTE),
        (now + HOUR, now + HOUR),
    ] {
        database.touch_key(&stored().await, use_at).await.unwrap();
        assert_eq!(stored().await.last_used_at, Some(recorded), "{}", use_at - now);
    }
}

/// An hour has exactly ten new keys, also with parallel requests. The eleventh succeeds an hour after the
/// first.
async fn limit(database: &Database, key: &NewKey) {
    let now = 20 * DAY;
    let asked = (0..30).map(|_| database.create_key(key, now));
    let made = futures::future::join_all(asked).await;
    assert_eq!(made.iter().filter(|key| key.is_ok()).count(), 10);
    let refused = made.into_iter().find_map(Result::err).unwrap();
    assert!(matches!(refused, StorageError::TooManyKeys { minutes: 60 }), "{refused}");
    assert!(database.create_key(key, now + HOUR - 1).await.is_err());
    assert!(database.create_key(key, now + HOUR).await.is_ok());
}

/// A key keeps its list of projects. A key of the instance belongs to no organization.
async fn limited_to_projects(database: &Database, key: &NewKey) {
    let now = 15 * DAY;
    let projects = vec!["prj_gone".to_owned()];
    let limited = NewKey { projects: projects.clone(), scope: Scope::Admin, ..key.clone() };
    let made = database.create_key(&limited, now).await.unwrap();
    let (stored, organization) = database.key(made.id()).await.unwrap().unwrap();
    assert_eq!((stored.scope(), &stored.projects), (Scope::Admin, &projects));
    assert_eq!(organization.map(|own| own.id), key.organization_id);
    let instance = NewKey { organization_id: None, scope: Scope::Operator, ..key.clone() };
    let made = database.create_key(&instance, now).await.unwrap();
    let (stored, organization) = database.key(made.id()).await.unwrap().unwrap();
    assert_eq!((stored.scope(), stored.organization_id), (Scope::Operator, None));
    assert!(organization.is_none());
}
