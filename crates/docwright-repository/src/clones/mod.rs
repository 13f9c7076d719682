//! The clones of remote repositories, shared by the jobs of one organization.
//!
//! Owns the location of clones, that those in use stay, and their limits of space. Two processes can use one
//! folder: clones in use are locked in the file system. Locks are taken in one order: first the one for changing a
//! clone, then the one for using it, then those of its commits. [`crate::checkout`] owns the files of a commit.

mod eviction;
mod fetch;
mod lock;
mod packing;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use sha2::{Digest, Sha256};

use crate::{
    git::{Git, GitError},
    packing::is_temporary,
};
pub(crate) use eviction::PARTIAL;
pub(crate) use fetch::shown;
use lock::try_exclusive;
pub(crate) use lock::{exclusive, shared};

/// Limits of space for clones.
#[derive(Debug, Clone, Copy)]
pub struct CloneLimits {
    /// Size of git's data for one repository, in bytes.
    pub clone_bytes: u64,
    /// All of them with the files of their commits, in bytes. The least recently used ones are removed first.
    pub total_bytes: u64,
    /// A clone is removed after this time without use.
    pub age: Duration,
    /// Time limit of one fetch.
    pub fetch_timeout: Duration,
}

impl Default for CloneLimits {
    fn default() -> Self {
        Self {
            clone_bytes: 2 * 1024 * 1024 * 1024,
            total_bytes: 20 * 1024 * 1024 * 1024,
            age: Duration::from_hours(14 * 24),
            fetch_timeout: Duration::from_mins(10),
        }
    }
}

/// The folder of all clones.
#[derive(Debug, Clone)]
pub struct Clones {
    folder: PathBuf,
    limits: CloneLimits,
}

/// A clone in use: it is not removed until this is dropped.
#[derive(Debug)]
pub(crate) struct CloneInUse {
    paths: ClonePaths,
    limits: CloneLimits,
    _lock: std::fs::File,
}

/// Paths of the parts of a clone.
#[derive(Debug, Clone)]
struct ClonePaths {
    /// The folder of all parts except the locks, which outlive it.
    folder: PathBuf,
}

impl ClonePaths {
    /// The clone itself.
    fn repository(&self) -> PathBuf {
        self.folder.join("repository.git")
    }

    /// Commits of the whole history, without the contents of files.
    fn history(&self) -> PathBuf {
        self.folder.join("history.git")
    }

    /// Files of commits.
    fn files(&self) -> PathBuf {
        self.folder.join("files")
    }

    /// Exists while a clone is changed. A leftover file is from a killed process or a failed repack.
    fn mark(&self) -> PathBuf {
        self.folder.join("changing")
    }

    /// Locked while a clone is changed.
    fn change_lock(&self) -> PathBuf {
        self.folder.with_extension("change")
    }

    /// Shared by all users of a clone, and locked exclusively to remove it.
    fn use_lock(&self) -> PathBuf {
        self.folder.with_extension("use")
    }

    /// Contains the size of the clone in bytes; its age is the time since the last use.
    fn record(&self) -> PathBuf {
        self.folder.with_extension("size")
    }
}

impl Clones {
    /// Clones in a folder, which is created when needed.
    pub fn new(folder: PathBuf, limits: CloneLimits) -> Self {
        Self { folder, limits }
    }

    /// The limits.
    pub const fn limits(&self) -> &CloneLimits {
        &self.limits
    }

    /// The clone of an owner, such as an organization, and an address. Owners never share one.
    fn paths(&self, owner: &str, address: &str) -> ClonePaths {
        let mut hash = Sha256::new();
        // The length distinguishes pairs that are equal when joined.
        hash.update(owner.len().to_le_bytes());
        hash.update(owner);
        hash.update(address);
        ClonePaths { folder: self.folder.join(hex::encode(hash.finalize())) }
    }

    /// All clones.
    fn all(&self) -> impl Iterator<Item = ClonePaths> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let folders = entries.map(|entry| entry.path()).filter(|path| path.is_dir());
        folders.map(|folder| ClonePaths { folder })
    }

    /// Starts to use a clone. An empty one is created if there is none, or if the last fetch into it was killed.
    pub(crate) async fn open(
        &self,
        git: &Git,
        owner: &str,
        address: &str,
    ) -> Result<CloneInUse, GitError> {
        let paths = self.paths(owner, address);
        std::fs::create_dir_all(&self.folder)?;
        let changing = exclusive(&paths.change_lock()).await?;
        if paths.mark().exists() {
            repair(&paths)?;
        }
        std::fs::create_dir_all(paths.files())?;
        if !paths.repository().join("HEAD").is_file() {
            init(git, &paths.folder, &paths.repository()).await?;
        }
        let lock = shared(&paths.use_lock()).await?;
        drop(changing);
        Ok(CloneInUse { paths, limits: self.limits, _lock: lock })
    }
}

/// An empty repository, which is complete as soon as it exists.
async fn init(git: &Git, folder: &Path, target: &Path) -> Result<(), GitError> {
    let partial = tempfile::tempdir_in(folder)?;
    git.run(partial.path(), &["init", "--quiet", "--bare", "repository.git"]).await?;
    // The rest of a clone without a head is useless.
    remove(target)?;
    std::fs::rename(partial.path().join("repository.git"), target)?;
    Ok(())
}

/// Repairs a clone whose fetch or packing was killed: removes it, or, while others use it, the leftovers.
fn repair(paths: &ClonePaths) -> Result<(), GitError> {
    if let Some(_alone) = try_exclusive(&paths.use_lock())? {
        tracing::warn!("change of a clone interrupted; cloning again");
        remove(&paths.folder)?;
        return Ok(());
    }
    for repository in [paths.repository(), paths.history()] {
        remove_remains(&repository)?;
        remove_remains(&repository.join("objects/pack"))?;
    }
    std::fs::remove_file(paths.mark())?;
    Ok(())
}

/// Removes git's locks and half-written packs from a folder.
fn remove_remains(folder: &Path) -> std::io::Result<()> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if is_temporary(&name) || name.ends_with(".lock") {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Removes a folder with its contents, if it exists.
fn remove(folder: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

impl CloneInUse {
    /// The bare repository.
    pub(crate) fn repository(&self) -> PathBuf {
        self.paths.repository()
    }

    /// Its name, which owners never share.
    pub(crate) fn name(&self) -> String {
        let name = self.paths.folder.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Folder for the files of commits.
    pub(crate) fn files(&self) -> PathBuf {
        self.paths.files()
    }
}

/// Bytes below a folder. Files that are removed in the meantime count as nothing.
pub fn size(folder: &Path) -> u64 {
    let mut bytes = 0;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => folders.push(entry.path()),
                Ok(metadata) => bytes += metadata.len(),
                Err(_) => {}
            }
        }
    }
    bytes
}
