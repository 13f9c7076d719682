//! The disk of the data folder: its free space, and the limit below which no new work starts.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{sync::Mutex, time::timeout};

/// If a disk does not respond within this time, its last state stays.
const PATIENCE: Duration = Duration::from_secs(1);

/// The disk of a folder.
#[derive(Debug, Clone, Default)]
pub struct Disk {
    folder: PathBuf,
    /// Bytes; the disk is low with less than this. 0 if it never is.
    mark: u64,
    /// Whether it was low at the last check.
    was_low: Arc<AtomicBool>,
    /// Locked while the disk is checked.
    looking: Arc<Mutex<()>>,
}

/// Room on a disk, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// Space available to unprivileged programs.
    pub free: u64,
    /// All of it.
    pub total: u64,
}

impl Disk {
    /// The disk of a folder, which is low with less than `mark` bytes of free space.
    pub fn new(folder: PathBuf, mark: u64) -> Self {
        Self { folder, mark, was_low: Arc::default(), looking: Arc::default() }
    }

    /// Whether too little space is left to start new work. Changes are logged. A disk that can't be checked is not
    /// low: writing to it fails soon enough.
    pub async fn is_low(&self) -> bool {
        if self.mark == 0 {
            return false;
        }
        let Ok(found) = timeout(PATIENCE, self.look()).await else {
            return self.was_low.load(Ordering::Relaxed);
        };
        let free = found.map_or(u64::MAX, |space| space.free);
        let is_low = free < self.mark;
        if self.was_low.swap(is_low, Ordering::Relaxed) != is_low {
            let (free, mark) = (free >> 20, self.mark >> 20);
            if is_low {
                tracing::error!(free, mark, "disk space low (MiB); new jobs paused");
            } else {
                tracing::info!(free, mark, "disk space free again (MiB); jobs resumed");
            }
        }
        is_low
    }

    /// The space on the disk; `None` if it is unknown.
    pub async fn room(&self) -> Option<Space> {
        timeout(PATIENCE, self.look()).await.ok()?.ok()
    }

    /// Checks the disk. A hanging disk blocks only one thread.
    async fn look(&self) -> io::Result<Space> {
        let (folder, looking) = (self.folder.clone(), Arc::clone(&self.looking).lock_owned().await);
        let found = tokio::task::spawn_blocking(move || {
            let found = space(&folder);
            drop(looking);
            found
        });
        found.await.map_err(io::Error::other)?
    }
}

/// Space on the disk of a folder. Blocks.
#[cfg(unix)]
pub fn space(folder: &Path) -> io::Result<Space> {
    let found = rustix::fs::statvfs(folder)?;
    Ok(Space { free: found.f_bavail * found.f_frsize, total: found.f_blocks * found.f_frsize })
}

/// The space is not available on this system.
#[cfg(not(unix))]
pub fn space(_folder: &Path) -> io::Result<Space> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn disk_is_low_below_its_mark() {
        let folder = tempfile::tempdir().unwrap();
        let Space { free, total } = space(folder.path()).unwrap();
        assert!(0 < free && free <= total, "{free} of {total}");
        let disk = |mark| Disk::new(folder.path().to_owned(), mark);
        assert!(!disk(0).is_low().await && !disk(1).is_low().await);
        assert!(disk(u64::MAX - 1).is_low().await);
        assert!(!Disk::new(folder.path().join("gone"), u64::MAX).is_low().await, "nobody knows");
    }
}
