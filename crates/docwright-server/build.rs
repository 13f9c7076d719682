//! Lists the files of `docs/`, so that the binary can carry the manual.

use std::{
    env,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    let docs = Path::new("../../docs").canonicalize()?;
    println!("cargo::rerun-if-changed={}", docs.display());
    let mut paths = Vec::new();
    collect(&docs, &mut paths)?;
    paths.sort();
    let mut list = String::from("&[\n");
    for path in paths {
        let name = path
            .strip_prefix(&docs)
            .map_err(io::Error::other)?
            .to_string_lossy()
            .replace('\\', "/");
        let _ = writeln!(list, "({name:?}, include_bytes!({:?})),", path.display().to_string());
    }
    list.push(']');
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("manual.rs"), list)
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { collect(&path, paths)? } else { paths.push(path) }
    }
    Ok(())
}
