//! Lines in files of a folder, where they wait for what they are for. The folder has a limit of bytes, and the oldest
//! file makes room. A file that was cut is read up to the cut.
//!
//! A process only adds to a file that it created. It locks the file until it closes it, so another process with the same
//! folder takes only files whose process is gone. The system unlocks the files of a process that is killed.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Ending of the names of files, which are a number and a random one.
const ENDING: &str = "lines";

/// Limits of a folder, and how safe its lines are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Bytes of all files.
    pub(super) bytes: u64,
    /// Bytes of a file, after which another one is created.
    pub(super) file_bytes: u64,
    /// Whether lines must outlast a power cut. They always outlast the process.
    pub(super) is_synced: bool,
}

/// A folder of waiting lines.
#[derive(Debug)]
pub(super) struct Spool {
    folder: PathBuf,
    limits: Limits,
    open: Mutex<Option<OpenFile>>,
}

/// The file that this process adds to.
#[derive(Debug)]
struct OpenFile {
    path: PathBuf,
    file: File,
    length: u64,
}

/// A file whose lines are waiting. It is locked until it is dropped.
#[derive(Debug)]
pub(super) struct Waiting {
    path: PathBuf,
    file: File,
}

impl Spool {
    /// The spool of a folder, which is created when a line waits.
    pub(super) fn new(folder: PathBuf, limits: Limits) -> Self {
        Self { folder, limits, open: Mutex::default() }
    }

    /// Adds lines, which end with a line break, all or none. Returns the number of bytes that were dropped to make
    /// room.
    pub(super) fn add(&self, lines: &[u8]) -> io::Result<u64> {
        let mut open = self.open();
        if open.as_ref().is_some_and(|open| open.length >= self.limits.file_bytes) {
            *open = None;
        }
        let dropped = self.make_room(lines.len() as u64, open.as_ref())?;
        let mut current = match open.take() {
            Some(open) => open,
            None => self.create()?,
        };
        let mut written = current.file.write_all(lines);
        if self.limits.is_synced {
            written = written.and_then(|()| current.file.sync_data());
        }
        match written {
            Ok(()) => {
                current.length += lines.len() as u64;
                *open = Some(current);
                Ok(dropped)
            }
            Err(error) => {
                // A part of a line must not come before another one: without this, another file is created.
                if current.length > 0 && current.file.set_len(current.length).is_ok() {
                    *open = Some(current);
                } else if current.length == 0 {
                    let _left = fs::remove_file(&current.path);
                }
                Err(error)
            }
        }
    }

    /// The oldest file with waiting lines, if no other process has it. `is_finished` is whether the file that this
    /// process adds to counts, too.
    pub(super) fn oldest(&self, is_finished: bool) -> io::Result<Option<Waiting>> {
        let mut open = self.open();
        for (path, _) in self.files()? {
            if open.as_ref().is_some_and(|open| open.path == path) {
                if !is_finished {
                    continue;
                }
                *open = None;
            }
            if let Some(waiting) = Waiting::open(path)? {
                return Ok(Some(waiting));
            }
        }
        Ok(None)
    }

    /// Bytes that are waiting.
    pub(super) fn bytes(&self) -> io::Result<u64> {
        Ok(self.files()?.iter().map(|(_, bytes)| bytes).sum())
    }

    /// Removes the oldest files until there is room. Returns the number of their bytes.
    fn make_room(&self, needed: u64, open: Option<&OpenFile>) -> io::Result<u64> {
        let files = self.files()?;
        let mut bytes = files.iter().map(|(_, bytes)| bytes).sum::<u64>();
        let mut dropped = 0;
        for (path, length) in files {
            if bytes + needed <= self.limits.bytes {
                break;
            }
            let is_own = open.is_some_and(|open| open.path == path);
            if !is_own && let Some(waiting) = Waiting::open(path)? {
                waiting.remove()?;
                bytes -= length;
                dropped += length;
            }
        }
        Ok(dropped)
    }

    fn create(&self) -> io::Result<OpenFile> {
        create_private(&self.folder)?;
        let last = self.files()?.pop();
        let last = last.and_then(|(path, _)| name_of(&path).split('-').next()?.parse::<u64>().ok());
        let number = last.unwrap_or_default() + 1;
        let name = format!("{number:010}-{:016x}.{ENDING}", rand::random::<u64>());
        let path = self.folder.join(name);
        let file = OpenOptions::new().append(true).create_new(true).open(&path)?;
        file.lock()?;
        // The name must last as long as the lines.
        #[cfg(unix)]
        File::open(&self.folder)?.sync_all()?;
        Ok(OpenFile { path, file, length: 0 })
    }

