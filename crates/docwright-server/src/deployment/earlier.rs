//! Versions of an earlier docwright, which kept each as a folder of files: packed once into a bundle.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::Path,
};

use anyhow::{Context, bail, ensure};
use docwright_site::{
    bundle::{BundleWriter, FileEntry, Manifest},
    output::Output,
    source::is_safe_path,
};

use super::versions::sync_folder;

/// Packs the folder of a version into a bundle, and removes the folder once that is whole. Does nothing
/// where there is no folder.
pub(super) fn pack(folder: &Path, target: &Path) -> anyhow::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    if !target.exists() {
        tracing::info!(folder = %folder.display(), "packing the version of an earlier docwright");
        write_bundle(folder, target)
            .with_context(|| format!("the version in {} can't be packed", folder.display()))?;
    }
    fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))
}

fn write_bundle(folder: &Path, target: &Path) -> anyhow::Result<()> {
    let beside = target.parent().context("a version lies in a folder")?;
    let manifest = Manifest::read(folder).context("its manifest.json can't be read")?;
    let writer = BundleWriter::new(tempfile::tempfile_in(beside)?);
    for FileEntry { path, .. } in &manifest.files {
        ensure!(is_safe_path(path), "{path:?} is not a path within the site");
        writer.copy(path, &folder.join(&**path)).with_context(|| format!("cannot read {path}"))?;
    }
    let partial = target.with_added_extension("partial");
    let mut output = BufWriter::new(File::create(&partial)?);
    let written = writer.finish(manifest.about, &mut output)?;
    output.flush()?;
    let promised = manifest.files.iter().map(|file| (&file.path, &file.sha256));
    let differs = written.files.iter().map(|file| (&file.path, &file.sha256)).ne(promised);
    if differs {
        fs::remove_file(&partial)?;
        bail!("its files are not those that its manifest.json describes");
    }
    output.get_ref().sync_all()?;
    fs::rename(&partial, target)?;
    Ok(sync_folder(beside)?)
}
