//! The file of a cache: its lock, and reading and writing at offsets, without a shared position.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

/// Opens the file, creating it if needed, and whether this process can add entries: it has the lock, and the file
/// wasn't replaced in the meantime. What can't be written can still be read; the error says why it can't be written.
pub(super) fn open(path: &Path) -> io::Result<(File, io::Result<bool>)> {
    match File::options().read(true).write(true).create(true).truncate(false).open(path) {
        Ok(file) => {
            let is_writer = file.try_lock().is_ok() && is_at(path, &file);
            Ok((file, Ok(is_writer)))
        }
        Err(error) => match File::open(path) {
            Ok(file) => Ok((file, Err(error))),
            Err(_) => Err(error),
        },
    }
}

/// Puts a new, empty file in the place of another one. Only the process with the lock of the other one calls this.
pub(super) fn replace(path: &Path) -> io::Result<(File, bool)> {
    let new = temporary(path);
    let file = File::options().read(true).write(true).create(true).truncate(true).open(&new)?;
    let is_writer = file.try_lock().is_ok();
    write_all_at(&file, 0, &super::index::empty_header())?;
    fs::rename(new, path)?;
    Ok((file, is_writer))
}

/// Where a new file is written before it takes the place of the other one.
pub(super) fn temporary(path: &Path) -> PathBuf {
    path.with_added_extension("new")
}

/// Whether a path still leads to an open file.
#[cfg(unix)]
fn is_at(path: &Path, file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    let of = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (fs::metadata(path), file.metadata()) {
        (Ok(named), Ok(open)) => of(named) == of(open),
        _ => false,
    }
}

/// Whether a path still leads to an open file. Other systems don't replace files that are open.
#[cfg(not(unix))]
fn is_at(_path: &Path, _file: &File) -> bool {
    true
}

/// Reads `length` bytes at an offset.
pub(super) fn read_at(file: &File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    let mut read = 0;
    while read < bytes.len() {
        match read_some(file, offset + read as u64, &mut bytes[read..]) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(more) => read += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(bytes)
}

/// Writes bytes at an offset.
pub(super) fn write_all_at(file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    let mut written = 0;
    while written < bytes.len() {
        match write_some(file, offset + written as u64, &bytes[written..]) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(more) => written += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(unix)]
fn read_some(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_some(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

#[cfg(unix)]
fn write_some(file: &File, offset: u64, bytes: &[u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::write_at(file, bytes, offset)
}

#[cfg(windows)]
fn write_some(file: &File, offset: u64, bytes: &[u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_write(file, bytes, offset)
}
