//! An output that takes a limited number of bytes.

use std::{
    io,
    path::Path,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};

use docwright_site::output::Output;

use super::Failure;

/// Passes files on until a number of bytes is reached. A few lines can include one file in
/// every page, so the size of a repository does not limit the size of its site.
pub(super) struct Limited<'a> {
    output: &'a dyn Output,
    left: AtomicU64,
    maximum: u64,
    is_full: AtomicBool,
}

impl<'a> Limited<'a> {
    /// Passes at most `maximum` bytes on.
    pub(super) fn new(output: &'a dyn Output, maximum: u64) -> Self {
        let (left, is_full) = (AtomicU64::new(maximum), AtomicBool::new(false));
        Self { output, left, maximum, is_full }
    }

    /// Why nothing more was written, if the limit is the reason.
    pub(super) fn explain(&self) -> Option<Failure> {
        let mebibytes = self.maximum / 1024 / 1024;
        self.is_full.load(Ordering::Relaxed).then(|| {
            Failure::lasting(format!(
                "the site is larger than {mebibytes} MiB, the limit; look for text that is included in many pages"
            ))
        })
    }

    fn take(&self, bytes: u64) -> io::Result<()> {
        let left = |left: u64| left.checked_sub(bytes);
        if self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left).is_err() {
            self.is_full.store(true, Ordering::Relaxed);
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(())
    }
}

impl Output for Limited<'_> {
    fn write(&self, path: &str, contents: &[u8]) -> io::Result<()> {
        self.take(contents.len() as u64)?;
        self.output.write(path, contents)
    }

    fn copy(&self, path: &str, from: &Path) -> io::Result<()> {
        self.take(std::fs::metadata(from)?.len())?;
        self.output.copy(path, from)
    }
}

#[cfg(test)]
mod tests {
    use docwright_site::output::Folder;

    use super::*;

    #[test]
    fn it_is_full_at_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let written = Folder::new(folder.path());
        let output = Limited::new(&written, 5);
        output.write("a", b"abc").unwrap();
        output.copy("b", &folder.path().join("a")).unwrap_err();
        let failure = output.explain().unwrap();
        assert!(!failure.may_pass && failure.message.contains("larger than"), "{failure:?}");
        assert!(!folder.path().join("b").exists());
    }
}
