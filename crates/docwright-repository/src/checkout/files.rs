//! Writes the files of a commit, once for all users.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use super::{CheckoutError, Limits, inventory, working_tree::WorkingTree};
use crate::{
    clones::{CloneInUse, PARTIAL, shared, try_exclusive},
    git::Git,
};

/// The files of a commit, in a folder that is complete as soon as it exists, with the lock that keeps them.
pub(super) async fn of_commit(
    git: &Git,
    repository: &Path,
    clone: &CloneInUse,
    commit: &str,
    limits: &Limits,
) -> Result<(PathBuf, File), CheckoutError> {
    let all = clone.files();
    let folder = all.join(commit);
    let lock_path = folder.with_extension("lock");
    let lock = shared(&lock_path).await?;
    // The time of the last use is that of the lock file.
    fs::write(&lock_path, "")?;
    if !folder.is_dir() {
        inventory::check(git, repository, commit, limits).await?;
        let partial = tempfile::Builder::new().prefix(PARTIAL).tempdir_in(&all)?;
        let updated = from_unused(git, (&all, partial.path()), repository, commit).await?;
        let tree = if let Some(tree) = updated {
            tree
        } else {
            let tree = WorkingTree::new(partial.path().join("whole"), git);
            tree.write(repository, commit).await?;
            tree
        };
        // Another job might have written them first; its files are the same.
        tree.move_to(&folder)?;
    }
    Ok((WorkingTree::new(folder, git).files().canonicalize()?, lock))
}

/// The files of a commit, made in the folder `partial` from those of another commit that nobody uses: few of them differ
/// between commits of a site. `None` if that isn't possible.
async fn from_unused(
    git: &Git,
    (all, partial): (&Path, &Path),
    repository: &Path,
    commit: &str,
) -> Result<Option<WorkingTree>, CheckoutError> {
    let Some(unused) = take_unused(all, &partial.join("updated"))? else { return Ok(None) };
    let tree = WorkingTree::new(unused, git);
    match tree.update(repository, commit).await {
        Ok(is_updated) => Ok(is_updated.then_some(tree)),
        Err(error) => {
            tracing::warn!(%error, "files of another commit not updated; writing all of them");
            Ok(None)
        }
    }
}

/// Moves the files of the commit that was used last, of those that nobody uses now. Returns where they are.
fn take_unused(all: &Path, target: &Path) -> io::Result<Option<PathBuf>> {
    let mut unused: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in fs::read_dir(all)? {
        let lock = entry?.path();
        let is_kept = lock.extension().is_some_and(|extension| extension == "lock")
            && lock.with_extension("").is_dir();
        if is_kept {
            unused.push((fs::metadata(&lock)?.modified()?, lock));
        }
    }
    unused.sort_unstable_by(|one, other| other.cmp(one));
    for (_, lock) in unused {
        if let Some(_alone) = try_exclusive(&lock)? {
            // Another process can have taken them before it gave up its lock.
            match fs::rename(lock.with_extension(""), target) {
                Ok(()) => return Ok(Some(target.to_owned())),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(None)
}
