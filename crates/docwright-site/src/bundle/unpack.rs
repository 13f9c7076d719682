//! Unpacking a bundle that may be damaged, or made to do damage.
//!
//! Nothing is where a reader could see it until all of it is checked: files go to a folder beside
//! the target, which takes its place at the end.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};

use super::{BundleError, FileEntry, MANIFEST, Manifest};
use crate::source::is_safe_path;

/// The manifest lists a few hundred thousand files at the most. Bytes.
const MAXIMUM_MANIFEST: u64 = 64 * 1024 * 1024;

/// How large an unpacked bundle may be.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of all files together.
    pub total: u64,
    /// Number of files.
    pub files: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { total: 8 * 1024 * 1024 * 1024, files: 500_000 }
    }
}

/// Checks a bundle and unpacks it to `target`, which must not exist. All or nothing.
pub fn unpack(bundle: impl Read, target: &Path, limits: Limits) -> Result<Manifest, BundleError> {
    let partial = partial_folder(target)?;
    let outcome = unpack_into(bundle, &partial, limits);
    match outcome {
        Ok(manifest) => {
            fs::rename(&partial, target)?;
            Ok(manifest)
        }
        Err(error) => {
            // What is left is found and removed before the next attempt.
            drop(fs::remove_dir_all(&partial));
            Err(error)
        }
    }
}

fn partial_folder(target: &Path) -> io::Result<PathBuf> {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    let partial = target.with_file_name(name);
    if partial.exists() {
        fs::remove_dir_all(&partial)?;
    }
    fs::create_dir_all(&partial)?;
    Ok(partial)
}

fn unpack_into(bundle: impl Read, folder: &Path, limits: Limits) -> Result<Manifest, BundleError> {
    let mut archive = tar::Archive::new(GzDecoder::new(bundle));
    let mut entries = archive.entries().map_err(damaged)?;
    let first = entries.next().ok_or_else(|| invalid("it is empty"))?.map_err(damaged)?;
    let manifest = read_manifest(first, limits)?;
    let mut expected: BTreeMap<&str, &FileEntry> =
        manifest.files.iter().map(|file| (file.path.as_str(), file)).collect();
    for entry in entries {
        let entry = entry.map_err(damaged)?;
        let path = entry_path(&entry)?;
        let file = expected
            .remove(path.as_str())
            .ok_or_else(|| invalid(&format!("{path} is not in its manifest, or is there twice")))?;
        write_entry(entry, file, folder)?;
    }
    if let Some(path) = expected.keys().next() {
        Err(invalid(&format!("{path} is missing")))
    } else {
        fs::write(
            folder.join(MANIFEST),
            serde_json::to_vec_pretty(&manifest).map_err(io::Error::other)?,
        )?;
        Ok(manifest)
    }
}

fn read_manifest(
    entry: tar::Entry<'_, impl Read>,
    limits: Limits,
) -> Result<Manifest, BundleError> {
    if entry_path(&entry)? != MANIFEST || entry.size() > MAXIMUM_MANIFEST {
        return Err(invalid("it does not begin with a manifest"));
    }
    let mut json = Vec::new();
    entry.take(MAXIMUM_MANIFEST).read_to_end(&mut json).map_err(damaged)?;
    let manifest: Manifest = serde_json::from_slice(&json)
        .map_err(|error| invalid(&format!("its manifest can't be read: {error}")))?;
    let mut folded = BTreeSet::new();
    let mut total: u64 = 0;
    for file in &manifest.files {
        if !is_safe_path(&file.path) || file.path == MANIFEST {
            return Err(invalid(&format!("{:?} is not a path within the site", file.path)));
        }
        if !folded.insert(&file.path) {
            return Err(invalid(&format!("{} is in its manifest twice", file.path)));
        }
        total = total.saturating_add(file.size);
    }
    if total > limits.total {
        return Err(BundleError::TooLarge(format!(
            "its files have {total} bytes, {} are allowed",
            limits.total
        )));
    }
    if manifest.files.len() > limits.files {
        return Err(BundleError::TooLarge(format!(
            "it has {} files, {} are allowed",
            manifest.files.len(),
            limits.files
        )));
    }
    Ok(manifest)
}

/// The path of an entry, if it is a plain file within the site.
fn entry_path(entry: &tar::Entry<'_, impl Read>) -> Result<String, BundleError> {
    let path = entry.path_bytes();
    let path = String::from_utf8(path.into_owned())
        .map_err(|_| invalid("it holds a name that is not UTF-8"))?;
    if !is_safe_path(&path) {
        return Err(invalid(&format!("{path:?} is not a path within the site")));
    }
    if entry.header().entry_type() != tar::EntryType::Regular {
        return Err(invalid(&format!("{path} is not a plain file")));
    }
    Ok(path)
}

/// Writes one file and compares it with the manifest, whatever the archive says of its size.
fn write_entry(
    mut entry: tar::Entry<'_, impl Read>,
    file: &FileEntry,
    folder: &Path,
) -> Result<(), BundleError> {
    if entry.size() != file.size {
        return Err(invalid(&format!("{} has another size than its manifest says", file.path)));
    }
    let target = folder.join(&file.path);
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut output = File::create_new(&target)?;
    let mut hash = Sha256::new();
    let mut written = 0;
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = entry.read(&mut buffer).map_err(damaged)?;
        if read == 0 {
            break;
        }
        hash.update(&buffer[..read]);
        output.write_all(&buffer[..read])?;
        written += read as u64;
    }
    if written != file.size || hex::encode(hash.finalize()) != file.sha256 {
        return Err(invalid(&format!("{} is not the file that its manifest describes", file.path)));
    }
    Ok(())
}

fn invalid(reason: &str) -> BundleError {
    BundleError::Invalid(reason.to_owned())
}

fn damaged(error: io::Error) -> BundleError {
    BundleError::Invalid(format!("it is cut off or damaged ({error})"))
}
