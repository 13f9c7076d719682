//! Destinations of a built site.

use std::{
    collections::BTreeMap,
    io,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{
    options::OutputLimits,
    result_cache::{ContentName, ResultCache},
};

/// Receives the files of a site when they are ready, from several threads, in no particular order.
pub trait Output: Sync {
    /// Stores one file. `path` is relative, uses `/`, and never contains `.` or `..` parts.
    fn write(&self, path: &str, contents: &[u8]) -> io::Result<()>;

    /// Stores a copy of a file on disk; the default reads it whole.
    fn copy(&self, path: &str, from: &Path) -> io::Result<()> {
        self.write(path, &std::fs::read(from)?)
    }

    /// No file on disk will be copied any more, so the output can begin to use the copied ones.
    fn all_copied(&self) -> io::Result<()> {
        Ok(())
    }

    /// Results of earlier builds, if the output has any.
    fn cache(&self) -> Option<&ResultCache> {
        None
    }

    /// Stores one file, and returns the name by which [`reuse`](Self::reuse) finds its contents in a later build, if
    /// they are in the cache.
    fn write_named(&self, path: &str, contents: &[u8]) -> io::Result<Option<ContentName>> {
        self.write(path, contents).map(|()| None)
    }

    /// Stores a file with contents of an earlier build. Returns `false`, and stores nothing, if they aren't in the
    /// cache.
    fn reuse(&self, _path: &str, _name: &ContentName) -> io::Result<bool> {
        Ok(false)
    }

    /// The contents of a file of an earlier build, if they are in the cache.
    fn contents(&self, _name: &ContentName) -> Option<Vec<u8>> {
        None
    }
}

/// Keeps every file in memory: for tests and the preview.
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

/// Passes files on until a limit is reached.
pub struct Limited<'a> {
    output: &'a dyn Output,
    limits: OutputLimits,
    bytes: AtomicU64,
    files: AtomicU64,
}

impl<'a> Limited<'a> {
    /// Passes on files within the limits.
    pub fn new(output: &'a dyn Output, limits: OutputLimits) -> Self {
        Self { output, limits, bytes: AtomicU64::new(0), files: AtomicU64::new(0) }
    }

    /// The exceeded limit as a text; `None` if all were kept.
    pub fn exceeded(&self) -> Option<String> {
        let OutputLimits { bytes, files } = self.limits;
        if self.bytes.load(Ordering::Relaxed) > bytes {
            return Some(format!("is larger than {} MiB", bytes / 1024 / 1024));
        }
        (self.files.load(Ordering::Relaxed) > files).then(|| format!("has more than {files} files"))
    }

    /// Counts a file before it is written, so that nothing is written beyond a limit.
    fn count(&self, length: u64) -> io::Result<()> {
        let add = |counter: &AtomicU64, more: u64| {
            let counted = |sum: u64| Some(sum.saturating_add(more));
            let before = counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, counted);
            before.unwrap_or_else(|sum| sum).saturating_add(more)
        };
        let (bytes, files) = (add(&self.bytes, length), add(&self.files, 1));
        let is_within = bytes <= self.limits.bytes && files <= self.limits.files;
        if is_within { Ok(()) } else { Err(io::ErrorKind::FileTooLarge.into()) }
    }
}

impl Output for Limited<'_> {
    fn write(&self, path: &str, contents: &[u8]) -> io::Result<()> {
        self.count(contents.len() as u64)?;
        self.output.write(path, contents)
    }

    fn copy(&self, path: &str, from: &Path) -> io::Result<()> {
        self.count(std::fs::metadata(from)?.len())?;
        self.output.copy(path, from)
    }

    fn all_copied(&self) -> io::Result<()> {
        self.output.all_copied()
    }

    fn cache(&self) -> Option<&ResultCache> {
        self.output.cache()
    }

    fn write_named(&self, path: &str, contents: &[u8]) -> io::Result<Option<ContentName>> {
        self.count(contents.len() as u64)?;
        self.output.write_named(path, contents)
    }

    fn reuse(&self, path: &str, name: &ContentName) -> io::Result<bool> {
        let is_reused = self.output.reuse(path, name)?;
        if is_reused {
            self.count(name.size)?;
        }
        Ok(is_reused)
    }

    fn contents(&self, name: &ContentName) -> Option<Vec<u8>> {
        self.output.contents(name)
    }
}

/// Discards all files: for checks, which need only the diagnostics.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_stops_at_limit() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("from"), "abc").unwrap();
        for (limits, words) in [
            (OutputLimits { bytes: 5, files: 9 }, "is larger than 0 MiB"),
            (OutputLimits { bytes: 9, files: 1 }, "has more than 1 files"),
        ] {
            let memory = Memory::default();
            let output = Limited::new(&memory, limits);
            output.write("a", b"abc").unwrap();
            assert_eq!(output.exceeded(), None);
            output.copy("b", &folder.path().join("from")).unwrap_err();
            assert_eq!(output.exceeded().as_deref(), Some(words));
            assert_eq!(memory.into_files().len(), 1);
        }
    }
}
