//! The manual of docwright, which its binary carries for the demo. A crate of its own: an edited sentence
//! compiles nothing else again.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Path and contents of each file; made by the build script from `docs/`.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/manual.rs"));

/// Writes the manual to a folder. Returns the full path of the folder.
pub fn write(folder: &Path) -> io::Result<PathBuf> {
    for (path, contents) in FILES {
        let target = folder.join(path);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(target, contents)?;
    }
    folder.canonicalize()
}
