//! One suite for every database: what holds on SQLite holds on PostgreSQL.

mod agent;

use docwright_domain::{
    domain_name::DomainName,
    export_job::{ExportStatus, MAXIMUM_ATTEMPTS, StoredBundle},
    key::Scope,
    plan::Plan,
};
use docwright_storage::{
    Database, StorageError,
    database::{FEEDBACK_AN_HOUR, NewExport, NewFeedback, NewKey, NewProject, Started},
};

#[tokio::test(flavor = "multi_thread")]
async fn sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open_folder(folder.path()).await.unwrap();
    conforms(&database).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres() {
    let url = std::env::var("DOCWRIGHT_TEST_POSTGRES_URL");
    let url = url.expect("`cargo xtask test` starts a server; or set DOCWRIGHT_TEST_POSTGRES_URL to an empty database");
    let database = Database::open(&url).await.unwrap();
    conforms(&database).await;
}

async fn conforms(database: &Database) {
    database.check().await.unwrap();
    let new = aggregates(database).await;
    idempotency(database, &new).await;
    leases(database, &new).await;
    agent::conforms(database, &new).await;
    feedback(database).await;
}

/// What readers say of pages, and that it comes to an end.
async fn feedback(database: &Database) {
    const START: i64 = 10_000_000_000;
    let domain = "docs.example.com";
    let said = |helpful, comment| NewFeedback { domain, page: "a/b", helpful, comment };
    assert!(database.add_feedback(said(true, None), START).await.unwrap());
    assert!(database.add_feedback(said(false, Some("first")), START + 1).await.unwrap());
    assert!(database.add_feedback(said(false, Some("second")), START + 2).await.unwrap());
    let pages = database.feedback(domain).await.unwrap();
    assert_eq!((pages[0].page.as_str(), pages[0].helpful, pages[0].unhelpful), ("a/b", 1, 2));
    assert_eq!(pages[0].comments, ["second", "first"]);
    for _ in 3..FEEDBACK_AN_HOUR {
        assert!(database.add_feedback(said(true, None), START + 3).await.unwrap());
    }
    assert!(!database.add_feedback(said(true, None), START + 4).await.unwrap());
    let later = START + docwright_domain::timestamp::HOUR + 3;
    assert!(database.add_feedback(said(true, None), later).await.unwrap());
    assert_eq!(database.feedback("other.example.com").await.unwrap(), []);
}

/// Organisations, projects, domains and keys. Returns an export to start.
async fn aggregates(database: &Database) -> NewExport {
    let organization = database.create_organization("Acme", Plan::Free, 1).await.unwrap();
    assert!(database.set_plan(&organization.id, Plan::Enterprise).await.unwrap());
    assert_eq!(
        database.organization(&organization.id).await.unwrap().unwrap().plan,
        Plan::Enterprise
    );
    let project = NewProject {
        organization_id: &organization.id,
        name: "Docs",
        repository: "/r",
        docs_path: "",
        model: None,
    };
    let project = database.create_project(project, 1).await.unwrap();
    let domain = DomainName::parse("docs.example.com").unwrap();
    database.add_domain(&domain, &project.id, 1).await.unwrap();
    assert!(database.add_domain(&domain, &project.id, 1).await.is_err());
    assert_eq!(database.project_of_domain(&domain).await.unwrap().unwrap().id, project.id);
    let key = NewKey {
        organization_id: organization.id.clone(),
        name: "k".into(),
        scope: Scope::Read,
        allowlist: Vec::new(),
        days: Some(1),
    };
    let presented = database.create_key(&key, 1).await.unwrap();
    assert!(database.key(presented.id()).await.unwrap().unwrap().accepts(&presented, 2));
    assert!(
        database.revoke_key(presented.id(), 3).await.unwrap()
            && !database.revoke_key(presented.id(), 3).await.unwrap()
    );
    assert!(!database.key(presented.id()).await.unwrap().unwrap().accepts(&presented, 4));
    key_limit(database, &key).await;
    NewExport {
        organization_id: organization.id,
        project_id: project.id,
        domain: domain.to_string(),
        version: Some("1".into()),
        paths: Some(vec!["a".into()]),
        idempotency: None,
    }
}

