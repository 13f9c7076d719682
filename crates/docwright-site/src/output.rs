//! Where a built site goes.

use std::{
    collections::{BTreeMap, HashSet},
    io,
    path::{Path, PathBuf},
    sync::Mutex,
};

/// Takes the files of a site as they are made, from several threads, in no particular order.
pub trait Output: Sync {
    /// Stores one file. `path` is relative, uses `/`, and never contains `.` or `..` parts.
    fn write(&self, path: &str, contents: &[u8]) -> io::Result<()>;

    /// Stores a copy of a file on disk; the default reads it whole.
    fn copy(&self, path: &str, from: &Path) -> io::Result<()> {
        self.write(path, &std::fs::read(from)?)
    }
}

/// Writes below a folder, which it creates as needed.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    /// Folders known to exist: asking again for each file makes threads wait for each other.
    made: Mutex<HashSet<PathBuf>>,
}

impl Folder {
    /// An output below `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), made: Mutex::default() }
    }

    fn prepare(&self, path: &str) -> io::Result<PathBuf> {
        let target = self.root.join(path);
        let Some(parent) = target.parent() else { return Ok(target) };
        let known = self.made.lock().is_ok_and(|made| made.contains(parent));
        if !known {
            std::fs::create_dir_all(parent)?;
            if let Ok(mut made) = self.made.lock() {
                made.insert(parent.to_owned());
            }
        }
        Ok(target)
    }
}

impl Output for Folder {
    fn write(&self, path: &str, contents: &[u8]) -> io::Result<()> {
        std::fs::write(self.prepare(path)?, contents)
    }

    fn copy(&self, path: &str, from: &Path) -> io::Result<()> {
        std::fs::copy(from, self.prepare(path)?).map(drop)
    }
}

/// Keeps every file in memory: for tests and the live preview.
#[derive(Debug, Default)]
pub struct Memory {
    files: Mutex<BTreeMap<String, Vec<u8>>>,
}

impl Memory {
    /// The files written so far, by path.
    pub fn into_files(self) -> BTreeMap<String, Vec<u8>> {
        self.files.into_inner().unwrap_or_default()
    }
}

impl Output for Memory {
    fn write(&self, path: &str, contents: &[u8]) -> io::Result<()> {
        if let Ok(mut files) = self.files.lock() {
            files.insert(path.to_owned(), contents.to_vec());
        }
        Ok(())
    }
}

/// Drops every file: for checks, which want the diagnostics only.
#[derive(Debug)]
pub struct Discard;

impl Output for Discard {
    fn write(&self, _path: &str, _contents: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn copy(&self, _path: &str, _from: &Path) -> io::Result<()> {
        Ok(())
    }
}
