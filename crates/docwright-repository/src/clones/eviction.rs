//! Removes unused clones and files of commits.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use super::{CloneInUse, ClonePaths, Clones, remove, size, try_exclusive};

/// Files of a commit are removed after this time without use.
const UNUSED_FILES: Duration = Duration::from_hours(1);
/// Prefix of folders with files that aren't complete yet.
pub(crate) const PARTIAL: &str = "partial-";

/// A clone and its recorded data.
struct StoredClone {
    paths: ClonePaths,
    bytes: u64,
    used: SystemTime,
}

impl CloneInUse {
    /// Records that the clone was used now, with its size including the files of its commits. Returns the size.
    pub(crate) fn record_use(&self, files: u64) -> std::io::Result<u64> {
        let bytes = size(&self.paths.repository()) + size(&self.paths.history()) + files;
        fs::write(self.paths.record(), bytes.to_string())?;
        Ok(bytes)
    }

    /// Removes the files of commits that were not used for a time, and the least recently used ones while all of
    /// them use more space than git's limit for the repository. Files in use stay. Returns the remaining bytes.
    pub(crate) fn remove_unused_files(&self, now: SystemTime) -> u64 {
        self.remove_partial_files(now);
        let all = self.files_by_use().into_iter().map(|each| (size(&each.folder), each));
        let all: Vec<_> = all.collect();
        let mut total: u64 = all.iter().map(|(bytes, _)| bytes).sum();
        for (bytes, UsedFiles { lock, folder, used }) in all {
            if !is_older(used, now, UNUSED_FILES) && total <= self.limits.clone_bytes {
                break;
            }
            if let Ok(Some(_alone)) = try_exclusive(&lock) {
                match remove(&folder) {
                    Ok(()) => total -= bytes,
                    Err(error) => {
                        tracing::warn!(folder = %folder.display(), %error, "old files not removed");
                    }
                }
            }
        }
        total
    }

    /// Moves the files of the most recently used commit that isn't in use to another folder. Returns whether there was
    /// one.
    pub(crate) fn take_unused_files(&self, target: &Path) -> std::io::Result<bool> {
        for UsedFiles { lock, folder, .. } in self.files_by_use().into_iter().rev() {
            if let Some(_alone) = try_exclusive(&lock)? {
                // Another process can have taken them before it gave up its lock.
                match fs::rename(folder, target) {
                    Ok(()) => return Ok(true),
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(false)
    }

    /// The files of commits, least recently used first.
    fn files_by_use(&self) -> Vec<UsedFiles> {
        let mut all: Vec<_> =
            with_extension(&self.files(), "lock").filter_map(used_files).collect();
        all.sort_by_key(|each| each.used);
        all
    }

    /// Removes files that a killed process was writing.
    fn remove_partial_files(&self, now: SystemTime) {
        for entry in fs::read_dir(self.files()).into_iter().flatten().flatten() {
            let is_partial = entry.file_name().to_string_lossy().starts_with(PARTIAL);
            let written = entry.metadata().and_then(|metadata| metadata.modified());
            if is_partial && written.is_ok_and(|written| is_older(written, now, UNUSED_FILES)) {
                let folder = entry.path();
                if let Err(error) = remove(&folder) {
                    tracing::warn!(folder = %folder.display(), %error, "partial files not removed");
                }
            }
        }
    }
}

impl Clones {
    /// Removes the clone of an owner and an address, if there is one that is not in use. Returns whether one was
    /// removed.
    pub(crate) fn remove(&self, owner: &str, address: &str) -> std::io::Result<bool> {
        let paths = self.paths(owner, address);
        Ok(paths.folder.is_dir() && remove_clone(&paths)?)
    }

    /// Removes clones that were not used for long, and the least recently used ones while all exceed the limit.
    /// Clones in use stay. Returns how many were removed.
    pub fn remove_unused(&self, now: SystemTime) -> usize {
        let mut all: Vec<_> = self.all().filter_map(known).collect();
        all.sort_by_key(|each| each.used);
        let mut total: u64 = all.iter().map(|each| each.bytes).sum();
        let mut removed = 0;
        for each in all {
            let old = is_older(each.used, now, self.limits.age);
            if !old && total <= self.limits.total_bytes {
                break;
            }
            match remove_clone(&each.paths) {
                Ok(true) => {
                    total -= each.bytes;
                    removed += 1;
                }
                Ok(false) => {}
                Err(error) => {
                    let folder = each.paths.folder.display();
                    tracing::warn!(%folder, %error, "old clone not removed");
                }
            }
        }
        removed
    }
}

fn known(paths: ClonePaths) -> Option<StoredClone> {
    let record = paths.record();
    // A clone whose first use failed has no record.
    let dated = if record.exists() { &record } else { &paths.folder };
    let used = fs::metadata(dated).and_then(|metadata| metadata.modified()).ok()?;
    let recorded = fs::read_to_string(&record).ok().and_then(|text| text.trim().parse().ok());
    let bytes = recorded.unwrap_or_else(|| size(&paths.folder));
    Some(StoredClone { paths, bytes, used })
}

/// The files of a commit, and their recorded data.
struct UsedFiles {
    lock: PathBuf,
    folder: PathBuf,
    used: SystemTime,
}

/// The files of a lock; `None` if they are gone.
fn used_files(lock: PathBuf) -> Option<UsedFiles> {
    let folder = lock.with_extension("");
    let used = fs::metadata(&lock).and_then(|metadata| metadata.modified()).ok()?;
    folder.is_dir().then_some(UsedFiles { lock, folder, used })
}

/// `false` if it is in use.
fn remove_clone(paths: &ClonePaths) -> std::io::Result<bool> {
    let Some(_changing) = try_exclusive(&paths.change_lock())? else { return Ok(false) };
    let Some(_alone) = try_exclusive(&paths.use_lock())? else { return Ok(false) };
    remove(&paths.folder)?;
    if paths.record().exists() {
        fs::remove_file(paths.record())?;
    }
    Ok(true)
}

fn is_older(used: SystemTime, now: SystemTime, age: Duration) -> bool {
    now.duration_since(used).is_ok_and(|since| since > age)
}

fn with_extension<'a>(folder: &Path, extension: &'a str) -> impl Iterator<Item = PathBuf> + 'a {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.filter(move |path| path.extension().is_some_and(|each| each == extension))
}
