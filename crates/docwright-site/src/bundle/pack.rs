//! Making a bundle of a folder.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::Path,
};

use flate2::{Compression, GzBuilder};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::{BundleError, BundleInfo, FileEntry, MANIFEST, Manifest};

/// Packs the site in a folder into `output` and returns its manifest.
pub fn pack(folder: &Path, info: &BundleInfo, output: impl Write) -> Result<Manifest, BundleError> {
    let mut paths = Vec::new();
    collect(folder, "", &mut paths)?;
    paths.sort_unstable();
    let files: io::Result<Vec<_>> = paths.par_iter().map(|path| entry(folder, path)).collect();
    let manifest = Manifest {
        generator: concat!("docwright ", env!("CARGO_PKG_VERSION")).to_owned(),
        version: info.version.clone(),
        commit: info.commit.clone(),
        page_count: info.page_count,
        redirects: info.redirects.clone(),
        files: files?,
    };
    // No time and no operating system in the header, so that it is the same everywhere.
    let gzip = GzBuilder::new().mtime(0).operating_system(255).write(output, Compression::new(6));
    let mut archive = tar::Builder::new(gzip);
    let json = serde_json::to_vec_pretty(&manifest).map_err(io::Error::other)?;
    append(&mut archive, MANIFEST, json.len() as u64, json.as_slice())?;
    for file in &manifest.files {
        append(&mut archive, &file.path, file.size, File::open(folder.join(&file.path))?)?;
    }
    archive.into_inner()?.finish()?.flush()?;
    Ok(manifest)
}

fn collect(folder: &Path, prefix: &str, paths: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder.join(prefix))? {
        let entry = entry?;
        let name = entry
            .file_name()
            .into_string()
            .map_err(|name| io::Error::other(format!("{} is not UTF-8", name.display())))?;
        let path = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
        if entry.file_type()?.is_dir() {
            collect(folder, &path, paths)?;
        } else if path != MANIFEST {
            paths.push(path);
        }
    }
    Ok(())
}

fn entry(folder: &Path, path: &str) -> io::Result<FileEntry> {
    let mut file = File::open(folder.join(path))?;
    let mut hash = Sha256::new();
    let mut size = 0;
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        hash.update(&buffer[..read]);
        size += read as u64;
    }
    Ok(FileEntry { path: path.to_owned(), size, sha256: hex::encode(hash.finalize()) })
}

fn append(
    archive: &mut tar::Builder<impl Write>,
    path: &str,
    size: u64,
    contents: impl Read,
) -> io::Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Regular);
    header.set_size(size);
    header.set_mode(0o644);
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    archive.append_data(&mut header, path, contents)
}
