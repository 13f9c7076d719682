//! Files on disk that a bundle takes without reading them into memory, such as images.
//!
//! What a later build needs of a file is kept under its stamp, if that is settled. So a file that has the stamp again is
//! read once, when it is copied. If a stamp lies nevertheless, the checksum of the copy differs, and the file is measured
//! again.

use std::{
    fs::File,
    io::{self, BufReader},
    path::Path,
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    result_cache::{ContentName, Key, Kind, ResultCache},
    stamp::Stamp,
};

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
        postcard::from_bytes(&cache.get(&key_of(stamp))?.1).ok()
    }

    /// Keeps the file for later builds.
    pub(super) fn add(&self, cache: &ResultCache, stamp: &Stamp) {
        if let Ok(bytes) = postcard::to_allocvec(self) {
            cache.add(key_of(stamp), &bytes);
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

/// The key of what is known of a file with a stamp.
pub(super) fn key_of(stamp: &Stamp) -> Key {
    Key::of(Kind::Stamp, [&stamp.bytes()[..]])
}
