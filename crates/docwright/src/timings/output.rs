//! Measures what an output does with files.

use std::{io, path::Path, time::Instant};

use docwright_site::{
    output::Output,
    result_cache::{ContentName, ResultCache},
};

use super::Timings;

/// Passes files on, and measures how long that takes.
pub(crate) struct TimedOutput<'t> {
    output: &'t dyn Output,
    timings: &'t Timings,
}

impl<'t> TimedOutput<'t> {
    /// Passes files on to an output.
    pub(crate) const fn new(output: &'t dyn Output, timings: &'t Timings) -> Self {
        Self { output, timings }
    }

    fn timed<T>(&self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let result = work();
        self.timings.add(name, began.elapsed());
        result
    }
}

impl Output for TimedOutput<'_> {
    fn write(&self, path: &str, contents: &[u8]) -> io::Result<()> {
        self.timed("store", || self.output.write(path, contents))
    }

    fn copy(&self, path: &str, from: &Path) -> io::Result<()> {
        self.timed("copy", || self.output.copy(path, from))
    }

    fn all_copied(&self) -> io::Result<()> {
        self.output.all_copied()
    }

    fn cache(&self) -> Option<&ResultCache> {
        self.output.cache()
    }

    fn write_named(&self, path: &str, contents: &[u8]) -> io::Result<Option<ContentName>> {
        self.timed("store", || self.output.write_named(path, contents))
    }

    fn reuse(&self, path: &str, name: &ContentName) -> io::Result<bool> {
        self.timed("reuse", || self.output.reuse(path, name))
    }

    fn contents(&self, name: &ContentName) -> Option<Vec<u8>> {
        self.timed("inflate", || self.output.contents(name))
    }
}
