//! Files as they were at some time.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    time::SystemTime,
};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Stamp;

/// Files as they were, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The files.
    pub files: Vec<SeenFile>,
}

/// A file as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenFile {
    /// Its path, as the one who took the snapshot names it.
    pub path: String,
    /// Its stamp, which was read before the contents.
    pub stamp: Stamp,
    /// Whether any later change gives it another stamp.
    pub is_settled: bool,
    /// SHA-256 of the contents. A file that isn't settled needs it.
    pub contents: Option<[u8; 32]>,
}

/// A file that is on disk now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileOnDisk {
    /// Its path in snapshots.
    pub path: String,
    /// Where it is.
    pub place: PathBuf,
    /// Its stamp.
    pub stamp: Stamp,
}

impl FileOnDisk {
    /// The file at a place, or what a link there leads to.
    pub fn at(place: &Path, path: String) -> io::Result<Self> {
        let stamp = Stamp::of(&fs::metadata(place)?);
        Ok(Self { path, place: place.to_owned(), stamp })
    }
}

impl Snapshot {
    /// The snapshot of the present files, if they are those of this one with the same contents. More of them can be settled
    /// now. `None` if they changed, or can't be read.
    pub fn again(&self, present: &[FileOnDisk], now: SystemTime) -> Option<Self> {
        if present.len() != self.files.len() {
            return None;
        }
        let pairs = self.files.par_iter().zip(present);
        let files = pairs.map(|(before, present)| before.again(present, now));
        Some(Self { files: files.collect::<Option<_>>()? })
    }

    /// Whether all files are settled, so that the next comparison reads none.
    pub fn is_settled(&self) -> bool {
        self.files.iter().all(|file| file.is_settled)
    }
}

impl SeenFile {
    fn again(&self, present: &FileOnDisk, now: SystemTime) -> Option<Self> {
        let is_same = self.path == present.path && self.stamp == present.stamp;
        let is_same = is_same && (self.is_settled || self.has_contents(&present.place));
        let is_settled = self.stamp.is_settled(now);
        is_same.then(|| Self { is_settled: self.is_settled || is_settled, ..self.clone() })
    }

    fn has_contents(&self, place: &Path) -> bool {
        let found = self.contents.and_then(|_| hash_of(place).ok());
        found.is_some() && found == self.contents
    }
}

/// SHA-256 of the contents of a file.
pub fn hash_of(place: &Path) -> io::Result<[u8; 32]> {
    let mut file = File::open(place)?;
    let length = file.metadata()?.len().clamp(1024, 256 * 1024);
    let mut buffer = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    let mut hash = Sha256::new();
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hash.finalize().into()),
            Ok(read) => hash.update(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Duration;

    use super::*;

    struct Files(tempfile::TempDir);

    impl Files {
        fn new() -> Self {
            let files = Self(tempfile::tempdir().unwrap());
            files.write("a", "one");
            files.write("b", "two");
            files
        }

        fn write(&self, name: &str, text: &str) {
            fs::write(self.0.path().join(name), text).unwrap();
        }

        fn present(&self, names: &[&str]) -> Vec<FileOnDisk> {
            let file = |name: &&str| {
                FileOnDisk::at(&self.0.path().join(name), (*name).to_owned()).unwrap()
            };
            names.iter().map(file).collect()
        }

        /// A snapshot of `a` and `b` at some time after they were written.
        fn seen(&self, seconds: u64) -> Snapshot {
            let now = later(&self.0.path().join("b"), seconds);
            let see = |FileOnDisk { path, place, stamp }| {
                let contents = Some(hash_of(&place).unwrap());
                SeenFile { path, stamp, is_settled: stamp.is_settled(now), contents }
            };
            Snapshot { files: self.present(&["a", "b"]).into_iter().map(see).collect() }
        }
    }

    fn later(path: &Path, seconds: u64) -> SystemTime {
        fs::metadata(path).unwrap().modified().unwrap() + Duration::from_secs(seconds)
    }

    #[test]
    fn unchanged_files_are_the_same_and_settle() {
        let files = Files::new();
        let fresh = files.seen(0);
        assert!(!fresh.is_settled());
        let (present, place) = (files.present(&["a", "b"]), files.0.path().join("b"));
        assert_eq!(fresh.again(&present, later(&place, 0)), Some(fresh.clone()));
        let settled = fresh.again(&present, later(&place, 60)).unwrap();
        assert!(settled.is_settled());
        assert_eq!(settled.again(&present, later(&place, 61)), Some(settled.clone()));
    }

    #[test]
    fn any_other_list_is_another_snapshot() {
        let files = Files::new();
        files.write("c", "two");
        let now = later(&files.0.path().join("b"), 60);
        for names in [&["a"][..], &["b", "a"], &["a", "c"], &["a", "b", "c"]] {
            assert_eq!(files.seen(60).again(&files.present(names), now), None, "{names:?}");
        }
    }

    #[test]
    fn contents_decide_while_the_stamp_is_not_settled() {
        let files = Files::new();
        let present = files.present(&["a", "b"]);
        let now = later(&files.0.path().join("b"), 60);
        // As if a change of the same length had left the stamp as it was.
        let with_other_contents = |mut snapshot: Snapshot| {
            snapshot.files[0].contents = Some([7; 32]);
            snapshot
        };
        assert_eq!(with_other_contents(files.seen(0)).again(&present, now), None);
        assert!(with_other_contents(files.seen(60)).again(&present, now).is_some());
        let mut unknown = files.seen(0);
        unknown.files[0].contents = None;
        assert_eq!(unknown.again(&present, now), None);
    }

    #[test]
    fn written_touched_and_replaced_files_have_other_stamps() {
        let files = Files::new();
        let place = files.0.path().join("a");
        let changes: [(&str, &dyn Fn()); 4] = [
            ("written", &|| files.write("a", "six")),
            ("touched", &|| {
                let file = File::options().write(true).open(&place).unwrap();
                file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
            }),
            ("replaced", &|| {
                files.write("new", "one");
                fs::rename(files.0.path().join("new"), &place).unwrap();
            }),
            ("longer", &|| files.write("a", "longer")),
        ];
        for (what, change) in changes {
            // The clock of a file system ticks slowly, so the time alone doesn't show a change right now.
            let before = files.seen(0);
            change();
            let present = files.present(&["a", "b"]);
            assert_eq!(before.again(&present, later(&place, 60)), None, "{what}");
        }
    }
}
