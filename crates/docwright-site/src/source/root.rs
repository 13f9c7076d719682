//! Which folder of a repository is the docs root.

use std::path::{Path, PathBuf};

use super::SourceError;

/// Folders are searched this deep.
const MAXIMUM_DEPTH: usize = 4;

/// The folder that holds the configuration: `folder` itself, or the only one below it.
pub fn find_root(folder: &Path) -> Result<PathBuf, SourceError> {
    if holds_configuration(folder) {
        return Ok(folder.to_path_buf());
    }
    std::fs::read_dir(folder)
        .map_err(|error| SourceError::Unreadable { path: folder.to_path_buf(), error })?;
    let mut roots = Vec::new();
    search(folder, 0, &mut roots);
    roots.sort();
    match roots.len() {
        0 => Err(SourceError::NoRoot { path: folder.to_path_buf() }),
        1 => Ok(roots.remove(0)),
        _ => Err(SourceError::SeveralRoots {
            folders: roots.iter().map(|root| root.display().to_string()).collect(),
        }),
    }
}

fn holds_configuration(folder: &Path) -> bool {
    ["docs.json", "mint.json"].iter().any(|name| folder.join(name).is_file())
}

fn search(folder: &Path, depth: usize, roots: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let hidden = name.to_string_lossy().starts_with('.') || name == "node_modules";
        // `file_type` does not follow links, so the search can't leave the folder or run in circles.
        if hidden || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let path = entry.path();
        if holds_configuration(&path) {
            roots.push(path);
        } else if depth + 1 < MAXIMUM_DEPTH {
            search(&path, depth + 1, roots);
        }
    }
}
