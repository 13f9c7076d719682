//! The Rust files and other texts of the repository, and rules about single files.

use std::path::{Path, PathBuf};

use crate::process;

/// Names that don't describe a module's purpose.
const EMPTY_NAMES: &[&str] = &["util", "utils", "helper", "helpers", "common", "misc", "shared"];

/// Folders with third-party files, fixtures, or build results.
const SKIPPED_FOLDERS: &[&str] = &["fixtures", "node_modules", "target", ".venv", "dist"];

/// A file.
#[derive(Debug)]
pub(crate) struct SourceFile {
    /// Path relative to the repository, with `/`.
    pub(crate) path: String,
    /// Its text.
    pub(crate) text: String,
}

impl SourceFile {
    /// Whether the file contains only tests.
    pub(crate) fn is_test(&self) -> bool {
        self.path.contains("/tests/") || self.path.ends_with("/tests.rs")
    }
}

/// Reads all Rust files of the workspace, sorted by path.
pub(crate) fn read() -> anyhow::Result<Vec<SourceFile>> {
    collect_all(&["crates", "xtask"], &["rs"])
}

/// Reads all other texts of the repository, sorted by path: the manual, scripts, styles, SQL, and documents
/// in the root.
pub(crate) fn read_texts() -> anyhow::Result<Vec<SourceFile>> {
    let folders = ["crates", "xtask", "docs", "tests", "bench", "fuzz"];
    let mut files = collect_all(&folders, &["mdx", "md", "mjs", "js", "css", "sql"])?;
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = std::fs::read_to_string(process::root().join(name))?;
        files.push(SourceFile { path: name.to_owned(), text });
    }
    Ok(files)
}

fn collect_all(folders: &[&str], extensions: &[&str]) -> anyhow::Result<Vec<SourceFile>> {
    let root = process::root();
    let mut files = Vec::new();
    for folder in folders {
        collect(&root, &root.join(folder), extensions, &mut files)?;
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(files)
}

fn collect(
    root: &Path,
    folder: &Path,
    extensions: &[&str],
    files: &mut Vec<SourceFile>,
) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path: PathBuf = entry?.path();
        if path.is_dir() {
            if !SKIPPED_FOLDERS.iter().any(|skipped| path.ends_with(skipped)) {
                collect(root, &path, extensions, files)?;
            }
        } else if path
            .extension()
            .is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted))
        {
            let text = std::fs::read_to_string(&path)?;
            let path = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
            files.push(SourceFile { path, text });
        }
    }
    Ok(())
}

/// Every module starts with a comment on its purpose.
pub(crate) fn check_header(file: &SourceFile) -> Option<String> {
    let opens = file.text.starts_with("//!");
    (!opens && !file.path.ends_with("/tests.rs"))
        .then(|| format!("{}: opens without `//!`: say what the module owns", file.path))
}

/// A module is named after its purpose.
pub(crate) fn check_name(file: &SourceFile) -> Option<String> {
    let mut parts = file.path.trim_end_matches(".rs").split('/');
    let empty = parts.find(|part| EMPTY_NAMES.contains(part))?;
    Some(format!("{}: `{empty}` says nothing; name the module after what it is for", file.path))
}
