//! Removing clones, and files of commits, that nobody uses.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use super::{CloneInUse, ClonePaths, Clones, remove, size, try_exclusive};

/// Files of a commit that nobody used for this long are removed.
const UNUSED_FILES: Duration = Duration::from_hours(1);

/// A clone with what is known of it from outside.
struct Known {
    paths: ClonePaths,
    bytes: u64,
    used: SystemTime,
}

impl CloneInUse {
    /// Records that the clone was used now, and what room it takes.
    pub(crate) fn record_use(&self) -> std::io::Result<()> {
        fs::write(self.paths.record(), size(&self.paths.folder).to_string())
    }

    /// Removes the files of commits that nobody used for a time.
    pub(crate) fn remove_unused_files(&self, now: SystemTime) {
        for lock in with_extension(&self.files(), "lock") {
            let used = fs::metadata(&lock).and_then(|metadata| metadata.modified());
            let folder = lock.with_extension("");
            if !used.is_ok_and(|used| is_older(used, now, UNUSED_FILES)) || !folder.exists() {
                continue;
            }
            if let Ok(Some(_alone)) = try_exclusive(&lock)
                && let Err(error) = remove(&folder)
            {
                tracing::warn!(folder = %folder.display(), %error, "old files can't be removed");
            }
        }
    }
}

impl Clones {
    /// Removes the clone of an owner and an address, if there is one that nobody uses. Returns whether
    /// one went.
    pub(crate) fn remove(&self, owner: &str, address: &str) -> std::io::Result<bool> {
        let paths = self.paths(owner, address);
        Ok(paths.folder.is_dir() && remove_clone(&paths)?)
    }

    /// Removes clones that were not used for long, and those unused for longest while all take more
    /// room than they may. What is in use stays. Gives how many were removed.
    pub fn remove_unused(&self, now: SystemTime) -> usize {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let folders = entries.map(|entry| entry.path()).filter(|path| path.is_dir());
        let mut all: Vec<_> = folders.filter_map(known).collect();
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
                    tracing::warn!(%folder, %error, "an old clone can't be removed");
                }
            }
        }
        removed
    }
}

fn known(folder: PathBuf) -> Option<Known> {
    let paths = ClonePaths { folder };
    let record = paths.record();
    // A clone whose first use failed has no record.
    let dated = if record.exists() { &record } else { &paths.folder };
    let used = fs::metadata(dated).and_then(|metadata| metadata.modified()).ok()?;
    let recorded = fs::read_to_string(&record).ok().and_then(|text| text.trim().parse().ok());
    let bytes = recorded.unwrap_or_else(|| size(&paths.folder));
    Some(Known { paths, bytes, used })
}

/// `false` if somebody uses it.
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
