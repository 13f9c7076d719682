//! Local folders with a project's files: found, and checked, before a request names them.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use docwright_repository::location::Location;
use docwright_site::source::find_root_within;

use super::Client;

/// The location of files in the form of the request. The service can run in another folder, so paths become
/// absolute. Warns on the standard error about obstacles to a release; `docs` is the path of the docs root. A
/// remote instance has other folders.
pub(super) fn named(client: &Client, text: &str, docs: Option<&str>) -> anyhow::Result<String> {
    if matches!(client, Client::Remote(_)) {
        return Ok(text.to_owned());
    }
    let Ok(Location::Folder(folder)) = Location::parse(text) else { return Ok(text.to_owned()) };
    let folder = std::fs::canonicalize(&folder)
        .with_context(|| format!("folder {} not found", folder.display()))?;
    if is_git_folder(&folder) {
        warn_of_owner(&folder);
    } else if folder.is_dir() {
        warn(&folder, docs.unwrap_or_default());
    }
    Ok(folder.display().to_string())
}

/// The folder of `--import`, as an absolute path.
pub(super) fn import(folder: &Path, docs: &str) -> anyhow::Result<PathBuf> {
    let found = std::fs::canonicalize(folder)
        .with_context(|| format!("--import: folder {} not found", folder.display()))?;
    ensure!(found.is_dir(), "--import: {} is a file; use a folder", found.display());
    if is_git_folder(&found) {
        bail!(
            "--import: {} is a bare repository without files; use it with --repository, or import a checkout of it",
            found.display()
        );
    }
    warn(&found, docs);
    Ok(found)
}

/// Warns on the standard error if a folder can't be built as it is. It can still change until there is a build.
fn warn(folder: &Path, path: &str) {
    if let Err(error) = find_root_within(folder, path) {
        eprintln!(
            "warning: {}: {error}; docwright can't build releases of this project until you fix this",
            folder.display()
        );
    }
}

/// Whether this folder is itself a git repository, so it has no files.
fn is_git_folder(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

/// Warns on the standard error if a bare repository belongs to another user: git reads it only for its owner.
#[cfg(target_os = "linux")]
fn warn_of_owner(folder: &Path) {
    use std::os::unix::fs::MetadataExt;
    let me = rustix::process::geteuid().as_raw();
    if let Some(owner) =
        folder.metadata().ok().map(|about| about.uid()).filter(|owner| *owner != me)
    {
        eprintln!(
            "warning: {} belongs to the user {owner}, and git reads it for that user only; run `docwright serve` as that user, or give the repository to the one that runs it",
            folder.display()
        );
    }
}

#[cfg(not(target_os = "linux"))]
fn warn_of_owner(_: &Path) {}
