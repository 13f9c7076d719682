//! Temporary files: each process has a folder of its own for them, and a lock on it that ends with the
//! process. So what a killed process left is known at once, whatever the time.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

/// Ending of the locks, which lie beside the folders.
const LOCK: &str = "lock";

/// A folder for temporary files of this process. It goes away with what it holds.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    lock_path: PathBuf,
    _lock: File,
}

impl Scratch {
    /// Makes a folder below another one, and removes those of processes that are gone.
    pub fn open(all: &Path) -> io::Result<Self> {
        fs::create_dir_all(all)?;
        remove_abandoned(all)?;
        let folder = all.join(uuid::Uuid::now_v7().simple().to_string());
        let (new, lock_path) = (folder.with_extension("new"), folder.with_extension(LOCK));
        let lock = File::create_new(&new)?;
        lock.lock()?;
        // Who sees it by this name finds it locked.
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
        // What can't be removed now is removed by another process.
        if fs::remove_dir_all(&self.folder).is_ok() {
            let _gone = fs::remove_file(&self.lock_path);
        }
    }
}

/// Removes the folders of processes that are gone. Returns how many there were.
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
        // Last of all, so that a removal that is cut off begins again.
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
    fn only_what_nobody_holds_goes() {
        let all = tempfile::tempdir().unwrap();
        let mine = Scratch::open(all.path()).unwrap();
        fs::write(mine.folder().join("file"), "1").unwrap();
        // As a killed process leaves it: nobody holds the lock.
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
