//! Query times in an instance with 10,000 projects and 1,000,000 releases, inserted with SQL. It only
//! measures, so it runs on request:
//!
//! ```text
//! cargo test --workspace --test it -- --ignored --nocapture measure_large_
//! ```
//!
//! With `DOCWRIGHT_LARGE`, the SQLite instance stays in that folder, for `docwright serve --data`.

use std::{path::PathBuf, time::Instant};

use docwright_storage::database::{PageRequest, Position};
use docwright_testing::database::TestDatabase;
use docwright_types::domain_address::DomainAddress;

use crate::plans;

const ORGANIZATIONS: i64 = 100;
const PROJECTS: i64 = 10_000;
const RELEASES: i64 = 1_000_000;
/// Additional releases of one project.
const OF_ONE: i64 = 100_000;
/// The longest acceptable time of an interactive query, in milliseconds.
const BOUND: u128 = 50;
/// Runs of each query.
const TIMES: usize = 200;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures"]
async fn measure_large_on_sqlite() {
    plans::collect();
    let own = tempfile::tempdir().unwrap();
    let kept = std::env::var_os("DOCWRIGHT_LARGE").map(PathBuf::from);
    let folder = kept.as_deref().unwrap_or(own.path());
    std::fs::create_dir_all(folder).unwrap();
    let place = TestDatabase::sqlite(folder).await;
    fill(&place).await;
    measure(&place, "SQLite").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures"]
async fn measure_large_on_postgres() {
    plans::collect();
    let place = TestDatabase::postgres("large").await;
    fill(&place).await;
    place.execute("ANALYZE").await;
    measure(&place, "PostgreSQL").await;
    plans::check_postgres(&place, &["domains", "projects", "releases", "sites"]).await;
}

async fn fill(place: &TestDatabase) {
    let numbers = |count: i64| {
        format!(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})"
        )
    };
    let (organizations, projects) = (numbers(ORGANIZATIONS), numbers(PROJECTS));
    let releases = numbers(RELEASES);
    // The last releases all belong to the first project.
    let project =
        format!("(CASE WHEN i > {} THEN 1 ELSE 1 + i % {PROJECTS} END)", RELEASES - OF_ONE);
    let site = format!("'site_' || (1000000 + {project})");
    let began = Instant::now();
    for sql in [
        format!(
            "{organizations} INSERT INTO organizations (id, name, plan, created_at) \
             SELECT 'org_' || (1000000 + i), 'Organization ' || i, 'enterprise', i FROM n"
        ),
        format!(
            "{projects} INSERT INTO projects (id, organization_id, name, repository, docs_path, created_at) \
             SELECT 'prj_' || (1000000 + i), 'org_' || (1000001 + i % {ORGANIZATIONS}), 'Project ' || i, \
             'built-in', '', i FROM n"
        ),
        format!(
            "{projects} INSERT INTO hosts (name, organization_id, verified_at) \
             SELECT 'docs-' || i || '.example.com', 'org_' || (1000001 + i % {ORGANIZATIONS}), i FROM n"
        ),
        format!(
            "{projects} INSERT INTO domains (name, host, project_id, branch, created_at) \
             SELECT 'docs-' || i || '.example.com', 'docs-' || i || '.example.com', 'prj_' || (1000000 + i), '', i FROM n"
        ),
        format!(
            "{projects} INSERT INTO sites (id, project_id, branch, domain, activates_from, created_at) \
             SELECT 'site_' || (1000000 + i), 'prj_' || (1000000 + i), '', 'https://docs-' || i || '.example.com', 0, i FROM n"
        ),
        format!(
            "{releases} INSERT INTO releases (id, site_id, project_id, organization_id, trigger_name, servable, branch, \
             commit_sha, docs_tree, commit_message, commit_author, files_changed, head_sequence, options, status, progress, \
             page_count, warnings, warning_count, bundle_key, bundle_size, bundle_sha256, failures, interruptions, run_after, \
             lease_number, created_at, updated_at, ended_at) \
             SELECT 'rel_' || (10000000 + i), {site}, 'prj_' || (1000000 + {project}), \
             'org_' || (1000001 + {project} % {ORGANIZATIONS}), 'push', 1, 'main', 'c' || i, 't' || i, 'Change ' || i, \
             'Someone', 1, i, 'o', CASE WHEN i % 10 = 0 THEN 'failed' ELSE 'ready' END, 100, 100, '[]', 0, \
             'rel_' || i || '/1/bundle.tar.gz', 1000, 's', 0, 0, 0, 1, i, i, i FROM n"
        ),
    ] {
        place.execute(&sql).await;
    }
    println!("made in {:?}", began.elapsed()); // waits: it measures
}

async fn measure(place: &TestDatabase, name: &str) {
    let database = &place.database;
    let release = |n: usize| format!("rel_{}", 10_000_000 + (n * 4_999) % 999_999 + 1);
    let project = |n: usize| match n % 2 {
        0 => "prj_1000001".to_owned(),
        _ => format!("prj_{}", 1_000_002 + (n * 41) % 9_998),
    };
    let mut found = Vec::new();
    let mut took = |what: &str, mut times: Vec<u128>| {
        times.sort_unstable();
        let (median, last) = (times[times.len() / 2], times[times.len() * 99 / 100]);
        println!("{name}: {what}: median {median} µs, p99 {last} µs");
        found.push((what.to_owned(), last / 1000));
    };
    macro_rules! time {
        ($what:expr, $n:ident => $run:expr) => {{
            let mut times = Vec::new();
            for $n in 0..TIMES {
                let began = Instant::now();
                $run;
                times.push(began.elapsed().as_micros()); // waits: it measures
            }
            took($what, times);
        }};
    }
    time!("list releases", n => {
        assert_eq!(database.releases(&project(n), None, PageRequest::first(20)).await.unwrap().len(), 20);
    });
    time!("list releases from the middle", n => {
        let after = Position::of_id(&format!("rel_{}", 10_500_000 + n));
        let page = PageRequest { after: Some(&after), ..PageRequest::first(20) };
        assert_eq!(database.releases(&project(1), None, page).await.unwrap().len(), 20);
    });
    time!("show a release", n => assert!(database.release(&release(n)).await.unwrap().is_some()));
    time!("activate a release", n => {
        // Every tenth release failed.
        let _activated: bool = database.activate_release(&release(n), 1).await.unwrap();
    });
    time!("sites of a project", n => assert_eq!(database.sites(&project(n)).await.unwrap().len(), 1));
    time!("show a domain", n => {
        let domain = DomainAddress::parse(&format!("docs-{}.example.com", n + 1)).unwrap();
        assert!(database.domain(&domain).await.unwrap().is_some());
    });
    time!("request an update", n => {
        use docwright_types::release::Trigger;
        drop(database.request_update(&project(n), None, Trigger::Api, None, 1).await.unwrap());
    });
    for (what, milliseconds) in found {
        assert!(milliseconds < BOUND, "{name}: {what} takes {milliseconds} ms");
    }
    // Reads the active releases of all domains. This runs in the background after changes.
    let began = Instant::now();
    let serving = database.serving().await.unwrap();
    let took = began.elapsed(); // waits: it measures
    println!("{name}: what {} domains serve: {took:?}", serving.len());
}
