//! The contents of one file as a gzip member (RFC 1952): deflated, or in stored blocks of known lengths, so
//! that any byte can be read directly.

use std::{
    cell::RefCell,
    io::{self, Read, Write},
    ops::Range,
};

use libdeflater::{CompressionLvl, Compressor, Crc, Decompressor};
use serde::{Deserialize, Serialize};

/// A header without name, time, or operating system, so that it is reproducible.
pub(super) const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
/// Checksum and length of the contents.
const TRAILER: usize = 8;
/// The header of each stored block: its kind, its length, and its length inverted.
const BLOCK_HEAD: u64 = 5;
/// Largest stored block, in bytes.
const BLOCK: u64 = 65_535;

/// Memory for larger contents isn't kept. Bytes.
const LARGE: usize = 1024 * 1024;

/// Where the contents of a file are in a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Start of the member. Bytes from the start of the bundle.
    pub offset: u64,
    /// Its length. Bytes.
    pub length: u64,
    /// Whether the contents are stored as they are, in blocks of 65,535 bytes; otherwise they are
    /// deflated.
    pub stored: bool,
}

impl Member {
    /// The position of a range of stored contents in the bundle, one piece per block. `size` is that of the
    /// contents; bytes beyond it are left out.
    pub fn stored_range(&self, size: u64, range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
        let first = self.offset + HEADER.len() as u64;
        let end = range.end.min(size);
        let mut next = range.start;
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let block = next / BLOCK;
                let stop = end.min((block + 1) * BLOCK);
                let heads = first + (block + 1) * BLOCK_HEAD;
                let piece = heads + next..heads + stop;
                next = stop;
                piece
            })
        })
    }
}

/// Length of the member of stored contents. Bytes.
pub(super) fn stored_length(size: u64) -> u64 {
    HEADER.len() as u64 + size.div_ceil(BLOCK).max(1) * BLOCK_HEAD + size + TRAILER as u64
}

/// Creates a member from contents, and returns whether they are stored: if deflating saves less than a twentieth,
/// as with most images, it isn't worth the time of sender and receiver.
pub(super) fn encode(contents: &[u8]) -> io::Result<(Vec<u8>, bool)> {
    let deflated = deflate(contents)?;
    if deflated.len() as u64 * 20 < stored_length(contents.len() as u64) * 19 {
        return Ok((deflated, false));
    }
    let mut stored = Vec::with_capacity(deflated.len());
    store(contents, contents.len() as u64, &mut stored)?;
    Ok((stored, true))
}

/// Deflates, and the memory that it writes to.
struct Deflater {
    compressor: Compressor,
    buffer: Vec<u8>,
}

thread_local! {
    /// Its tables and the memory take longer to make than a small page takes to compress.
    static DEFLATER: RefCell<Deflater> = RefCell::new(Deflater {
        compressor: Compressor::new(CompressionLvl::default()),
        buffer: Vec::new(),
    });
}

/// Makes a member of contents by deflating them.
pub(super) fn deflate(contents: &[u8]) -> io::Result<Vec<u8>> {
    DEFLATER.with_borrow_mut(|Deflater { compressor, buffer }| {
        let bound = compressor.deflate_compress_bound(contents.len());
        let mut large;
        let buffer = if bound > LARGE {
            // New memory, of which only the part that is written to counts. Few contents are that large.
            large = vec![0; bound];
            &mut large
        } else {
            buffer.resize(bound.max(buffer.len()), 0);
            buffer
        };
        let length = compressor.deflate_compress(contents, buffer).map_err(io::Error::other)?;
        let mut checksum = Crc::new();
        checksum.update(contents);
        let trailer = trailer(checksum.sum(), contents.len() as u64);
        Ok([&HEADER, &buffer[..length], &trailer[..]].concat())
    })
}

/// The contents of a member that [`deflate`] made of `size` bytes. `None` if they aren't.
pub(super) fn inflate(member: &[u8], size: u64) -> Option<Vec<u8>> {
    let mut contents = vec![0; usize::try_from(size).ok()?];
    let length = Decompressor::new().gzip_decompress(member, &mut contents).ok()?;
    (length == contents.len()).then_some(contents)
}

