//! Reads parts of a file from several threads in parallel, without a shared position.

use std::{
    fs::File,
    io::{self, Read},
    sync::Arc,
};

use super::Bundle;

/// Bytes that can be read at any offset.
pub(super) trait ReadAt {
    /// Reads from an offset up to the end or the buffer's size.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;
}

impl ReadAt for File {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::read_at(self, buffer, offset);
        #[cfg(windows)]
        return std::os::windows::fs::FileExt::seek_read(self, buffer, offset);
    }
}

impl<S: ReadAt> ReadAt for &S {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        (**self).read_at(offset, buffer)
    }
}

impl ReadAt for Arc<Bundle> {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        Bundle::read_at(self, offset, buffer)
    }
}

/// A part of a file, read from its start to its end.
#[derive(Debug)]
pub(super) struct Section<S> {
    source: S,
    next: u64,
    end: u64,
}

impl<S: ReadAt> Section<S> {
    /// The part from an offset with a length that doesn't exceed 2^64 from there.
    pub(super) fn new(source: S, offset: u64, length: u64) -> Self {
        Self { source, next: offset, end: offset.saturating_add(length) }
    }
}

impl<S: ReadAt> Read for Section<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end - self.next).unwrap_or(usize::MAX);
        let fits = buffer.len().min(left);
        let read = self.source.read_at(self.next, &mut buffer[..fits])?;
        self.next += read as u64;
        Ok(read)
    }
}