    /// The files with their lengths, the oldest first.
    fn files(&self) -> io::Result<Vec<(PathBuf, u64)>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut files = Vec::new();
        for entry in entries {
            let path = entry?.path();
            // Another process can remove it in the meantime.
            if path.extension().is_some_and(|ending| ending == ENDING)
                && let Ok(found) = fs::metadata(&path)
            {
                files.push((path, found.len()));
            }
        }
        files.sort_unstable();
        Ok(files)
    }

    fn open(&self) -> MutexGuard<'_, Option<OpenFile>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// `None` if another process has the file, or removed it.
    fn open(path: PathBuf) -> io::Result<Option<Self>> {
        let file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // The process that had it until now can have removed it.
        Ok(path.exists().then_some(Self { path, file }))
    }

    /// Name of the file, which no other file ever has.
    pub(super) fn name(&self) -> &str {
        name_of(&self.path)
    }

    /// The whole lines.
    pub(super) fn lines(&mut self) -> io::Result<Vec<u8>> {
        let mut lines = Vec::new();
        self.file.read_to_end(&mut lines)?;
        let whole = lines.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        if whole < lines.len() {
            tracing::warn!(
                path = %self.path.display(), bytes = lines.len() - whole,
                "file of waiting analytics cut; its last line is left out"
            );
            lines.truncate(whole);
        }
        Ok(lines)
    }

    /// Removes the file: its lines are where they belong.
    pub(super) fn remove(self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }
}

fn name_of(path: &Path) -> &str {
    path.file_stem().and_then(|name| name.to_str()).unwrap_or_default()
}

/// Creates a folder that only its owner can read.
fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spool(folder: &Path) -> Spool {
        Spool::new(folder.join("spool"), Limits { bytes: 100, file_bytes: 20, is_synced: true })
    }

    /// Takes all lines.
    fn taken(spool: &Spool) -> Vec<String> {
        let mut all = Vec::new();
        while let Some(mut waiting) = spool.oldest(true).unwrap() {
            let lines = String::from_utf8(waiting.lines().unwrap()).unwrap();
            all.extend(lines.lines().map(str::to_owned));
            waiting.remove().unwrap();
        }
        all
    }

    #[test]
    fn lines_wait_in_order_across_processes() {
        let folder = tempfile::tempdir().unwrap();
        let before = spool(folder.path());
        assert!(before.oldest(true).unwrap().is_none() && before.bytes().unwrap() == 0);
        for line in ["one\n", "two\nthree\n", "0123456789\n", "four\n"] {
            assert_eq!(before.add(line.as_bytes()).unwrap(), 0);
        }
        // Another process sees only the file that is closed.
        let beside = spool(folder.path());
        let first = beside.oldest(true).unwrap().unwrap();
        assert!(before.oldest(false).unwrap().is_none(), "the file is locked");
        assert!(beside.add(b"five\n").is_ok(), "it has files of its own");
        drop(first);
        drop(before);
        let all = taken(&beside);
        assert_eq!(all, ["one", "two", "three", "0123456789", "four", "five"]);
        assert_eq!((taken(&beside).len(), beside.bytes().unwrap()), (0, 0));
    }

    #[test]
    fn oldest_lines_make_room() {
        let folder = tempfile::tempdir().unwrap();
        let spool = spool(folder.path());
        let dropped = (0..40).map(|number| spool.add(format!("line-{number:03}\n").as_bytes()));
        let dropped: u64 = dropped.map(Result::unwrap).sum();
        assert!(spool.bytes().unwrap() <= 100);
        let all = taken(&spool);
        assert_eq!(all.len() as u64 * 9 + dropped, 40 * 9, "each line is there or dropped");
        assert_eq!(all.last().unwrap(), "line-039");
        assert_eq!(all[0], format!("line-{:03}", 40 - all.len()), "the oldest are gone");
    }

    #[test]
    fn cut_file_is_read_up_to_the_cut() {
        let folder = tempfile::tempdir().unwrap();
        let before = spool(folder.path());
        before.add(b"one\ntwo\nthree\n").unwrap();
        drop(before);
        let spool = spool(folder.path());
        let (path, length) = spool.files().unwrap().remove(0);
        File::options().write(true).open(path).unwrap().set_len(length - 3).unwrap();
        // Lines of this process are in another file.
        spool.add(b"four\n").unwrap();
        assert_eq!(taken(&spool), ["one", "two", "four"]);
    }
}
