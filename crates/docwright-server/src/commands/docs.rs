//! docwright's own manual, which the binary carries for the demo.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Path and contents of each file; made by the build script from `docs/`.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/manual.rs"));

/// Writes the manual to a folder.
pub(crate) fn write(folder: &Path) -> io::Result<PathBuf> {
    for (path, contents) in FILES {
        let target = folder.join(path);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(target, contents)?;
    }
    folder.canonicalize()
}
