//! Packs repositories: each push adds loose objects, and each fetch a pack, and git commands read all of them. Git's
//! own upkeep is off, since it would run beside the command that started it.

use std::{
    fs, io,
    path::Path,
    time::{Duration, SystemTime},
};

use crate::git::{Git, GitError};

/// Packs that git keeps apart by default (`gc.autoPackLimit`). Each command opens all of them.
const PACKS: usize = 50;
/// Loose objects that are kept. Measuring a repository reads each.
const LOOSE_OBJECTS: usize = 2_000;
/// Folders over which git spreads loose objects evenly.
const FOLDERS: usize = 256;
/// Time limit of packing one repository.
const TIMEOUT: Duration = Duration::from_mins(10);
/// Files and folders that a running command of git can still use are younger.
const ABANDONED: Duration = Duration::from_hours(24);

/// Whether a repository has many packs or loose objects. Reads two of its folders.
pub fn is_scattered(repository: &Path) -> bool {
    let objects = repository.join("objects");
    let packs = names(&objects.join("pack")).filter(|name| name.ends_with(".pack")).count();
    // Like git, this counts one folder instead of all.
    packs > PACKS || names(&objects.join("17")).count() * FOLDERS > LOOSE_OBJECTS
}

/// Packs the objects of a repository, also those that no branch reaches: pull requests and releases can name them.
/// The largest packs stay, so this takes time for what is new. Others can use the repository meanwhile.
///
/// # Errors
///
/// If git fails, such as on a full disk. The repository is as before.
pub async fn pack_all(git: &Git, repository: &Path) -> Result<(), GitError> {
    run(git, repository, &["repack", "-d", "--quiet", "--geometric=2"]).await
}

/// Packs the objects that refs of a repository reach, and removes all others. The repository must not be in
/// use.
///
/// # Errors
///
/// If git fails, such as on a full disk. The repository is as before.
pub(crate) async fn pack_reachable(git: &Git, repository: &Path) -> Result<(), GitError> {
    run(git, repository, &["gc", "--quiet", "--prune=now"]).await
}

/// Leaves processor time and memory to jobs and readers: git would use all cores, and compare whole files in memory.
async fn run(git: &Git, repository: &Path, arguments: &[&str]) -> Result<(), GitError> {
    let git = git.clone().with_timeout(TIMEOUT).with_config("pack.threads", "1");
    let git =
        git.with_config("pack.windowMemory", "64m").with_config("core.bigFileThreshold", "16m");
    let outcome = git.run(repository, arguments).await.map(drop);
    if outcome.is_err() {
        // A command that reached its time limit could not do this itself.
        remove_unfinished(&repository.join("objects/pack"));
    }
    outcome
}

/// Removes packs that a command was writing. A push writes its pack to another folder first.
fn remove_unfinished(packs: &Path) {
    for name in names(packs).filter(|name| is_temporary(name)) {
        if let Err(error) = fs::remove_file(packs.join(&name)) {
            tracing::warn!(name, %error, "unfinished pack not removed");
        }
    }
}

/// Removes what killed commands left among the objects of a repository. Returns how many files and folders.
///
/// # Errors
///
/// If one can't be removed.
pub fn remove_abandoned(repository: &Path, now: SystemTime) -> io::Result<usize> {
    let objects = repository.join("objects");
    let mut removed = 0;
    for folder in [objects.join("pack"), objects] {
        for name in names(&folder).filter(|name| is_temporary(name)) {
            let path = folder.join(name);
            // Git can remove it in the meantime.
            let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
            let written = metadata.modified()?;
            if now.duration_since(written).is_ok_and(|age| age > ABANDONED) {
                if metadata.is_dir() {
                    fs::remove_dir_all(&path)?;
                } else {
                    fs::remove_file(&path)?;
                }
                removed += 1;
            }
        }
    }
    Ok(removed)
}

/// Whether git gives a file or folder this name until its command is done.
pub(crate) fn is_temporary(name: &str) -> bool {
    ["tmp_", ".tmp-"].iter().any(|start| name.starts_with(start))
}

/// Names in a folder; none if it can't be read.
fn names(folder: &Path) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::Environment;

    #[tokio::test]
    async fn command_that_fails_leaves_no_unfinished_pack() {
        let folder = tempfile::tempdir().unwrap();
        let git = Git::new(&Environment::for_testing(folder.path()));
        git.run(folder.path(), &["init", "--quiet", "--bare"]).await.unwrap();
        let packs = folder.path().join("objects/pack");
        for name in [".tmp-7-pack-a.pack", "pack-a.pack", "tmp_pack_b"] {
            fs::write(packs.join(name), "").unwrap();
        }
        let stopped = git.with_config("alias.stopped", "!kill -9 $$");
        assert!(run(&stopped, folder.path(), &["stopped"]).await.is_err());
        assert_eq!(names(&packs).collect::<Vec<_>>(), ["pack-a.pack"]);
    }
}
