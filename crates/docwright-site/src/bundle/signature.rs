//! The signature of a bundle: its last file, 64 bytes about the SHA-256 of the manifest. The manifest has the
//! SHA-256 of every other file, so the signature is about all of them.
//!
//! ```text
//! … │ manifest.json │ padding, header │ manifest.json.sig │ padding, end │ footer
//! ```
//!
//! Builds don't sign, because they have no key: the signature replaces the end of a finished bundle, and nothing
//! before moves. What is signed, and by whom, is for others to decide.

use std::{
    fs::File,
    io::{self, BufReader, Read},
};

use flate2::bufread::{GzDecoder, MultiGzDecoder};
use sha2::{Digest, Sha256};

use super::{
    BundleError, MANIFEST, Sha256Hash,
    archive::{self, MAXIMUM_MANIFEST},
    footer, member,
    open::find_manifest,
    section::Section,
};

/// Name of the signature within the archive.
pub const SIGNATURE: &str = "manifest.json.sig";
/// Length of a signature. Bytes.
pub const SIGNATURE_LENGTH: usize = 64;
/// The most bytes after the manifest: padding, a header, a signature, the end, and the footer.
pub const MAXIMUM_END: u64 = 4096;
/// The same without compression. Bytes.
const MAXIMUM_TAIL: u64 = 16 * 1024;

/// The manifest of a finished bundle, to be signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signable {
    /// SHA-256 of the manifest.
    pub manifest: Sha256Hash,
    /// Where the member of the manifest ends. Bytes from the start of the bundle.
    pub end: u64,
    /// Length of the manifest. Bytes.
    size: u64,
    /// Offset and length of its member.
    member: (u64, u64),
}

/// The signature of a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    /// SHA-256 of the manifest, which is what was signed.
    pub manifest: Sha256Hash,
    /// The signature, which isn't checked here.
    pub bytes: [u8; SIGNATURE_LENGTH],
}

impl Signable {
    /// Reads the manifest of a bundle from its end. It isn't kept in memory.
    pub fn read(file: &File) -> Result<Self, BundleError> {
        let found = find_manifest(file)?;
        let (offset, length) = found
            .ok_or_else(|| BundleError::invalid("it is cut off, or not a docwright bundle"))?;
        let member = GzDecoder::new(BufReader::new(Section::new(file, offset, length)));
        let mut member = member.take(MAXIMUM_MANIFEST + 1);
        let (mut hash, mut size, mut buffer) = (Sha256::new(), 0, vec![0; 64 * 1024]);
        loop {
            match member.read(&mut buffer).map_err(BundleError::damaged)? {
                0 => break,
                read => {
                    hash.update(&buffer[..read]);
                    size += read as u64;
                }
            }
        }
        if size > MAXIMUM_MANIFEST {
            return Err(BundleError::TooLarge("its manifest is too long".to_owned()));
        }
        let manifest = Sha256Hash(hash.finalize().into());
        // A footer names no member that ends beyond the file.
        Ok(Self { manifest, end: offset + length, size, member: (offset, length) })
    }

    /// The bytes after the manifest of the signed bundle. They replace those after `end`.
    pub fn signed_end(&self, signature: &[u8; SIGNATURE_LENGTH]) -> io::Result<Vec<u8>> {
        let mut before = archive::padding(self.size);
        before.extend(archive::header(SIGNATURE, SIGNATURE_LENGTH as u64)?);
        let mut after = archive::padding(SIGNATURE_LENGTH as u64);
        after.extend(archive::END);
        let (offset, length) = self.member;
        Ok([
            member::deflate(&before)?,
            member::deflate(signature)?,
            member::deflate(&after)?,
            footer::encode(offset, length),
        ]
        .concat())
    }
}

/// The signature of a bundle, if it has one. Only [`verify`](super::verify()) reads the files that it is about.
pub fn signature(file: &File) -> Result<Option<Signature>, BundleError> {
    let signable = Signable::read(file)?;
    let total = file.metadata()?.len();
    let rest = total.saturating_sub(signable.end).saturating_sub(footer::LENGTH as u64);
    if rest > MAXIMUM_END {
        return Err(BundleError::invalid(format!("something follows its {MANIFEST}")));
    }
    let tail = MultiGzDecoder::new(BufReader::new(Section::new(file, signable.end, rest)));
    let mut bytes = Vec::new();
    tail.take(MAXIMUM_TAIL).read_to_end(&mut bytes).map_err(BundleError::damaged)?;
    let mut before = archive::padding(signable.size);
    before.extend(archive::header(SIGNATURE, SIGNATURE_LENGTH as u64)?);
    let Some(rest) = bytes.strip_prefix(before.as_slice()) else { return Ok(None) };
    let (signature, rest) = rest
        .split_first_chunk::<SIGNATURE_LENGTH>()
        .ok_or_else(|| BundleError::invalid(format!("its {SIGNATURE} is cut off")))?;
    let mut after = archive::padding(SIGNATURE_LENGTH as u64);
    after.extend(archive::END);
    if rest != after {
        return Err(BundleError::invalid(format!("something follows its {SIGNATURE}")));
    }
    Ok(Some(Signature { manifest: signable.manifest, bytes: *signature }))
}
