//! What versions before had: its sites go on being served, its unfinished exports are finished.

use docwright_domain::{
    domain_address::DomainAddress, export_job::ExportStatus, plan::Plan, release::ReleaseStatus,
};
use docwright_storage::{
    Database,
    database::{PageRequest, ProjectChange, Queue},
};
use sqlx::{AnyPool, AssertSqlSafe, migrate::Migrator};

use crate::place::{Place, postgres_url, sqlite_url};

#[tokio::test(flavor = "multi_thread")]
async fn sqlite() {
    let folder = tempfile::tempdir().unwrap();
    migrates(&sqlite_url(folder.path())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres() {
    migrates(&postgres_url("migration").await).await;
}

/// Rows as the third migration left them.
const BEFORE: &[&str] = &[
    "INSERT INTO organizations VALUES ('org_1', 'Acme', 'enterprise', 1)",
    "INSERT INTO projects (id, organization_id, name, repository, docs_path, created_at) VALUES ('prj_1', 'org_1', 'Docs', '/r', '', 1)",
    "INSERT INTO organizations VALUES ('org_2', 'Acme', 'free', 2)",
    "INSERT INTO projects (id, organization_id, name, repository, docs_path, created_at) VALUES ('prj_2', 'org_1', 'Docs', '/s', '', 2)",
    "INSERT INTO domains VALUES ('docs.example.com', 'prj_1', 1), ('empty.example.com', 'prj_1', 1)",
    "INSERT INTO agent_jobs (id, project_id, status, repository, model, usage, files_changed, attempts, run_after, lease_owner, lease_expires_at, created_at, updated_at) \
     VALUES ('agt_1', 'prj_1', 'active', '/r', 'm', '{\"inputTokens\":0,\"outputTokens\":0,\"cost\":null}', '[]', 7, 5, 'worker_x', 99999999999999, 1, 1)",
];

/// Id, domain, paths, status, when it ended.
const EXPORTS: &[(&str, &str, &str, &str, i64)] = &[
    ("exp_older", "docs.example.com", "NULL", "completed", 10),
    ("exp_live", "docs.example.com", "NULL", "completed", 20),
    ("exp_part", "docs.example.com", "'[\"a\"]'", "completed", 30),
    ("exp_failed", "docs.example.com", "NULL", "failed", 40),
    ("exp_waits", "docs.example.com", "NULL", "queued", 50),
    ("exp_begun", "docs.example.com", "'[\"a\"]'", "running", 60),
    ("exp_gone", "gone.example.com", "NULL", "completed", 70),
];

async fn before(url: &str) {
    let pool = migrated_to(url, 3).await;
    for sql in BEFORE {
        sqlx::query(AssertSqlSafe(*sql)).execute(&pool).await.unwrap();
    }
    for (id, domain, paths, status, updated) in EXPORTS {
        let sql = format!(
            "INSERT INTO export_jobs (id, organization_id, project_id, domain, paths, status, progress, page_count, warnings, \
             warning_count, bundle_key, bundle_size, bundle_sha256, bundle_commit, attempts, run_after, created_at, updated_at) \
             VALUES ('{id}', 'org_1', 'prj_1', '{domain}', {paths}, '{status}', 100, 3, '[]', 0, '{id}/bundle.tar.gz', 9, 's', 'c', 2, 0, 1, {updated})"
        );
        sqlx::query(AssertSqlSafe(sql)).execute(&pool).await.unwrap();
    }
    pool.close().await;
}

/// Identities that the version before the rule of one for each issuer linked: the migration keeps them and marks
/// all but the oldest.
#[tokio::test(flavor = "multi_thread")]
async fn duplicate_identities_stay_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    duplicate_identities_stay(&sqlite_url(folder.path())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn duplicate_identities_stay_on_postgres() {
    duplicate_identities_stay(&postgres_url("identities").await).await;
}

async fn duplicate_identities_stay(url: &str) {
    // Later migrations need the collation that opening a PostgreSQL database makes.
    let pool = migrated_to(url, 21).await;
    for sql in [
        "INSERT INTO accounts VALUES ('acc_1', 'a@example.com', 'A', NULL, 0, 1), ('acc_2', 'b@example.com', 'B', NULL, 0, 1)",
        "INSERT INTO identities VALUES ('https://i', 'late', 'acc_1', 2), ('https://i', 'early', 'acc_1', 1), \
         ('https://j', 'early', 'acc_1', 3), ('https://i', 'only', 'acc_2', 1), ('https://i', 'same', 'acc_1', 1)",
    ] {
        sqlx::query(AssertSqlSafe(sql)).execute(&pool).await.unwrap();
    }
    pool.close().await;
    let place = Place::open(url).await;
    let page = PageRequest::first(9);
    let listed = place.database.accounts_page(None, true, page).await.unwrap();
    let listed: Vec<_> = listed.iter().map(|account| account.id.as_str()).collect();
    assert_eq!(listed, ["acc_1"]);
    let kept = place.database.identities(&["acc_1".to_owned()]).await.unwrap();
    let kept: Vec<_> = kept.iter().map(|identity| identity.subject.as_str()).collect();
    assert_eq!(kept, ["early", "same", "late", "early"]);
    let first = "SELECT COUNT(*) FROM identities WHERE duplicate = 0";
    assert_eq!(place.number(first).await, 3);
}

/// A database as an earlier version left it.
async fn migrated_to(url: &str, version: i64) -> AnyPool {
    sqlx::any::install_default_drivers();
    let pool = AnyPool::connect(url).await.unwrap();
    let all = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let mut migrator = Migrator::new(all).await.unwrap();
    migrator.migrations.to_mut().retain(|migration| migration.version <= version);
    migrator.run(&pool).await.unwrap();
    pool
}

async fn migrates(url: &str) {
    before(url).await;
    let place = Place::open(url).await;
    let database = &place.database;
    let domain = DomainAddress::parse("docs.example.com").unwrap();
    let site = database.site_of_domain(&domain).await.unwrap().unwrap();
    assert_eq!((&site.branch, site.domain.as_str()), (&None, "docs.example.com"));
    let active = database.release(site.active_release_id.as_ref().unwrap()).await.unwrap().unwrap();
    assert_eq!((active.id.as_str(), active.status), ("rel_live", ReleaseStatus::Ready));
    assert_eq!(active.site_address(&site), "https://docs.example.com");
    assert_eq!(active.bundle.unwrap().key, "exp_live/bundle.tar.gz");
    assert!(database.predates_fingerprints().await.unwrap(), "its storage has no markers");
    let empty = DomainAddress::parse("empty.example.com").unwrap();
    let empty = database.site_of_domain(&empty).await.unwrap().unwrap();
    assert_eq!(empty.active_release_id, None);
    let mut waiting = Vec::new();
    while let Some(claim) = database.claim(Queue::Releases, 60_000, 99).await.unwrap() {
        let lease = claim.lease;
        let release = database.release(&lease.id).await.unwrap().unwrap();
        waiting.push((release.id, release.servable));
    }
    waiting.sort();
    assert_eq!(waiting, [("rel_begun".to_owned(), false), ("rel_waits".to_owned(), true)]);
    for (id, status) in [
        ("exp_older", ExportStatus::Completed),
        ("exp_part", ExportStatus::Completed),
        ("exp_waits", ExportStatus::Running),
    ] {
        let job = database.export_job(id).await.unwrap().unwrap();
        assert_eq!(job.status, status, "{id}");
        assert_eq!(job.bundle.is_some(), status == ExportStatus::Completed, "{id}");
    }
    names(database).await;
    let lease = database.claim(Queue::AgentJobs, 60_000, 99).await.unwrap().unwrap().lease;
    assert_eq!((lease.id.as_str(), lease.number), ("agt_1", 1));
    assert_eq!(database.leased_agent_job(&lease).await.unwrap().unwrap().failures, 0);
}

/// Names that were the same before they had to differ stay, and can be changed.
async fn names(database: &Database) {
    let all = database.organizations().await.unwrap();
    assert_eq!(all.iter().map(|each| each.name.as_str()).collect::<Vec<_>>(), ["Acme", "Acme"]);
    let change = ProjectChange { docs_path: Some("docs"), ..ProjectChange::default() };
    assert!(database.update_project("prj_2", change).await.unwrap());
    assert_eq!(database.project("prj_2").await.unwrap().unwrap().name, "Docs");
    let change = ProjectChange { name: Some("Second"), ..ProjectChange::default() };
    assert!(database.update_project("prj_2", change).await.unwrap());
    let change = ProjectChange { name: Some("Docs"), ..ProjectChange::default() };
    assert!(database.update_project("prj_2", change).await.is_err());
    assert!(database.update_organization("org_2", None, Some(Plan::Pro)).await.unwrap());
}