/// Writes a member that stores `size` bytes of contents as they are. Returns their checksum.
pub(super) fn store(
    mut contents: impl Read,
    size: u64,
    output: &mut impl Write,
) -> io::Result<u32> {
    let mut checksum = Crc::new();
    let mut left = size;
    let mut block = vec![0; usize::try_from(left.min(BLOCK)).map_err(io::Error::other)?];
    output.write_all(&HEADER)?;
    loop {
        let length = u16::try_from(left.min(BLOCK)).map_err(io::Error::other)?;
        left -= u64::from(length);
        let block = &mut block[..usize::from(length)];
        contents.read_exact(block)?;
        checksum.update(block);
        let [low, high] = length.to_le_bytes();
        output.write_all(&[u8::from(left == 0), low, high, !low, !high])?;
        output.write_all(block)?;
        if left == 0 {
            break;
        }
    }
    output.write_all(&trailer(checksum.sum(), size))?;
    Ok(checksum.sum())
}

fn trailer(checksum: u32, size: u64) -> [u8; TRAILER] {
    let mut trailer = [0; TRAILER];
    trailer[..4].copy_from_slice(&checksum.to_le_bytes());
    // The length is modulo 2^32, as the format requires.
    trailer[4..].copy_from_slice(&size.to_le_bytes()[..4]);
    trailer
}

#[cfg(test)]
mod tests {
    use flate2::read::GzDecoder;

    use super::*;

    fn decoded(member: &[u8]) -> Vec<u8> {
        let mut contents = Vec::new();
        let mut decoder = GzDecoder::new(member);
        decoder.read_to_end(&mut contents).unwrap();
        assert!(decoder.into_inner().is_empty(), "something follows the member");
        contents
    }

    #[test]
    fn contents_round_trip() {
        // Compressed data doesn't get smaller.
        let mut noise = encode(
            &(0..100_000_u32).flat_map(|n| n.wrapping_mul(n).to_le_bytes()).collect::<Vec<_>>(),
        )
        .unwrap()
        .0;
        assert!(noise.len() > 150_000, "{}", noise.len());
        noise.truncate(150_000);
        for (contents, is_stored) in [
            (&b""[..], true),
            (b"a", true),
            (&b"text ".repeat(50_000), false),
            (&noise[..1], true),
            (&noise[..65_535], true),
            (&noise[..65_536], true),
            (&noise[..131_070], true),
            (&noise, true),
        ] {
            let (member, stored) = encode(contents).unwrap();
            assert_eq!(
                (decoded(&member) == contents, stored),
                (true, is_stored),
                "{}",
                contents.len()
            );
            let mut kept = Vec::new();
            store(contents, contents.len() as u64, &mut kept).unwrap();
            assert_eq!(decoded(&kept), contents);
            assert_eq!(kept.len() as u64, stored_length(contents.len() as u64));
        }
        assert!(store(&b"ab"[..], 3, &mut Vec::new()).is_err(), "a byte is missing");
    }

    #[test]
    fn any_range_of_stored_contents_is_found() {
        let contents: Vec<u8> = (0..=250).cycle().take(150_000).collect();
        let mut file = vec![9; 100];
        store(contents.as_slice(), 150_000, &mut file).unwrap();
        let member = Member { offset: 100, length: file.len() as u64 - 100, stored: true };
        for range in [0_u64..1, 0..150_000, 65_534..65_536, 65_535..131_071, 149_999..150_000, 5..5]
        {
            let place = |place: u64| usize::try_from(place).unwrap();
            let pieces = member.stored_range(150_000, range.clone());
            let found: Vec<u8> = pieces
                .flat_map(|piece| file[place(piece.start)..place(piece.end)].to_vec())
                .collect();
            assert!(found == contents[place(range.start)..place(range.end)], "{range:?}");
        }
        assert_eq!(
            member.stored_range(150_000, 149_999..200_000).map(|p| p.end - p.start).sum::<u64>(),
            1
        );
    }
}
