//! Temporary files: each process has its own folder, with a lock that ends with the process. So leftovers of
//! killed processes are recognized immediately, without waiting.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

/// Suffix of the locks, which are beside the folders.
const LOCK: &str = "lock";

/// A folder for temporary files of this process. It is removed with its contents.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    lock_path: PathBuf,
    _lock: File,
}

impl Scratch {
    /// Creates a folder below another one, and removes those of ended processes.
    pub fn open(all: &Path) -> io::Result<Self> {
        fs::create_dir_all(all)?;
        remove_abandoned(all)?;
        let folder = all.join(uuid::Uuid::now_v7().simple().to_string());
        let (new, lock_path) = (folder.with_extension("new"), folder.with_extension(LOCK));
        let lock = File::create_new(&new)?;
        lock.lock()?;
        // Any process that sees this name finds it locked.
        fs::rename(&new, &lock_path)?;
        fs::create_dir(&folder)?;
        Ok(Self { folder, lock_path, _lock: lock })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder that can't be removed now is removed by another process.
        if fs::remove_dir_all(&self.folder).is_ok() {
            let _gone = fs::remove_file(&self.lock_path);
        }
    }
}

/// Removes the folders of ended processes. Returns how many there were.
pub fn remove_abandoned(all: &Path) -> io::Result<usize> {
    let mut removed = 0;
    for entry in fs::read_dir(all)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != LOCK) {
            continue;
        }
        let Ok(lock) = File::open(&path) else { continue };
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => continue,
            Err(TryLockError::Error(error)) => return Err(error),
        }
        match fs::remove_dir_all(path.with_extension("")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // Removed last, so an interrupted removal is repeated.
        fs::remove_file(&path)?;
        removed += 1;
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn only_unlocked_folders_are_removed() {
        let all = tempfile::tempdir().unwrap();
        let mine = Scratch::open(all.path()).unwrap();
        fs::write(mine.folder().join("file"), "1").unwrap();
        // The state after a kill: the lock is free.
        let gone = all.path().join("gone");
        fs::create_dir_all(gone.join("inside")).unwrap();
        fs::write(all.path().join("gone.lock"), "").unwrap();
        assert_eq!(remove_abandoned(all.path()).unwrap(), 1);
        assert!(!gone.exists() && mine.folder().join("file").is_file());
        assert_eq!(names(all.path()), 2);
        let other = Scratch::open(all.path()).unwrap();
        assert_ne!(other.folder(), mine.folder());
        drop(other);
        assert!(mine.folder().join("file").is_file());
        drop(mine);
        assert_eq!(names(all.path()), 0);
    }
}
