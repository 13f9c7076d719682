//! Verifies every byte of a bundle against damage and manipulation.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::{
    Bundle, BundleError, FileEntry, Manifest,
    archive::walk,
    member::{HEADER, stored_length},
    signature::signature,
};

/// How large a bundle can be.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of the contents of all files together.
    pub total: u64,
    /// Number of files.
    pub files: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { total: 8 * 1024 * 1024 * 1024, files: 500_000 }
    }
}

impl Limits {
    pub(super) fn check(&self, total: u64, files: usize) -> Result<(), BundleError> {
        if total > self.total {
            let reason = format!("its files have {total} bytes, {} are allowed", self.total);
            return Err(BundleError::TooLarge(reason));
        }
        if files > self.files {
            let reason = format!("it has {files} files, {} are allowed", self.files);
            return Err(BundleError::TooLarge(reason));
        }
        Ok(())
    }
}

/// Checks that a bundle matches its manifest, for tools that read it as `.tar.gz` and for a server that reads
/// single members.
pub fn verify(path: &Path, limits: Limits) -> Result<Manifest, BundleError> {
    let (manifest, signed) = walk(BufReader::new(File::open(path)?), limits)?;
    if signature(&File::open(path)?)? != signed {
        return Err(BundleError::invalid("its end has another signature than its archive"));
    }
    let bundle = Bundle::open(path)?;
    if !bundle.agrees_with(&manifest) {
        return Err(BundleError::invalid("its end names another manifest than its manifest.json"));
    }
    bundle.files().par_iter().try_for_each(|file| check_member(&bundle, file))?;
    Ok(manifest)
}

/// Checks that a member contains exactly the file, in the form of the index.
fn check_member(bundle: &Bundle, file: &FileEntry) -> Result<(), BundleError> {
    let good = has_plain_header(bundle, file)?
        && inflates_to_file(bundle, file)?
        && (!file.member.stored || stores_file(bundle, file)?);
    let reason = || BundleError::invalid(format!("{} is not where its index says", file.path));
    good.then_some(()).ok_or_else(reason)
}

/// Nothing in the header of a member can need a look: it is sent to browsers as it is.
fn has_plain_header(bundle: &Bundle, file: &FileEntry) -> io::Result<bool> {
    let mut header = [0; HEADER.len()];
    bundle.read_at(file.member.offset, &mut header)?;
    Ok(header == HEADER)
}

fn inflates_to_file(bundle: &Bundle, file: &FileEntry) -> Result<bool, BundleError> {
    let mut decoder = bundle.decoder(file);
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 32 * 1024];
    let mut size = 0;
    while size <= file.size {
        let read = decoder.read(&mut buffer).map_err(BundleError::damaged)?;
        if read == 0 {
            break;
        }
        size += read as u64;
        hash.update(&buffer[..read]);
    }
    let nothing_follows = decoder.get_mut().fill_buf()?.is_empty();
    Ok(size == file.size && hash.finalize() == file.sha256.0 && nothing_follows)
}

/// Whether computed offsets also lead to the stored contents.
fn stores_file(bundle: &Bundle, file: &FileEntry) -> io::Result<bool> {
    if file.member.length != stored_length(file.size) {
        return Ok(false);
    }
    let mut hash = Sha256::new();
    for piece in file.member.stored_range(file.size, 0..file.size) {
        let mut bytes = vec![0; usize::try_from(piece.end - piece.start).unwrap_or_default()];
        let read = bundle.read_at(piece.start, &mut bytes)?;
        hash.update(&bytes[..read]);
    }
    Ok(hash.finalize() == file.sha256.0)
}
