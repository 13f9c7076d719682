//! Files on disk that a bundle takes without reading them into memory, such as images.
//!
//! What a later build needs of a file is kept under its stamp: what the file system says about it, with the time of its
//! last change, which no program can set. So a file that has the stamp again is read once, when it is copied. A change
//! shortly before the build, or during it, can have the time of another one, so such a stamp isn't kept. If a stamp lies
//! nevertheless, the checksum of the copy differs, and the file is measured again.

use std::{
    fs::{File, Metadata},
    io::{self, BufReader},
    path::Path,
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::result_cache::{ContentName, Key, Kind, ResultCache};

/// How much older than the build a change must be, so that any later change has another time.
const SETTLED: Duration = Duration::from_secs(3);

/// A file on disk that a bundle stores as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CopiedFile {
    pub(super) name: ContentName,
    /// CRC-32 of the contents.
    pub(super) checksum: u32,
}

impl CopiedFile {
    /// The file with a stamp in an earlier build, if there was one.
    pub(super) fn find(cache: &ResultCache, stamp: &Stamp) -> Option<Self> {
        postcard::from_bytes(&cache.get(&stamp.key())?.1).ok()
    }

    /// Keeps the file for later builds.
    pub(super) fn add(&self, cache: &ResultCache, stamp: &Stamp) {
        if let Ok(bytes) = postcard::to_allocvec(self) {
            cache.add(stamp.key(), &bytes);
        }
    }

    /// Reads a file on disk whole.
    pub(super) fn measure(path: &Path) -> io::Result<Self> {
        let mut reader = BufReader::with_capacity(64 * 1024, File::open(path)?);
        let (mut hash, mut checksum, mut size) = (Sha256::new(), libdeflater::Crc::new(), 0);
        loop {
            let bytes = io::BufRead::fill_buf(&mut reader)?;
            if bytes.is_empty() {
                let name = ContentName { sha256: hash.finalize().into(), size };
                return Ok(Self { name, checksum: checksum.sum() });
            }
            hash.update(bytes);
            checksum.update(bytes);
            let read = bytes.len();
            size += read as u64;
            io::BufRead::consume(&mut reader, read);
        }
    }
}

/// What the file system says about a file: its identity, its length, and the times of its last changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    key: Key,
}

impl Stamp {
    /// The stamp of a file. `None` if it changed shortly before `now`, or later, because another change can leave the stamp
    /// as it is. `None` if its time has no fraction of a second, because such times can be fixed, as in disk images.
    #[cfg(unix)]
    pub(super) fn of(metadata: &Metadata, now: SystemTime) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let seconds = u64::try_from(metadata.ctime()).ok()?;
        let changed = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))?;
        let is_settled = changed.checked_add(SETTLED)? < now && metadata.ctime_nsec() != 0;
        is_settled.then(|| {
            let own = [metadata.dev(), metadata.ino(), metadata.size()];
            let times =
                [metadata.ctime(), metadata.ctime_nsec(), metadata.mtime(), metadata.mtime_nsec()];
            let parts: Vec<_> =
                own.map(u64::to_le_bytes).into_iter().chain(times.map(i64::to_le_bytes)).collect();
            Self { key: Key::of(Kind::Stamp, [parts.as_flattened()]) }
        })
    }

    /// Other systems have no time that programs can't set.
    #[cfg(not(unix))]
    pub(super) fn of(_metadata: &Metadata, _now: SystemTime) -> Option<Self> {
        None
    }

    pub(super) const fn key(&self) -> Key {
        self.key
    }
}
