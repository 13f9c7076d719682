//! Sketches of visitors that wait in a file while the database is away, so a process that is killed doesn't lose them.
//!
//! A sketch says how many visitors there were. The file has only the last state of each one, without a time: two states
//! beside the sums of their seconds would say which pages a new visitor read. The key of the day is in another folder,
//! or encrypted in the database.
//!
//! Merging a sketch twice changes nothing. So a file needs no lock: the process that finds it merges it, and its process writes
//! it again.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

use docwright_storage::database::VisitorSketch;
use docwright_types::{analytics::Reader, timestamp::Timestamp};
use serde::{Deserialize, Serialize};

use super::visitors::Changed;

/// Most bytes of the file of a process. One with more sites keeps the rest in memory.
const MAXIMUM_BYTES: usize = 16 * 1024 * 1024;
/// Ending of files with sketches, and of files that are being written or merged.
const ENDING: &str = "sketches";
const PARTIAL: &str = "partial";
const TAKEN: &str = "taken";

/// The files of a folder.
#[derive(Debug)]
pub(super) struct WaitingVisitors {
    folder: PathBuf,
    /// Name of the file of this process.
    name: String,
    /// Whether files of this process, or of earlier ones, can be there.
    can_wait: AtomicBool,
}

/// A waiting sketch.
#[derive(Debug, Serialize, Deserialize)]
struct WaitingSketch {
    domain: String,
    day: Timestamp,
    reader: Reader,
    registers: VisitorSketch,
}

/// A file whose sketches are read.
#[derive(Debug)]
pub(super) struct TakenVisitors {
    path: PathBuf,
    pub(super) sketches: Vec<Changed>,
}

impl WaitingVisitors {
    /// The files of a folder, which is created when a sketch waits.
    pub(super) fn new(folder: PathBuf) -> Self {
        let name = format!("{:016x}", rand::random::<u64>());
        Self { folder, name, can_wait: AtomicBool::new(true) }
    }

    /// Lets sketches wait instead of those that waited so far: all that aren't in the database. They outlast a power
    /// cut.
    pub(super) fn keep(&self, sketches: &[Changed]) -> io::Result<()> {
        let mut lines = Vec::new();
        for ((domain, day, reader), registers) in sketches {
            let (domain, registers) = (domain.clone(), registers.clone());
            let waiting = WaitingSketch { domain, day: *day, reader: *reader, registers };
            serde_json::to_writer(&mut lines, &waiting)?;
            lines.push(b'\n');
            if lines.len() > MAXIMUM_BYTES {
                break;
            }
        }
        fs::create_dir_all(&self.folder)?;
        let path = self.folder.join(&self.name).with_extension(ENDING);
        let partial = path.with_extension(PARTIAL);
        let written = File::create(&partial).and_then(|mut file| {
            // The lock says that its process isn't gone.
            file.try_lock()?;
            file.write_all(&lines)?;
            file.sync_data()
        });
        if let Err(error) = written.and_then(|()| fs::rename(&partial, &path)) {
            let _left = fs::remove_file(&partial);
            return Err(error);
        }
        self.can_wait.store(true, Relaxed);
        Ok(())
    }

    /// A file with waiting sketches, of this process or another one; `None` if there is none.
    pub(super) fn take(&self) -> io::Result<Option<TakenVisitors>> {
        if !self.can_wait.load(Relaxed) {
            return Ok(None);
        }
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.can_wait.store(false, Relaxed);
                return Ok(None);
            }
            entries => entries?,
        };
        for entry in entries {
            let path = entry?.path();
            let ending = path.extension().and_then(|ending| ending.to_str());
            let taken = match ending {
                // Its process is writing the next state. That must not be removed with this one.
                Some(ENDING) => path.with_extension(TAKEN),
                // The process that took it was interrupted.
                Some(TAKEN) => path.clone(),
                Some(PARTIAL) => {
                    remove_left(&path);
                    continue;
                }
                _ => continue,
            };
            let text = match fs::rename(&path, &taken).and_then(|()| fs::read(&taken)) {
                // Another process was faster.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                text => text?,
            };
            let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            let sketches = lines.filter_map(|line| {
                let read = serde_json::from_slice::<WaitingSketch>(line);
                let waiting = read.inspect_err(|error| {
                    tracing::warn!(%error, "waiting sketch of visitors damaged; left out");
                });
                let WaitingSketch { domain, day, reader, registers } = waiting.ok()?;
                Some(((domain, day, reader), registers))
            });
            return Ok(Some(TakenVisitors { path: taken, sketches: sketches.collect() }));
        }
        self.can_wait.store(false, Relaxed);
        Ok(None)
    }
}

/// Removes a file whose process is gone while it wrote it.
fn remove_left(path: &Path) {
    if File::open(path).is_ok_and(|file| file.try_lock().is_ok()) {
        let _left = fs::remove_file(path);
    }
}

impl TakenVisitors {
    /// Removes the file, once its sketches are in the database.
    pub(super) fn remove(self) -> io::Result<()> {
        match fs::remove_file(self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use docwright_types::timestamp::DAY;

    use super::*;

    fn sketch(hashes: &[u64]) -> Changed {
        let mut sketch = VisitorSketch::default();
        for hash in hashes {
            sketch.add(hash.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        }
        (("a.example".to_owned(), DAY, Reader::Human), sketch)
    }

    #[test]
    fn last_state_waits_until_it_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("visitors");
        let new = || WaitingVisitors::new(folder.clone());
        let one = new();
        assert!(one.take().unwrap().is_none());
        one.keep(&[sketch(&[1])]).unwrap();
        one.keep(&[sketch(&[1, 2])]).unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "one state of one process");
        // Another process takes it, and is interrupted. Its own process writes the next state meanwhile.
        let taken = new().take().unwrap().unwrap();
        assert_eq!(taken.sketches, [sketch(&[1, 2])]);
        one.keep(&[sketch(&[1, 2, 3])]).unwrap();
        let next = new();
        let mut all = Vec::new();
        while let Some(taken) = next.take().unwrap() {
            all.extend(taken.sketches.clone());
            taken.remove().unwrap();
        }
        assert!(all.contains(&sketch(&[1, 2, 3])), "{all:?}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        // So is a file that no process writes.
        fs::write(folder.join("x.partial"), "x").unwrap();
        assert!(new().take().unwrap().is_none());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        // A cut line is left out.
        let text = serde_json::to_string(&WaitingSketch {
            domain: "a.example".to_owned(),
            day: DAY,
            reader: Reader::Human,
            registers: sketch(&[5]).1,
        });
        let text = text.unwrap();
        fs::write(folder.join("x.sketches"), format!("{text}\n{}", &text[..20])).unwrap();
        assert_eq!(new().take().unwrap().unwrap().sketches, [sketch(&[5])]);
    }
}
