//! The clones of remote repositories, shared by the jobs of one organization.
//!
//! Owns where clones lie, that those in use stay, and how much room they take. Two processes can
//! work in one folder: what is in use is locked in the file system. Locks are taken in one order,
//! first the one for changing a clone, then the one for using it, then those of its commits. Leaves to
//! [`crate::checkout`] the files of a commit.

mod eviction;
mod fetch;
mod lock;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use sha2::{Digest, Sha256};

use crate::git::{Git, GitError};
pub(crate) use fetch::shown;
pub(crate) use lock::{exclusive, shared, try_exclusive};

/// How much room clones can take.
#[derive(Debug, Clone, Copy)]
pub struct CloneLimits {
    /// What git keeps of one repository, in bytes.
    pub clone_bytes: u64,
    /// All of them with the files of their commits, in bytes. The ones unused for longest are removed first.
    pub total_bytes: u64,
    /// A clone that was not used for this long is removed.
    pub age: Duration,
    /// How long one fetch can take.
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

/// A clone in use: nobody removes it until this is dropped.
#[derive(Debug)]
pub(crate) struct CloneInUse {
    paths: ClonePaths,
    limits: CloneLimits,
    _lock: std::fs::File,
}

/// Where the parts of a clone are.
#[derive(Debug, Clone)]
struct ClonePaths {
    /// Holds all parts but the locks, which outlive it.
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

    /// Is there while something is fetched. One that is left behind is of a process that was killed.
    fn mark(&self) -> PathBuf {
        self.folder.join("fetching")
    }

    /// Held while a clone is changed.
    fn change_lock(&self) -> PathBuf {
        self.folder.with_extension("change")
    }

    /// Held by all who use a clone, and alone by who removes it.
    fn use_lock(&self) -> PathBuf {
        self.folder.with_extension("use")
    }

    /// Holds the size of the clone in bytes; its age is the time since the last use.
    fn record(&self) -> PathBuf {
        self.folder.with_extension("size")
    }
}

impl Clones {
    /// Clones in a folder, which is made when it is needed.
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
        // The length keeps two pairs apart that read the same when joined.
        hash.update(owner.len().to_le_bytes());
        hash.update(owner);
        hash.update(address);
        ClonePaths { folder: self.folder.join(hex::encode(hash.finalize())) }
    }

    /// Takes a clone into use. An empty one is made if there is none, or if the last fetch into it
    /// was killed half way.
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

/// An empty repository, which is complete as soon as it is there.
async fn init(git: &Git, folder: &Path, target: &Path) -> Result<(), GitError> {
    let partial = tempfile::tempdir_in(folder)?;
    git.run(partial.path(), &["init", "--quiet", "--bare", "repository.git"]).await?;
    // What is left of a clone without a head is of no use.
    remove(target)?;
    std::fs::rename(partial.path().join("repository.git"), target)?;
    Ok(())
}

/// Brings a clone into order whose fetch was killed half way: it is removed, or, while others use
/// what it holds already, freed of what the fetch left behind.
fn repair(paths: &ClonePaths) -> Result<(), GitError> {
    if let Some(_alone) = try_exclusive(&paths.use_lock())? {
        tracing::warn!("fetch interrupted; creating the clone again");
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
        if name.starts_with("tmp_") || name.ends_with(".lock") {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Removes a folder with all that it holds, if it is there.
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

    /// Where files of commits go.
    pub(crate) fn files(&self) -> PathBuf {
        self.paths.files()
    }
}

/// Bytes below a folder. What is removed meanwhile counts nothing.
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
