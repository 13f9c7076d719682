//! Which folder of a repository is the docs root.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{SourceError, is_safe_path};

/// Folders are searched this deep.
pub(super) const MAXIMUM_DEPTH: usize = 4;
/// Names of the configuration, in search order.
pub(super) const CONFIGURATION: &[&str] = &["docs.json", "mint.json"];

/// The folder with the configuration: `folder` itself, or the only one below it. Only for trusted folders,
/// since `folder` can be a link.
pub fn find_root(folder: &Path) -> Result<PathBuf, SourceError> {
    search_from(folder, |path| path.display().to_string())
}

/// The docs root at or below `docs_path` in an untrusted folder, such as a checkout. The path can be empty. It
/// can contain links, but neither it nor the configuration can leave the folder. The result is canonical;
/// errors contain only paths below the folder.
pub fn find_root_within(folder: &Path, docs_path: &str) -> Result<PathBuf, SourceError> {
    let named = if docs_path == "." { "" } else { docs_path };
    if !named.is_empty() && !is_safe_path(named) {
        return Err(SourceError::UnsafePath { path: docs_path.to_owned() });
    }
    let unreadable = |error| SourceError::Unreadable { path: "the repository".to_owned(), error };
    let folder = folder.canonicalize().map_err(unreadable)?;
    let no_folder = || {
        let elsewhere = elsewhere(&folder);
        SourceError::NoFolder { path: docs_path.to_owned(), elsewhere }
    };
    let start = folder.join(named).canonicalize().map_err(|_| no_folder())?;
    if !start.starts_with(&folder) {
        let (path, leaves) = (docs_path.to_owned(), "the repository");
        return Err(SourceError::LinkOutside { path, leaves });
    }
    if !start.is_dir() || !is_within(&start, &folder) {
        return Err(no_folder());
    }
    let root = search_from(&start, |path| below(path, &folder)).map_err(|error| match error {
        SourceError::NoRoot { path, .. } if start != folder => {
            SourceError::NoRoot { path, elsewhere: elsewhere(&folder) }
        }
        error => error,
    })?;
    check_configuration(&root, &folder)?;
    Ok(root)
}

/// Folders of a repository with a configuration, for people to choose from.
fn elsewhere(folder: &Path) -> Vec<String> {
    if holds_configuration(folder) {
        return vec!["the top of the repository".to_owned()];
    }
    let mut roots = Vec::new();
    search(folder, 0, &mut roots);
    roots.sort();
    roots.iter().map(|root| below(root, folder)).collect()
}

/// The configuration file must be below the docs root.
fn check_configuration(root: &Path, folder: &Path) -> Result<(), SourceError> {
    let file = CONFIGURATION.iter().map(|name| root.join(name)).find(|file| file.is_file());
    match file {
        Some(file) if !file.canonicalize().is_ok_and(|target| is_within(&target, root)) => {
            let (path, leaves) = (below(&file, folder), "the docs root");
            Err(SourceError::LinkOutside { path, leaves })
        }
        _ => Ok(()),
    }
}

/// Whether a canonical path is below a folder, and no part of git's own data.
fn is_within(path: &Path, folder: &Path) -> bool {
    path.strip_prefix(folder)
        .is_ok_and(|below| below.components().all(|part| part.as_os_str() != ".git"))
}

/// A path as seen from a folder.
fn below(path: &Path, folder: &Path) -> String {
    match path.strip_prefix(folder) {
        Ok(below) if !below.as_os_str().is_empty() => below.display().to_string(),
        _ => "the repository".to_owned(),
    }
}

/// `show` formats a folder for errors.
fn search_from(folder: &Path, show: impl Fn(&Path) -> String) -> Result<PathBuf, SourceError> {
    if holds_configuration(folder) {
        return Ok(folder.to_path_buf());
    }
    fs::read_dir(folder).map_err(|error| SourceError::Unreadable { path: show(folder), error })?;
    let mut roots = Vec::new();
    search(folder, 0, &mut roots);
    roots.sort();
    match roots.len() {
        0 => Err(SourceError::NoRoot { path: show(folder), elsewhere: Vec::new() }),
        1 => Ok(roots.remove(0)),
        _ => Err(SourceError::SeveralRoots {
            folders: roots.iter().map(|root| show(root)).collect(),
        }),
    }
}

fn holds_configuration(folder: &Path) -> bool {
    CONFIGURATION.iter().any(|name| folder.join(name).is_file())
}

fn search(folder: &Path, depth: usize, roots: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
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
