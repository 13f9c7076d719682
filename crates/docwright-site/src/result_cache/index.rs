//! The header and the index of a cache.

use std::{
    fs::File,
    io::{self, Read},
};

use rustc_hash::FxHashMap;

use super::{Key, Kind, LARGEST_ENTRY, Place, checksum, file};

/// The first bytes of a file. The last one is the version of the format.
const MAGIC: [u8; 16] = *b"docwright cache\x01";
/// Length of the header: the magic bytes, then two slots. Bytes.
pub(super) const HEADER: u64 = 128;
/// Where the slots are. Builds alternate between them, so that one is always complete.
const SLOTS: [u64; 2] = [32, 80];
/// Length of a slot. Bytes.
const SLOT: usize = 28;
/// Length of an entry of the index. Bytes.
const ENTRY: usize = 57;

/// What an index says.
#[derive(Debug)]
pub(super) struct Index {
    /// The build that wrote it.
    pub(super) build: u32,
    /// The entries.
    pub(super) entries: FxHashMap<Key, Place>,
}

/// Names the index of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot {
    build: u32,
    offset: u64,
    length: u64,
    /// CRC-32 of the index.
    checksum: u32,
}

impl Slot {
    /// The slot of an index at an offset.
    pub(super) fn of(build: u32, offset: u64, index: &[u8]) -> Self {
        Self { build, offset, length: index.len() as u64, checksum: checksum(index) }
    }

    /// Where the slot of a build is.
    pub(super) const fn offset(build: u32) -> u64 {
        SLOTS[(build % 2) as usize]
    }

    /// Its bytes, which end with their own checksum.
    pub(super) fn encode(self) -> [u8; SLOT] {
        let mut bytes = [0; SLOT];
        bytes[..4].copy_from_slice(&self.build.to_le_bytes());
        bytes[4..12].copy_from_slice(&self.offset.to_le_bytes());
        bytes[12..20].copy_from_slice(&self.length.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.checksum.to_le_bytes());
        let own = checksum(&bytes[..24]);
        bytes[24..].copy_from_slice(&own.to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields(bytes);
        let (build, offset) = (fields.number()?, fields.long()?);
        let (length, index) = (fields.long()?, fields.number()?);
        let is_whole = fields.number()? == checksum(&bytes[..24]);
        is_whole.then_some(Self { build, offset, length, checksum: index })
    }
}

/// The header of a file without an index.
pub(super) fn empty_header() -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    header.resize(usize::try_from(HEADER).unwrap_or_default(), 0);
    header
}

/// Whether a file is a cache of this format.
pub(super) fn has_magic(mut file: &File) -> bool {
    let mut start = [0; MAGIC.len()];
    file.read_exact(&mut start).is_ok() && start == MAGIC
}

/// The newest complete index of a file.
pub(super) fn read(file: &File, length: u64) -> Option<Index> {
    let slot = |offset: &u64| Slot::decode(&file::read_at(file, *offset, SLOT as u64).ok()?);
    let mut slots: Vec<Slot> = SLOTS.iter().filter_map(slot).collect();
    slots.sort_by_key(|slot| std::cmp::Reverse(slot.build));
    slots.iter().find_map(|slot| {
        let entries = entries(file, slot, length).ok()?;
        Some(Index { build: slot.build, entries })
    })
}

fn entries(file: &File, slot: &Slot, length: u64) -> io::Result<FxHashMap<Key, Place>> {
    let is_inside = |offset: u64, size: u64| {
        offset >= HEADER && offset.checked_add(size).is_some_and(|end| end <= length)
    };
    if !is_inside(slot.offset, slot.length) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let bytes = file::read_at(file, slot.offset, slot.length)?;
    if checksum(&bytes) != slot.checksum || !bytes.len().is_multiple_of(ENTRY) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let entries = bytes.chunks_exact(ENTRY).filter_map(decode);
    let is_usable = |(_, place): &(Key, Place)| {
        place.length <= LARGEST_ENTRY && is_inside(place.offset, place.length)
    };
    Ok(entries.filter(is_usable).collect())
}

/// An index of entries.
pub(super) fn encode(entries: &[(Key, Place)]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(entries.len() * ENTRY);
    for (key, place) in entries {
        bytes.push(key.kind as u8);
        bytes.extend(key.hash);
        bytes.extend(place.offset.to_le_bytes());
        bytes.extend(place.length.to_le_bytes());
        bytes.extend(place.checksum.to_le_bytes());
        bytes.extend(place.used.to_le_bytes());
    }
    bytes
}

fn decode(bytes: &[u8]) -> Option<(Key, Place)> {
    let (kind, rest) = bytes.split_first()?;
    let kind = Kind::ALL.into_iter().find(|each| *each as u8 == *kind)?;
    let (hash, rest) = rest.split_first_chunk::<32>()?;
    let mut fields = Fields(rest);
    let (offset, length) = (fields.long()?, fields.long()?);
    let (checksum, used) = (fields.number()?, fields.number()?);
    Some((Key { kind, hash: *hash }, Place { offset, length, checksum, used }))
}

/// Numbers in bytes, from first to last.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn number(&mut self) -> Option<u32> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*first))
    }

    fn long(&mut self) -> Option<u64> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*first))
    }
}
