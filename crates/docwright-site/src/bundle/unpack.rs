//! Unpacking a bundle of either form into a folder.

use std::{fs, io, path::Path};

use super::{BundleError, Limits, MANIFEST, Manifest, archive::walk};

/// Checks a bundle and unpacks it to `target`, which must not exist. All or nothing.
pub fn unpack(
    bundle: impl io::Read,
    target: &Path,
    limits: Limits,
) -> Result<Manifest, BundleError> {
    let partial = target.with_added_extension("partial");
    if partial.exists() {
        fs::remove_dir_all(&partial)?;
    }
    fs::create_dir_all(&partial)?;
    let unpacked = walk(bundle, limits, |path, _, contents| {
        let file = partial.join(path);
        fs::create_dir_all(file.parent().unwrap_or(&partial))?;
        io::copy(contents, &mut fs::File::create_new(file)?).map_err(BundleError::damaged)?;
        Ok(())
    });
    if unpacked.is_err() {
        drop(fs::remove_dir_all(&partial));
    }
    let manifest = unpacked?;
    let json = serde_json::to_vec_pretty(&manifest).map_err(io::Error::other)?;
    fs::write(partial.join(MANIFEST), json)?;
    fs::rename(&partial, target)?;
    Ok(manifest)
}
