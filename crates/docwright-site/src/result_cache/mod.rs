//! Results of earlier builds of one site, in one file, so that a build repeats only the work whose inputs changed.
//!
//! An entry is bytes under a [`Key`], which is a hash of everything that the bytes follow from. The cache knows nothing
//! of their meaning. It never makes a build fail: a file that is damaged, of another format, or in use has no entries,
//! and one that can't be written gets none. Nothing in it is needed: deleting the file only costs time.
//!
//! Bytes are added at the end and never overwritten, so that other processes can read the entries that they know. The
//! process with the lock of the file alone adds some. The index is written last, after the entries, and a slot of the
//! header names it only then: a process that ends in between leaves the earlier index, and bytes without a name. If
//! these are too many, a new file takes the place of the old one.
//!
//! ```text
//! magic │ slot, slot │ entry │ entry │ index │ entry │ index
//! ```

mod file;
mod index;
#[cfg(test)]
mod tests;

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use libdeflater::Crc;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use index::{HEADER, Index, Slot};

/// Identifies the code of the compiler, of its scripts and styles, and of its dependencies.
pub(crate) const CODE: &str = env!("DOCWRIGHT_SITE_CODE");
/// Largest entry. Bytes.
const LARGEST_ENTRY: u64 = 64 * 1024 * 1024;
/// An entry is kept for this many builds that don't use it: branches alternate, and changes are undone.
const UNUSED_BUILDS: u32 = 16;
/// Bytes without a name that don't matter.
const SLACK: u64 = 1024 * 1024;

/// What an entry holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// What a build needs to know of a page.
    Page = 1,
    /// The contents of a file, as a bundle has them, under the hash of the contents.
    Contents = 2,
    /// A page as search sees it, under the hash of the entry.
    Document = 3,
    /// The names of the files of a search index.
    SearchIndex = 4,
    /// Whether a bundle stores a large file on disk as it is, under the hash of its contents.
    Sampled = 5,
    /// What is known of a file on disk, under what the file system says about it.
    Stamp = 6,
    /// The body of a page, apart from what pages share.
    Body = 7,
    /// What the last build to a destination read and wrote.
    LastBuild = 8,
    /// The rules for the classes that authors gave to elements.
    Utilities = 9,
}

impl Kind {
    const ALL: [Self; 9] = [
        Self::Page,
        Self::Contents,
        Self::Document,
        Self::SearchIndex,
        Self::Sampled,
        Self::Stamp,
        Self::Body,
        Self::LastBuild,
        Self::Utilities,
    ];
}

/// The name of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// What it holds.
    pub kind: Kind,
    /// SHA-256 of all that it follows from.
    pub hash: [u8; 32],
}

impl Key {
    /// The name of what follows from the code of the compiler and these parts.
    pub fn of<'p>(kind: Kind, parts: impl IntoIterator<Item = &'p [u8]>) -> Self {
        let mut hash = Sha256::new();
        for part in std::iter::once(CODE.as_bytes()).chain(parts) {
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
        Self { kind, hash: hash.finalize().into() }
    }
}

/// The contents of a file of a site, by which a later build finds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentName {
    /// SHA-256 of the contents.
    pub sha256: [u8; 32],
    /// Their length. Bytes.
    pub size: u64,
}

impl ContentName {
    /// The name of contents.
    pub fn of(contents: &[u8]) -> Self {
        Self { sha256: Sha256::digest(contents).into(), size: contents.len() as u64 }
    }

    /// The key of the contents.
    pub const fn key(&self) -> Key {
        Key { kind: Kind::Contents, hash: self.sha256 }
    }
}

/// Where the bytes of an entry are in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    offset: u64,
    length: u64,
    /// CRC-32 of the bytes.
    checksum: u32,
    /// The last build that used it.
    used: u32,
}

impl Place {
    /// Length of the entry. Bytes.
    pub const fn length(&self) -> u64 {
        self.length
    }
}

