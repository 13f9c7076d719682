//! Lists the files of `docs/`, for the binary to carry.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, error::Error, fs, io};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let docs = Path::new("../../docs").canonicalize()?;
    println!("cargo::rerun-if-changed={}", docs.display());
    let mut paths = Vec::new();
    collect(&docs, &mut paths)?;
    paths.sort();
    let mut list = String::from("&[\n");
    for path in paths {
        let name = path.strip_prefix(&docs)?.to_string_lossy().replace('\\', "/");
        writeln!(list, "({name:?}, include_bytes!({:?})),", path.display().to_string())?;
    }
    list.push(']');
    Ok(fs::write(PathBuf::from(env::var("OUT_DIR")?).join("manual.rs"), list)?)
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { collect(&path, paths)? } else { paths.push(path) }
    }
    Ok(())
}
