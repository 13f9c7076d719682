//! Locks in the file system, which end with their process. Their files are never removed: a lock on a removed file
//! would exclude nobody.

use std::{
    fs::{File, TryLockError},
    io,
    path::Path,
    time::Duration,
};

/// How often a lock of another process is tried.
const AGAIN: Duration = Duration::from_millis(50);

fn open(path: &Path) -> io::Result<File> {
    File::options().create(true).append(true).open(path)
}

/// Waits for an exclusive lock.
pub(crate) async fn exclusive(path: &Path) -> io::Result<File> {
    wait(open(path)?, File::try_lock).await
}

/// Waits for a shared lock.
pub(crate) async fn shared(path: &Path) -> io::Result<File> {
    wait(open(path)?, File::try_lock_shared).await
}

/// An exclusive lock, if the file isn't locked.
pub(crate) fn try_exclusive(path: &Path) -> io::Result<Option<File>> {
    let file = open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Waiting in the kernel can't be canceled; trying can.
async fn wait(file: File, attempt: fn(&File) -> Result<(), TryLockError>) -> io::Result<File> {
    loop {
        match attempt(&file) {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => tokio::time::sleep(AGAIN).await,
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}
