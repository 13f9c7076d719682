//! Identifies the code of the compiler, so that a build doesn't use results of another one. A version alone doesn't:
//! it stays while code, styles, and scripts change.

use std::{
    fs,
    hash::{DefaultHasher, Hasher},
    io,
    path::{Path, PathBuf},
};

/// What the compiler is made from, below the folder of its crate.
const SOURCES: [&str; 6] =
    ["src", "assets", "build", "build.rs", "../docwright-types/src", "../../Cargo.lock"];

/// Sets the variable with the hash of all sources, and lets Cargo compute it again if one changes.
pub(super) fn identify() -> io::Result<()> {
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
    }
    println!("cargo::rustc-env=DOCWRIGHT_SITE_CODE={}", hash(&SOURCES)?);
    Ok(())
}

/// The hash of files and folders, in hexadecimal digits.
pub(super) fn hash(sources: &[&str]) -> io::Result<String> {
    let mut hash = DefaultHasher::new();
    sources.iter().try_for_each(|source| add(Path::new(source), &mut hash))?;
    Ok(format!("{:016x}", hash.finish()))
}

/// Adds the names and contents of the files at a path.
fn add(path: &Path, hash: &mut DefaultHasher) -> io::Result<()> {
    if !path.is_dir() {
        let contents = fs::read(path)?;
        let name = path.to_string_lossy();
        for part in [name.as_bytes(), &contents] {
            hash.write_usize(part.len());
            hash.write(part);
        }
        return Ok(());
    }
    let entries = fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = entries.collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    paths.iter().filter(|path| !path.ends_with("node_modules")).try_for_each(|path| add(path, hash))
}