/// The results of earlier builds of a site.
#[derive(Debug)]
pub struct ResultCache {
    path: PathBuf,
    /// Largest size of the file. Bytes.
    limit: u64,
    /// `None` if it can't be opened.
    file: Option<File>,
    /// Whether this process has the lock, so that it alone adds entries.
    is_writer: bool,
    /// Number of this build.
    build: u32,
    known: FxHashMap<Key, Place>,
    used: Mutex<FxHashSet<Key>>,
    added: Mutex<Added>,
}

/// What this build adds.
#[derive(Debug, Default)]
struct Added {
    entries: FxHashMap<Key, Place>,
    /// Where the next entry begins.
    end: u64,
    /// Whether an entry didn't fit into the limit.
    is_full: bool,
    /// Whether no more entries are taken.
    is_closed: bool,
    error: Option<io::Error>,
}

impl ResultCache {
    /// Opens the cache in a file of at most `limit` bytes, and creates it and its folder if needed. If that fails, the
    /// cache is empty, and [`save`](Self::save) returns the error.
    pub fn open(path: &Path, limit: u64) -> Self {
        let mut cache = Self {
            path: path.to_owned(),
            limit,
            file: None,
            is_writer: false,
            build: 1,
            known: FxHashMap::default(),
            used: Mutex::default(),
            added: Mutex::default(),
        };
        if let Err(error) = cache.read_file() {
            (cache.file, cache.is_writer) = (None, false);
            lock(&cache.added).error = Some(error);
        }
        cache
    }

