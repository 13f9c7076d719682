//! Locks a SQLite database while a process opens it. `SQLite` has no lock that spans migrations, so processes that
//! start together would create the same tables twice.

use std::{
    fs::{File, TryLockError},
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use sqlx::sqlite::SqliteConnectOptions;
use tokio::time::{Instant, sleep};

use crate::StorageError;

/// How often a waiting process checks the lock.
const INTERVAL: Duration = Duration::from_millis(20);
/// How long it waits. A migration of a large database takes minutes at most.
const PATIENCE: Duration = Duration::from_mins(5);
/// Suffix of the lock file, which is beside the database. The file stays: removing it would give two processes a
/// lock each.
const ENDING: &str = "lock";

/// The right to open a database. It ends when this is dropped, or the process ends.
#[derive(Debug)]
pub(super) struct Turn(#[expect(dead_code, reason = "it is held")] Option<File>);

impl Turn {
    /// Waits until no other process opens the same database. PostgreSQL has its own locks.
    pub(super) async fn wait(url: &str, is_postgres: bool) -> Result<Self, StorageError> {
        match file(url).filter(|_| !is_postgres) {
            Some(database) => Self::at(&database.with_added_extension(ENDING), PATIENCE).await,
            None => Ok(Self(None)),
        }
    }

    async fn at(path: &Path, patience: Duration) -> Result<Self, StorageError> {
        let lock = File::options().create(true).append(true).open(path)?;
        let began = Instant::now();
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(Self(Some(lock))),
                Err(TryLockError::Error(error)) => return Err(error.into()),
                Err(TryLockError::WouldBlock) if began.elapsed() >= patience => {
                    return Err(StorageError::Open(format!(
                        "another docwright process has been opening the database for {} seconds and holds {}; wait until it has updated the tables, or stop it",
                        patience.as_secs(),
                        path.display()
                    )));
                }
                Err(TryLockError::WouldBlock) => sleep(INTERVAL).await,
            }
        }
    }
}

/// The file of a database; `None` if it is in memory, or has no folder for a lock file.
fn file(url: &str) -> Option<PathBuf> {
    let options = SqliteConnectOptions::from_str(url).ok()?;
    let file = options.get_filename();
    let is_file =
        file.parent().is_some_and(|folder| folder.as_os_str().is_empty() || folder.is_dir());
    let in_memory = url.contains(":memory:") || url.contains("mode=memory");
    (is_file && !in_memory).then(|| file.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn turn_ends_with_its_holder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("docwright.db.lock");
        let first = Turn::at(&path, Duration::ZERO).await.unwrap();
        let refused = Turn::at(&path, Duration::ZERO).await.unwrap_err().to_string();
        assert!(refused.starts_with("another docwright process has been opening"), "{refused}");
        assert!(refused.contains("docwright.db.lock; wait"), "{refused}");
        drop(first);
        Turn::at(&path, Duration::ZERO).await.unwrap();
    }

    #[test]
    fn only_files_have_turns() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("docwright.db");
        assert_eq!(file(&format!("sqlite://{}?mode=rwc", path.display())), Some(path));
        assert_eq!(file("sqlite://data.db"), Some(PathBuf::from("data.db")));
        for none in ["sqlite::memory:", "sqlite:///no/such/folder/data.db"] {
            assert_eq!(file(none), None, "{none}");
        }
    }
}
