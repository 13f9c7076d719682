//! Copies of bundles on this machine's disk: of those that are stored on another host, and of those
//! of the earlier form, which can't be served as they are stored.
//!
//! A copy is whole and checked before it has its name. The least recently used ones go first. One that
//! is open may go as well: it stays readable until it is closed.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use anyhow::{Context, ensure};
use docwright_domain::export_job::StoredBundle;
use docwright_site::bundle::{Bundle, BundleError, Limits, repack};
use docwright_storage::LocalObjects;
use sha2::{Digest, Sha256};

/// Ending of a copy that is being made.
const PARTIAL: &str = ".partial";
/// A copy that was not touched for so long is nobody's work any more.
const ABANDONED: Duration = Duration::from_hours(1);

/// A folder of copies.
#[derive(Debug)]
pub(super) struct BundleCache {
    folder: PathBuf,
    /// Bytes of all copies together.
    room: u64,
    objects: LocalObjects,
}

impl BundleCache {
    /// Opens a folder, and makes it if it is not there.
    pub(super) fn open(folder: PathBuf, room: u64, objects: LocalObjects) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        let cache = Self { folder, room, objects };
        for (path, _, used) in cache.files()? {
            let is_partial = path.to_string_lossy().ends_with(PARTIAL);
            if is_partial && used.elapsed().is_ok_and(|age| age > ABANDONED) {
                fs::remove_file(path)?;
            }
        }
        Ok(cache)
    }

    /// The file to serve a bundle from, if it is on this machine. Reads from the disk.
    pub(super) fn find(&self, bundle: &StoredBundle) -> Option<PathBuf> {
        let copy = self.path(bundle);
        if let Ok(file) = File::open(&copy) {
            // Without its time it may go too early, and is copied again.
            drop(file.set_modified(SystemTime::now()));
            return Some(copy);
        }
        self.objects.path(&bundle.key).ok().filter(|path| path.is_file())
    }

    /// Copies a bundle to this machine, whole and checked, in a form that can be served.
    pub(super) async fn copy(&self, bundle: &StoredBundle) -> anyhow::Result<PathBuf> {
        let partial = tempfile::Builder::new().suffix(PARTIAL).tempfile_in(&self.folder)?;
        let partial = partial.into_temp_path();
        let stored = self.objects.path(&bundle.key)?;
        tokio::fs::copy(&stored, &partial).await.context("the bundle can't be fetched")?;
        let (copy, expected) = (self.path(bundle), bundle.sha256.clone());
        let stored = tokio::task::spawn_blocking(move || {
            let found = fingerprint(&partial)?;
            ensure!(found == expected, "the bundle was changed: its SHA-256 is {found}");
            match Bundle::open(&partial) {
                Err(BundleError::Old) => repack(&partial, &copy, Limits::default())?,
                opened => {
                    drop(opened?);
                    File::open(&partial)?.sync_all()?;
                    partial.persist(&copy)?;
                }
            }
            Ok(copy)
        });
        let copy = stored.await.context("copying broke off")??;
        self.make_room(&copy)?;
        Ok(copy)
    }

    /// Repacks a bundle of the earlier form that is on this machine.
    pub(super) fn repack(&self, old: &Path, bundle: &StoredBundle) -> anyhow::Result<PathBuf> {
        let copy = self.path(bundle);
        repack(old, &copy, Limits::default())?;
        self.make_room(&copy)?;
        Ok(copy)
    }

    fn path(&self, bundle: &StoredBundle) -> PathBuf {
        self.folder.join(format!("{}.tar.gz", bundle.sha256))
    }

    /// Removes what was not used for the longest time until the rest fits, but not one of them.
    fn make_room(&self, kept: &Path) -> io::Result<()> {
        let mut files = self.files()?;
        let mut taken: u64 = files.iter().map(|(_, size, _)| size).sum();
        files.sort_by_key(|(.., used)| *used);
        for (path, size, _) in files {
            if taken <= self.room {
                break;
            }
            if path != kept && !path.to_string_lossy().ends_with(PARTIAL) {
                fs::remove_file(path)?;
                taken -= size;
            }
        }
        Ok(())
    }

    /// Path, size and time of last use of each file.
    fn files(&self) -> io::Result<Vec<(PathBuf, u64, SystemTime)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            // Another process may remove files of the same folder.
            if let Ok(metadata) = entry.metadata() {
                files.push((entry.path(), metadata.len(), metadata.modified()?));
            }
        }
        Ok(files)
    }
}

fn fingerprint(path: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 256 * 1024];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(hex::encode(hash.finalize()));
        }
        hash.update(&buffer[..read]);
    }
}