    fn read_file(&mut self) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let (mut file, opened) = file::open(&self.path)?;
        let mut is_writer = opened.as_ref().is_ok_and(|is_writer| *is_writer);
        lock(&self.added).error = opened.err();
        let mut length = file.metadata()?.len();
        let is_ours = index::has_magic(&file);
        if is_writer && !is_ours {
            if length == 0 {
                file::write_all_at(&file, 0, &index::empty_header())?;
            } else {
                // Another version can be reading it, so it isn't overwritten.
                (file, is_writer) = file::replace(&self.path)?;
            }
            length = HEADER;
        }
        if is_ours && let Some(Index { build, entries }) = index::read(&file, length) {
            (self.build, self.known) = (build.saturating_add(1), entries);
        }
        lock(&self.added).end = length.max(HEADER);
        (self.file, self.is_writer) = (Some(file), is_writer);
        Ok(())
    }

    /// The bytes of an entry, and their place. `None` if there are none, or they are damaged.
    pub fn get(&self, key: &Key) -> Option<(Place, Vec<u8>)> {
        let known = self.known.get(key).copied();
        let place = known.or_else(|| lock(&self.added).entries.get(key).copied())?;
        let bytes = self.read(&place)?;
        lock(&self.used).insert(*key);
        Some((place, bytes))
    }

    /// Whether there is an entry. Its bytes can still be damaged.
    pub fn contains(&self, key: &Key) -> bool {
        let is_kept = self.known.contains_key(key) || lock(&self.added).entries.contains_key(key);
        if is_kept {
            lock(&self.used).insert(*key);
        }
        is_kept
    }

    /// Marks the entries that the last build used as used by this one, which has the same result.
    pub fn use_as_before(&self) {
        let last = self.build.saturating_sub(1);
        let of_last = self.known.iter().filter(|(_, place)| place.used == last);
        lock(&self.used).extend(of_last.map(|(key, _)| *key));
    }

    /// The bytes at a place that [`get`](Self::get) or [`add`](Self::add) returned. `None` if they are damaged.
    pub fn read(&self, place: &Place) -> Option<Vec<u8>> {
        let bytes = file::read_at(self.file.as_ref()?, place.offset, place.length).ok()?;
        (checksum(&bytes) == place.checksum).then_some(bytes)
    }

    /// Adds an entry, in the place of an earlier one with the key. `None` if it isn't kept.
    pub fn add(&self, key: Key, bytes: &[u8]) -> Option<Place> {
        let file = self.file.as_ref().filter(|_| self.is_writer)?;
        let length = bytes.len() as u64;
        let offset = {
            let mut added = lock(&self.added);
            if added.is_closed || length > LARGEST_ENTRY {
                return None;
            }
            if added.end.saturating_add(length) > self.limit {
                added.is_full = true;
                return None;
            }
            let offset = added.end;
            added.end += length;
            offset
        };
        let written = file::write_all_at(file, offset, bytes);
        let mut added = lock(&self.added);
        if let Err(error) = written {
            (added.is_closed, added.error) = (true, Some(error));
            return None;
        }
        let place = Place { offset, length, checksum: checksum(bytes), used: self.build };
        added.entries.insert(key, place);
        Some(place)
    }

    /// Makes the added entries visible to later builds. Entries that are added afterwards aren't kept. The error says why
    /// nothing is kept; the results of this build are still right.
    pub fn save(&self) -> io::Result<()> {
        let mut added = lock(&self.added);
        added.is_closed = true;
        if let Some(error) = added.error.take() {
            return Err(error);
        }
        let Some(file) = self.file.as_ref().filter(|_| self.is_writer) else { return Ok(()) };
        if added.entries.is_empty() && !added.is_full {
            return Ok(());
        }
        let entries = self.remaining(&added);
        let named: u64 = entries.iter().map(|(_, place)| place.length).sum();
        let unnamed = added.end.saturating_sub(HEADER).saturating_sub(named);
        // The next build can change everything, so half of the room stays free.
        let is_large = added.is_full || added.end > self.limit / 2 || unnamed > named + SLACK;
        if unnamed > 0 && is_large {
            return self.rewrite(file, &entries);
        }
        let index = index::encode(&entries);
        file::write_all_at(file, added.end, &index)?;
        let slot = Slot::of(self.build, added.end, &index);
        file::write_all_at(file, Slot::offset(self.build), &slot.encode())
    }

    /// The entries that later builds can use, those of this build first: it uses all of them.
    fn remaining(&self, added: &Added) -> Vec<(Key, Place)> {
        let used = lock(&self.used);
        let mut entries: Vec<_> = added.entries.iter().map(|(key, place)| (*key, *place)).collect();
        let mut others = Vec::new();
        for (key, place) in self.known.iter().filter(|(key, _)| !added.entries.contains_key(key)) {
            if used.contains(key) {
                entries.push((*key, Place { used: self.build, ..*place }));
            } else if !added.is_full && place.used.saturating_add(UNUSED_BUILDS) > self.build {
                others.push((*key, *place));
            }
        }
        let mut bytes: u64 = entries.iter().map(|(_, place)| place.length).sum();
        others.sort_unstable_by_key(|(key, place)| (std::cmp::Reverse(place.used), *key));
        for (key, place) in others {
            bytes = bytes.saturating_add(place.length);
            if bytes > self.limit / 3 {
                break;
            }
            entries.push((key, place));
        }
        entries.sort_unstable_by_key(|(_, place)| place.offset);
        entries
    }

    /// Writes the entries to a new file, which then takes the place of this one.
    fn rewrite(&self, file: &File, entries: &[(Key, Place)]) -> io::Result<()> {
        let path = file::temporary(&self.path);
        let mut output = BufWriter::new(File::create(&path)?);
        output.write_all(&index::empty_header())?;
        let (mut end, mut moved) = (HEADER, Vec::with_capacity(entries.len()));
        for (key, place) in entries {
            let bytes = file::read_at(file, place.offset, place.length)?;
            if checksum(&bytes) != place.checksum {
                continue;
            }
            output.write_all(&bytes)?;
            moved.push((*key, Place { offset: end, ..*place }));
            end += place.length;
        }
        let index = index::encode(&moved);
        output.write_all(&index)?;
        let output = output.into_inner().map_err(io::IntoInnerError::into_error)?;
        let slot = Slot::of(self.build, end, &index);
        file::write_all_at(&output, Slot::offset(self.build), &slot.encode())?;
        fs::rename(&path, &self.path)
    }
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut checksum = Crc::new();
    checksum.update(bytes);
    checksum.sum()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
