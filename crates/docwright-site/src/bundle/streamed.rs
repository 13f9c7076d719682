//! A bundle whose first files are written while the others are made.

use std::{
    io::{self, Write},
    path::Path,
    sync::{Mutex, OnceLock, PoisonError},
    thread::{self, JoinHandle},
};

use super::{About, BundleError, BundleWriter, archive_writer::ArchiveWriter, write::copy_member};
use crate::{
    output::Output,
    result_cache::{ContentName, ResultCache},
};

/// Writes the same bytes as [`BundleWriter`], but earlier: a thread copies the files that lead the archive, such as
/// images, while pages are rendered.
#[derive(Debug)]
pub struct StreamedBundle<W> {
    writer: BundleWriter,
    /// `None` once the thread has it.
    output: Mutex<Option<W>>,
    thread: OnceLock<JoinHandle<Result<ArchiveWriter<W>, BundleError>>>,
}

impl<W: Write + Send + 'static> StreamedBundle<W> {
    /// A bundle for `output`.
    pub fn new(writer: BundleWriter, output: W) -> Self {
        Self { writer, output: Mutex::new(Some(output)), thread: OnceLock::new() }
    }

    /// Writes the rest, and returns the output.
    pub fn finish(self, about: About) -> Result<W, BundleError> {
        let ended = || io::Error::other("the thread that writes the bundle ended");
        let output = self.output.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut archive = match self.thread.into_inner() {
            Some(thread) => thread.join().map_err(|_| ended())??,
            None => ArchiveWriter::new(output.ok_or_else(ended)?),
        };
        self.writer.add_to(&mut archive)?;
        Ok(archive.finish(about)?.1)
    }
}

impl<W: Write + Send + 'static> Output for StreamedBundle<W> {
    fn write(&self, path: &str, contents: &[u8]) -> io::Result<()> {
        self.writer.write(path, contents)
    }

    fn copy(&self, path: &str, from: &Path) -> io::Result<()> {
        self.writer.copy(path, from)
    }

    fn all_copied(&self) -> io::Result<()> {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(files) = output.as_ref().and_then(|_| self.writer.take_leading_early()) else {
            return Ok(());
        };
        let Some(output) = output.take() else { return Ok(()) };
        let cache = self.writer.shared_cache();
        let thread = thread::Builder::new().spawn(move || {
            let mut archive = ArchiveWriter::new(output);
            archive
                .add(files, |file, output| copy_member((None, cache.as_deref()), file, output))?;
            Ok(archive)
        })?;
        // There is one output, so one thread.
        let _ = self.thread.set(thread);
        Ok(())
    }

    fn cache(&self) -> Option<&ResultCache> {
        self.writer.cache()
    }

    fn write_named(&self, path: &str, contents: &[u8]) -> io::Result<Option<ContentName>> {
        self.writer.write_named(path, contents)
    }

    fn reuse(&self, path: &str, name: &ContentName) -> io::Result<bool> {
        self.writer.reuse(path, name)
    }

    fn contents(&self, name: &ContentName) -> Option<Vec<u8>> {
        self.writer.contents(name)
    }
}
