//! Files of a SQLite database contain no deleted text.

use std::{fs, path::Path};

use docwright_storage::{
    Database,
    database::{Actor, ActorKind, Change, NewAccount, NewProject},
};
use docwright_testing::database::{TestDatabase, sqlite_url};
use docwright_types::{account::Role, plan::Plan, site::Activation};
use serde_json::json;

const CANARY: &str = "canary-7f3a9c";

/// Files of the database that contain a text.
fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let holds = |path: &std::path::PathBuf| {
        let bytes = fs::read(path).unwrap();
        bytes.windows(text.len()).any(|window| window.eq_ignore_ascii_case(text.as_bytes()))
    };
    let found = entries.filter(holds);
    found.map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
}

fn shell(action: &'static str, email: &str) -> Change {
    Change {
        organization_id: None,
        actor: Actor { kind: ActorKind::Shell, id: "uid:0".to_owned(), name: String::new() },
        action,
        address: None,
        request_id: String::new(),
        before: None,
        after: Some(json!({ "email": email })),
        at: 10,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn deleted_account_leaves_no_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(&sqlite_url(folder.path())).await.unwrap();
    let of = database.create_organization("Acme", Plan::Enterprise, 1).await.unwrap();
    let mut ids = Vec::new();
    // Between other rows, so that pages split and move.
    for number in 0..400 {
        let canary = if number % 40 == 7 { CANARY } else { "other" };
        let email = format!("{:03}-{canary}@example.com", (number * 71) % 400);
        let new = NewAccount {
            email: email.parse().unwrap(),
            name: format!("{canary} {}", "x".repeat(number % 90)),
            password: None,
        };
        let subject = number.to_string();
        let linked = database.recording(shell("account.identity", new.email.as_str()));
        linked.link_identity(("https://i.example", &subject), Err(&new), 5).await.unwrap();
        let made = database.account_of_email(&new.email).await.unwrap().unwrap().0;
        database.add_member(&of.id, &made.id, Role::Viewer, 5).await.unwrap();
        if canary == CANARY {
            database.rename_account(&made.id, &format!("{CANARY} renamed")).await.unwrap();
            ids.push(made.id);
        }
    }
    assert!(!files_with(folder.path(), CANARY).is_empty());
    for id in &ids {
        assert!(database.delete_account(id).await.unwrap().is_some());
    }
    assert_eq!(database.anonymize_deleted_accounts().await.unwrap(), 10);
    assert!(database.erase_deleted().await.unwrap());
    assert_eq!(files_with(folder.path(), CANARY), [""; 0]);
    assert_eq!(fs::metadata(folder.path().join("docwright.db-wal")).unwrap().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn deleted_project_and_organization_leave_no_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(&sqlite_url(folder.path())).await.unwrap();
    let mut made = Vec::new();
    for number in 0..100 {
        let canary = if number % 10 == 3 { CANARY } else { "other" };
        let name = format!("{canary} {number}");
        let organization = database.create_organization(&name, Plan::Free, 1).await.unwrap();
        // Long texts have their own pages.
        let repository = format!("/{canary}/{}", format!("{canary} ").repeat(number * 20));
        let new = NewProject {
            organization_id: &organization.id,
            name: &name,
            repository: &repository,
            docs_path: "",
            model: None,
            activation: Activation::Automatic,
        };
        let project = database.create_project(new, 1).await.unwrap();
        if canary == CANARY {
            made.push((organization.id, project.id));
        }
    }
    for (organization, project) in &made {
        database.delete_project(project).await.unwrap().unwrap();
        database.delete_organization(organization).await.unwrap().unwrap();
    }
    assert!(database.erase_deleted().await.unwrap());
    assert_eq!(files_with(folder.path(), CANARY), [""; 0]);
}

/// A reader of earlier pages blocks emptying the log. The next attempt succeeds.
#[tokio::test(flavor = "multi_thread")]
async fn log_is_emptied_after_reader_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let place = TestDatabase::sqlite(folder.path()).await;
    let organization = place.database.create_organization(CANARY, Plan::Free, 1).await.unwrap();
    let reader = place.reader().await;
    place.database.delete_organization(&organization.id).await.unwrap().unwrap();
    assert!(!place.database.erase_deleted().await.unwrap());
    // Writers continue.
    place.database.create_organization("Other", Plan::Free, 1).await.unwrap();
    drop(reader);
    assert!(place.database.erase_deleted().await.unwrap());
    assert_eq!(files_with(folder.path(), CANARY), [""; 0]);
}

/// Measures how long writers wait during a large erasure, and prints it.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures"]
async fn measure_writers_wait_briefly_while_much_is_erased() {
    let folder = tempfile::tempdir().unwrap();
    let place = TestDatabase::sqlite(folder.path()).await;
    let place = std::sync::Arc::new(place);
    // Adds 200 MB, half of which is deleted later.
    place
        .execute(
            "INSERT INTO audit_entries (id, actor_kind, actor_id, actor_name, action, subject_kind, subject_id, request_id, \
             state_after, created_at) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) \
             SELECT 'aud_' || (1000000 + i), 'shell', 'a' || i, '', 'key.create', 'key', 'k' || i, 'request', \
             '{\"x\":\"' || hex(randomblob(350)) || '\"}', i / 100000 FROM n",
        )
        .await;
    let size = || fs::metadata(folder.path().join("docwright.db")).unwrap().len() / 1_000_000;
    place.database.erase_deleted().await.unwrap();
    println!("the database has {} MB", size());
    let began = std::time::Instant::now();
    place.database.remove_old_audit_entries(1).await.unwrap();
    println!("half of the entries were removed in {:?}", began.elapsed());
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let writer = {
        let (place, stop) = (place.clone(), stop.clone());
        tokio::spawn(async move {
            let mut waits = Vec::new();
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let began = std::time::Instant::now();
                let name = format!("name {}", waits.len());
                place.database.create_organization(&name, Plan::Free, 1).await.unwrap();
                waits.push(began.elapsed());
                tokio::time::sleep(std::time::Duration::from_millis(2)).await;
            }
            waits
        })
    };
    let began = std::time::Instant::now();
    assert!(place.database.erase_deleted().await.unwrap());
    println!("they were erased in {:?}; the database has {} MB", began.elapsed(), size());
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let mut waits = writer.await.unwrap();
    waits.sort();
    let at = |share: usize| waits[(waits.len() - 1) * share / 100];
    println!(
        "{} writes: median {:?}, 99% {:?}, longest {:?}",
        waits.len(),
        at(50),
        at(99),
        at(100)
    );
}
