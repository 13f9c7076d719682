//! Bundles of earlier versions, made into ones that can be served in place.

use std::{
    fs::File,
    io::{BufReader, BufWriter, Write},
    path::Path,
};

use super::{BundleError, BundleWriter, Limits, archive::walk};
use crate::output::Output;

/// A file of an old bundle is held in memory while it is deflated. Bytes.
const MAXIMUM_FILE: u64 = 512 * 1024 * 1024;

/// Checks a bundle of either form and writes it anew to `target`. What is there is replaced, at once
/// and only if all is well; `target` with `.partial` behind its name is written to meanwhile.
pub fn repack(bundle: &Path, target: &Path, limits: Limits) -> Result<(), BundleError> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let writer = BundleWriter::new(tempfile::tempfile_in(folder.unwrap_or(Path::new(".")))?);
    let bundle = BufReader::new(File::open(bundle)?);
    let manifest = walk(bundle, limits, |path, size, contents| {
        if size > MAXIMUM_FILE {
            return Err(BundleError::TooLarge(format!("{path} has {size} bytes")));
        }
        let mut bytes = Vec::new();
        contents.read_to_end(&mut bytes).map_err(BundleError::damaged)?;
        Ok(writer.write(path, &bytes)?)
    })?;
    let partial = target.with_added_extension("partial");
    let written = write(writer, manifest.about, &partial);
    if written.is_err() {
        // It may not be there at all.
        drop(std::fs::remove_file(&partial));
    }
    written?;
    Ok(std::fs::rename(&partial, target)?)
}

fn write(writer: BundleWriter, about: super::About, partial: &Path) -> Result<(), BundleError> {
    let mut file = BufWriter::new(File::create(partial)?);
    writer.finish(about, &mut file)?;
    file.flush()?;
    Ok(file.get_ref().sync_all()?)
}