/// Ten keys an hour, exactly, however many ask at once; the eleventh once the first is an hour old.
async fn key_limit(database: &Database, key: &NewKey) {
    let hour = 3_600_000;
    let now = 10 * hour;
    let asked = (0..30).map(|_| database.create_key(key, now));
    let made = futures::future::join_all(asked).await;
    assert_eq!(made.iter().filter(|key| key.is_ok()).count(), 10);
    let refused = made.into_iter().find_map(Result::err).unwrap();
    assert!(matches!(refused, StorageError::TooManyKeys { minutes: 60 }), "{refused}");
    assert!(database.create_key(key, now + hour - 1).await.is_err());
    assert!(database.create_key(key, now + hour).await.is_ok());
}

async fn start(database: &Database, new: &NewExport, now: i64) -> String {
    match database.start_export(new, now).await.unwrap() {
        Started::Job(job) => job.id,
        Started::Conflict => panic!("conflict"),
    }
}

async fn idempotency(database: &Database, new: &NewExport) {
    let with = |fingerprint: &str| NewExport {
        idempotency: Some(("k".into(), fingerprint.into())),
        ..new.clone()
    };
    let (one, same) = (with("a"), with("a"));
    let (first, second) = tokio::join!(start(database, &one, 1), start(database, &same, 1));
    assert_eq!(first, second);
    assert!(matches!(database.start_export(&with("b"), 2).await.unwrap(), Started::Conflict));
    let day = 24 * 3600 * 1000;
    assert_ne!(
        start(database, &with("b"), day + 2).await,
        first,
        "after a day the key is free again"
    );
    while let Some(job) = database.claim_export("cleaner", 2 * day, 1).await.unwrap() {
        database.fail_export(&job.id, "cleaner", "done", 2 * day).await.unwrap();
    }
}

async fn leases(database: &Database, new: &NewExport) {
    let now = 1_000_000_000;
    let id = start(database, new, now).await;
    let (one, two) =
        tokio::join!(database.claim_export("one", now, 10), database.claim_export("two", now, 10));
    let claims = [one.unwrap(), two.unwrap()];
    assert_eq!(claims.iter().flatten().count(), 1, "one of two workers gets the job");
    let owner = if claims[0].is_some() { "one" } else { "two" };
    assert!(database.renew_export(&id, owner, (50, 5), now + 20, now + 5).await.unwrap());
    assert!(database.renew_export(&id, owner, (10, 1), now + 20, now + 6).await.unwrap());
    let job = database.export_job(&new.organization_id, &id).await.unwrap().unwrap();
    assert_eq!((job.progress, job.page_count), (50, 5), "progress never goes back");
    assert!(database.claim_export("three", now + 19, 10).await.unwrap().is_none());
    assert_eq!(
        database.claim_export("three", now + 21, 10).await.unwrap().unwrap().id,
        id,
        "a lease that ran out is taken"
    );
    let bundle = StoredBundle { key: "k".into(), size: 1, sha256: "s".into(), commit: None };
    assert!(
        !database.complete_export(&id, owner, (1, &[], 0), &bundle, now).await.unwrap(),
        "the first worker lost it"
    );
    assert!(database.complete_export(&id, "three", (7, &[], 0), &bundle, now + 22).await.unwrap());
    let job = database.export_job(&new.organization_id, &id).await.unwrap().unwrap();
    assert_eq!(
        (job.status, job.progress, job.bundle),
        (ExportStatus::Completed, 100, Some(bundle))
    );
    assert_eq!(database.latest_export(&new.domain).await.unwrap().unwrap().id, id);
    assert!(database.export_job("org_other", &id).await.unwrap().is_none());
    let lost = start(database, new, now + 30).await;
    for attempt in 0..MAXIMUM_ATTEMPTS {
        assert!(database.claim_export("x", now + 100 + attempt * 100, 10).await.unwrap().is_some());
    }
    assert!(database.claim_export("x", now + 10_000, 10).await.unwrap().is_none());
    let job = database.export_job(&new.organization_id, &lost).await.unwrap().unwrap();
    assert_eq!(job.status, ExportStatus::Failed);
}
