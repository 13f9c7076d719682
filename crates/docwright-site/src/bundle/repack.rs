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
/// and only if all is well. A file beside it, whose name ends in `.partial`, is written to meanwhile.
pub fn repack(bundle: &Path, target: &Path, limits: Limits) -> Result<(), BundleError> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let writer = BundleWriter::new(tempfile::tempfile_in(folder)?);
    let bundle = BufReader::new(File::open(bundle)?);
    let manifest = walk(bundle, limits, |path, size, contents| {
        if size > MAXIMUM_FILE {
            return Err(BundleError::TooLarge(format!("{path} has {size} bytes")));
        }
        let mut bytes = Vec::new();
        contents.read_to_end(&mut bytes).map_err(BundleError::damaged)?;
        Ok(writer.write(path, &bytes)?)
    })?;
    // Two processes may be at it at once, so that the name is the writer's own.
    let mut partial = tempfile::Builder::new().suffix(".partial").tempfile_in(folder)?;
    let mut file = BufWriter::new(partial.as_file_mut());
    writer.finish(manifest.about, &mut file)?;
    file.flush()?;
    drop(file);
    partial.as_file().sync_all()?;
    partial.persist(target).map_err(|error| error.error)?;
    Ok(())
}
