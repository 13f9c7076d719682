//! What the file system says about files, so that a later build knows which changed without reading them.
//!
//! A stamp has the time of the last change, which no program can set. A change shortly before a stamp is read, or
//! afterwards, can leave it as it is, so such a stamp isn't settled: only the contents of the file show whether it is the
//! same.

mod snapshot;

use std::{
    fs::Metadata,
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};

pub use snapshot::{FileOnDisk, SeenFile, Snapshot, hash_of};

/// How long ago a change must be, so that any later change has another time.
const SETTLED: Duration = Duration::from_secs(3);

/// What the file system says about a file: its identity, its length, and the times of its last changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    /// When anything of the file changed: seconds and nanoseconds.
    changed: (i64, i64),
    /// When its contents changed, as programs say.
    modified: (i64, i64),
}

impl Stamp {
    /// The stamp of a file.
    #[cfg(unix)]
    pub fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }

    /// The stamp of a file, without what only Unix has.
    #[cfg(not(unix))]
    pub fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok();
        let modified = modified.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        let modified = modified.unwrap_or_default();
        let seconds = i64::try_from(modified.as_secs()).unwrap_or_default();
        Self {
            device: 0,
            inode: 0,
            size: metadata.len(),
            changed: (0, 0),
            modified: (seconds, i64::from(modified.subsec_nanos())),
        }
    }

    /// Length of the file. Bytes.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Whether any later change gives the file another stamp: it changed long enough before `now`. Times without a fraction
    /// of a second can be fixed, as in disk images. Only Unix has a time that programs can't set.
    pub fn is_settled(&self, now: SystemTime) -> bool {
        let Ok(seconds) = u64::try_from(self.changed.0) else { return false };
        let changed = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
        let settled = changed.and_then(|changed| changed.checked_add(SETTLED));
        cfg!(unix) && self.changed.1 != 0 && settled.is_some_and(|settled| settled < now)
    }

    /// Its numbers as bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let own = [self.device, self.inode, self.size].map(u64::to_le_bytes);
        let times = [self.changed.0, self.changed.1, self.modified.0, self.modified.1];
        own.into_iter().chain(times.map(i64::to_le_bytes)).flatten().collect()
    }
}
