//! Databases of other docwright versions.

use docwright_storage::{Database, StorageError};
use docwright_testing::database::{postgres_url, sqlite_url};
use sqlx::AnyPool;

#[tokio::test(flavor = "multi_thread")]
async fn sqlite() {
    let folder = tempfile::tempdir().unwrap();
    database_of_unreleased_docwright_is_refused(&sqlite_url(folder.path())).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn postgres() {
    database_of_unreleased_docwright_is_refused(&postgres_url("migration").await).await;
}

async fn database_of_unreleased_docwright_is_refused(url: &str) {
    drop(Database::open(url).await.unwrap());
    let pool = AnyPool::connect(url).await.unwrap();
    let later = "INSERT INTO _sqlx_migrations \
                 SELECT 32, description, installed_on, success, checksum, execution_time \
                 FROM _sqlx_migrations WHERE version = 1";
    sqlx::query(later).execute(&pool).await.unwrap();
    assert!(refusal(url).await.contains("a newer docwright has changed its tables"));
    // Unreleased versions had another first migration.
    let other = sqlx::query("UPDATE _sqlx_migrations SET checksum = $1 WHERE version = 1");
    other.bind(vec![0_u8; 48]).execute(&pool).await.unwrap();
    for _ in 0..2 {
        let said = refusal(url).await;
        assert!(said.contains("its tables were created by an unreleased docwright"), "{said}");
        let one = "DELETE FROM _sqlx_migrations WHERE version = 32";
        sqlx::query(one).execute(&pool).await.unwrap();
    }
    pool.close().await;
}

async fn refusal(url: &str) -> String {
    match Database::open(url).await {
        Err(error @ StorageError::Open(_)) => error.to_string(),
        other => panic!("{other:?}"),
    }
}
