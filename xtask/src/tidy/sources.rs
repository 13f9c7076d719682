//! The Rust files of the repository, and rules about one file alone.

use std::path::{Path, PathBuf};

use crate::process;

/// Names that say nothing about what a module is for.
const EMPTY_NAMES: &[&str] = &["util", "utils", "helper", "helpers", "common", "misc", "shared"];

/// A Rust file.
#[derive(Debug)]
pub(crate) struct SourceFile {
    /// Path below the root of the repository, with `/`.
    pub(crate) path: String,
    /// Its text.
    pub(crate) text: String,
}

impl SourceFile {
    /// Whether it only holds tests.
    pub(crate) fn is_test(&self) -> bool {
        self.path.contains("/tests/") || self.path.ends_with("/tests.rs")
    }
}

/// Reads every Rust file of the workspace, sorted by path.
pub(crate) fn read() -> anyhow::Result<Vec<SourceFile>> {
    let root = process::root();
    let mut files = Vec::new();
    for folder in ["crates", "xtask"] {
        collect(&root, &root.join(folder), &mut files)?;
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(files)
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<SourceFile>) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path: PathBuf = entry?.path();
        if path.is_dir() {
            if !path.ends_with("fixtures") && !path.ends_with("node_modules") {
                collect(root, &path, files)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path)?;
            let path = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
            files.push(SourceFile { path, text });
        }
    }
    Ok(())
}

/// Every module opens with what it owns and what it leaves to others.
pub(crate) fn check_header(file: &SourceFile) -> Option<String> {
    let opens = file.text.starts_with("//!");
    (!opens && !file.path.ends_with("/tests.rs"))
        .then(|| format!("{}: opens without `//!`: say what the module owns", file.path))
}

/// A module is named after what it is for.
pub(crate) fn check_name(file: &SourceFile) -> Option<String> {
    let mut parts = file.path.trim_end_matches(".rs").split('/');
    let empty = parts.find(|part| EMPTY_NAMES.contains(part))?;
    Some(format!("{}: `{empty}` says nothing; name the module after what it is for", file.path))
}
