//! The tar format of a bundle: reproducible headers, and a walk through the entries that checks everything.

use std::{
    collections::BTreeMap,
    io::{self, Read},
};

use flate2::read::MultiGzDecoder;
use sha2::{Digest, Sha256};

use super::{
    BundleError, Limits, MANIFEST, Manifest, SIGNATURE, SIGNATURE_LENGTH, Signature,
    manifest::Sha256Hash,
};
use crate::source::is_safe_path;

/// Files and lengths are multiples of this. Bytes.
const BLOCK: usize = 512;
/// Maximum size of the manifest in bytes, enough for a few hundred thousand files.
pub(super) const MAXIMUM_MANIFEST: u64 = 256 * 1024 * 1024;
/// Tools fill archives up with zeros. Bytes.
const MAXIMUM_REST: u64 = 64 * 1024;
/// The longest path on common file systems in bytes, including the terminator.
const MAXIMUM_PATH: u64 = 4096;

/// The blocks before the contents of a file: a long path takes several.
pub(super) fn header(path: &str, size: u64) -> io::Result<Vec<u8>> {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Regular);
    header.set_size(size);
    header.set_mode(0o644);
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    let mut archive = tar::Builder::new(Vec::new());
    // The contents follow as a separate member.
    archive.append_data(&mut header, path, io::empty())?;
    Ok(std::mem::take(archive.get_mut()))
}

/// Padding after contents of a length, up to the next block.
pub(super) fn padding(size: u64) -> Vec<u8> {
    let blocks = size.next_multiple_of(BLOCK as u64);
    vec![0; usize::try_from(blocks - size).unwrap_or_default()]
}

/// The end of an archive.
pub(super) const END: [u8; 2 * BLOCK] = [0; 2 * BLOCK];

/// A file as listed in the archive, independent of the manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ArchivedFile {
    size: u64,
    sha256: Sha256Hash,
}

/// Reads a whole bundle as tools for `.tar.gz` do, and compares its files with its manifest. Returns the signature
/// too, if there is one.
pub(super) fn walk(
    bundle: impl Read,
    limits: Limits,
) -> Result<(Manifest, Option<Signature>), BundleError> {
    let mut archive = tar::Archive::new(MultiGzDecoder::new(bundle));
    let mut names = Names::default();
    let (mut manifest, mut signature) = (None, None);
    let mut found = BTreeMap::new();
    let mut total = 0_u64;
    // Raw, since the library would read a long name of any length into memory.
    for entry in archive.entries().map_err(BundleError::damaged)?.raw(true) {
        let mut entry = entry.map_err(BundleError::damaged)?;
        let Some(path) = names.next(&mut entry)? else { continue };
        if path == MANIFEST && manifest.is_none() {
            manifest = Some(read_manifest(&mut entry)?);
            continue;
        }
        if let (SIGNATURE, Some((_, manifest)), None) = (path.as_str(), &manifest, signature) {
            signature = Some(Signature { manifest: *manifest, bytes: read_signature(&mut entry)? });
            continue;
        }
        let size = entry.size();
        total = total.saturating_add(size);
        limits.check(total, found.len() + 1)?;
        let mut contents = Hashing { reader: entry, hash: Sha256::new() };
        io::copy(&mut contents, &mut io::sink()).map_err(BundleError::damaged)?;
        let file = ArchivedFile { size, sha256: Sha256Hash(contents.hash.finalize().into()) };
        if found.insert(path.clone(), file).is_some() {
            return Err(BundleError::invalid(format!("{path} is there twice")));
        }
    }
    // Readers stop at the archive's end marker, but a bundle that is cut off there is damaged, too.
    let mut rest = archive.into_inner().take(MAXIMUM_REST);
    let rest = io::copy(&mut rest, &mut io::sink()).map_err(BundleError::damaged)?;
    if rest == MAXIMUM_REST {
        return Err(BundleError::invalid("something follows its last file"));
    }
    let (manifest, _) = manifest.ok_or_else(|| BundleError::invalid("it holds no manifest"))?;
    compare(&manifest, found)?;
    Ok((manifest, signature))
}

/// Assembles the paths of entries: a path that is too long for a header is in a separate entry before it.
#[derive(Debug, Default)]
struct Names {
    long: Option<Vec<u8>>,
}

impl Names {
    /// The path of an entry, if it is a plain file within the site; `None` if it is a path itself.
    fn next(
        &mut self,
        entry: &mut tar::Entry<'_, impl Read>,
    ) -> Result<Option<String>, BundleError> {
        let kind = entry.header().entry_type();
        if kind == tar::EntryType::GNULongName && self.long.is_none() {
            let mut name = Vec::new();
            entry.take(MAXIMUM_PATH + 1).read_to_end(&mut name).map_err(BundleError::damaged)?;
            if name.len() as u64 > MAXIMUM_PATH {
                return Err(BundleError::invalid("it holds a path that is too long"));
            }
            name.pop_if(|last| *last == 0);
            self.long = Some(name);
            return Ok(None);
        }
        let path = self.long.take().unwrap_or_else(|| entry.header().path_bytes().into_owned());
        let path = String::from_utf8(path)
            .map_err(|_| BundleError::invalid("it holds a name that is not UTF-8"))?;
        if !is_safe_path(&path) {
            return Err(BundleError::invalid(format!("{path:?} is not a path within the site")));
        }
        if kind != tar::EntryType::Regular {
            return Err(BundleError::invalid(format!("{path} is not a plain file")));
        }
        Ok(Some(path))
    }
}

/// A manifest and its SHA-256.
fn read_manifest(
    entry: &mut tar::Entry<'_, impl Read>,
) -> Result<(Manifest, Sha256Hash), BundleError> {
    if entry.size() > MAXIMUM_MANIFEST {
        return Err(BundleError::TooLarge(format!("its manifest has {} bytes", entry.size())));
    }
    let mut json = Vec::new();
    entry.read_to_end(&mut json).map_err(BundleError::damaged)?;
    Ok((Manifest::parse(&json)?, Sha256Hash(Sha256::digest(&json).into())))
}

fn read_signature(
    entry: &mut tar::Entry<'_, impl Read>,
) -> Result<[u8; SIGNATURE_LENGTH], BundleError> {
    let size = entry.size();
    if size != SIGNATURE_LENGTH as u64 {
        return Err(BundleError::invalid(format!("its {SIGNATURE} has {size} bytes")));
    }
    let mut bytes = [0; SIGNATURE_LENGTH];
    entry.read_exact(&mut bytes).map_err(BundleError::damaged)?;
    Ok(bytes)
}

/// Reads and hashes contents.
struct Hashing<R> {
    reader: R,
    hash: Sha256,
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.hash.update(&buffer[..read]);
        Ok(read)
    }
}

fn compare(
    manifest: &Manifest,
    mut found: BTreeMap<String, ArchivedFile>,
) -> Result<(), BundleError> {
    for file in &manifest.files {
        let path = &file.path;
        match found.remove(&**path) {
            None => return Err(BundleError::invalid(format!("{path} is missing"))),
            Some(own) if own.size != file.size => {
                let reason = format!("{path} has another size than its manifest says");
                return Err(BundleError::invalid(reason));
            }
            Some(own) if own.sha256 != file.sha256 => {
                let reason = format!("{path} is not the file that its manifest describes");
                return Err(BundleError::invalid(reason));
            }
            Some(_) => {}
        }
    }
    match found.keys().next() {
        Some(path) => Err(BundleError::invalid(format!("{path} is not in its manifest"))),
        None => Ok(()),
    }
}
