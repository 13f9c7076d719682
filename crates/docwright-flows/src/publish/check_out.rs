//! Getting the files of a repository: a folder as it is, or a fresh clone.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use docwright_site::source::{find_root, is_safe_path};
use docwright_storage::database::Project;
use url::Url;

use super::PublishError;
use crate::git::{ask, without_credentials};

/// Schemes that git may be given. `ext::` and the like would run commands.
const SCHEMES: &[&str] = &["https", "http", "ssh", "git", "file"];

/// A docs root on disk.
#[derive(Debug)]
pub(super) struct Checkout {
    /// The folder that holds the configuration.
    pub(super) root: PathBuf,
    /// The commit that it holds, and nothing else; unknown for a folder with changes of its own.
    pub(super) commit: Option<String>,
    /// Whether it is a clone of docwright's own, with the newest commit only.
    pub(super) is_clone: bool,
}

/// Whether a repository is a folder or an address that git may be given.
pub fn check_repository(repository: &str) -> Result<(), String> {
    let built_in = repository == docwright_storage::database::BUILT_IN;
    if built_in || Path::new(repository).is_dir() || is_git_address(repository) {
        return Ok(());
    }
    Err(format!(
        "`{repository}` is neither a folder nor a git address; use https://…, ssh://…, a path that exists, or `built-in`"
    ))
}

/// Puts the project's files at hand. A clone goes below `scratch`.
pub(super) fn check_out(project: &Project, scratch: &Path) -> Result<Checkout, PublishError> {
    let repository = project.repository.as_str();
    let is_clone = !Path::new(repository).is_dir();
    let (folder, commit) = if is_clone {
        let clone = scratch.join("repository");
        clone_into(repository, &clone)?;
        let commit = ask(&clone, &["rev-parse", "HEAD"]);
        (clone, commit)
    } else {
        (PathBuf::from(repository), clean_commit(Path::new(repository)))
    };
    let docs = project.docs_path.trim_matches('/');
    if !docs.is_empty() && !is_safe_path(docs) {
        return Err(PublishError::Repository(format!("`{docs}` is no path within it")));
    }
    Ok(Checkout { root: find_root(&folder.join(docs))?, commit, is_clone })
}

fn is_git_address(text: &str) -> bool {
    match Url::parse(text) {
        Ok(url) => SCHEMES.contains(&url.scheme()),
        // The short form of SSH: user@host:path.
        Err(_) => text.split_once(':').is_some_and(|(host, path)| {
            host.contains('@') && !host.starts_with('-') && !path.is_empty()
        }),
    }
}

fn clone_into(repository: &str, target: &Path) -> Result<(), PublishError> {
    if !is_git_address(repository) {
        return Err(PublishError::Repository(format!("there is no folder {repository}")));
    }
    let output = Command::new("git")
        .args(["clone", "--quiet", "--depth", "1", "--"])
        .arg(repository)
        .arg(target)
        // Nobody is there to answer a question.
        .env("GIT_TERMINAL_PROMPT", "0")
        .output()
        .map_err(|error| {
            PublishError::Repository(format!("git can't be run ({error}); install git"))
        })?;
    if output.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    Err(PublishError::Repository(without_credentials(message.trim())))
}

fn clean_commit(folder: &Path) -> Option<String> {
    ask(folder, &["status", "--porcelain"]).filter(String::is_empty)?;
    ask(folder, &["rev-parse", "HEAD"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_git_pass() {
        for address in
            ["https://e.org/a.git", "ssh://git@e.org/a", "git@e.org:a/b.git", "file:///srv/a"]
        {
            assert!(is_git_address(address), "{address}");
        }
        for address in ["ext::sh -c x", "-oProxyCommand=x@y:z", "no/such/folder", "fd::17"] {
            assert!(!is_git_address(address), "{address}");
        }
    }
}
