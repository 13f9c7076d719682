//! Locks in the file system, which end with the process that holds them. Their files are never
//! removed: a lock on a file that is gone would exclude nobody.

use std::{
    fs::{File, TryLockError},
    io,
    path::Path,
    time::Duration,
};

/// How often a lock is tried that another process holds.
const AGAIN: Duration = Duration::from_millis(50);

fn open(path: &Path) -> io::Result<File> {
    File::options().create(true).append(true).open(path)
}

/// Waits for a lock that excludes everybody.
pub(crate) async fn exclusive(path: &Path) -> io::Result<File> {
    wait(open(path)?, File::try_lock).await
}

/// Waits for a lock that others can share.
pub(crate) async fn shared(path: &Path) -> io::Result<File> {
    wait(open(path)?, File::try_lock_shared).await
}

/// A lock that excludes everybody, if nobody holds one.
pub(crate) fn try_exclusive(path: &Path) -> io::Result<Option<File>> {
    let file = open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Waiting in the kernel could not be broken off; trying can.
async fn wait(file: File, attempt: fn(&File) -> Result<(), TryLockError>) -> io::Result<File> {
    loop {
        match attempt(&file) {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => tokio::time::sleep(AGAIN).await,
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}
