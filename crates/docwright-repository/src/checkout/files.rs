//! Writes the files of a commit, once for all users.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use super::{CheckoutError, Limits, inventory, working_tree::WorkingTree};
use crate::{
    clones::{CloneInUse, PARTIAL, shared},
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
        let updated = partial.path().join("updated");
        let updated = from_unused(git, clone, updated, (repository, commit)).await?;
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

/// The files of a commit, made in a folder from those of another commit that isn't in use: few of them differ between
/// commits of a site. `None` if that isn't possible.
async fn from_unused(
    git: &Git,
    clone: &CloneInUse,
    folder: PathBuf,
    (repository, commit): (&Path, &str),
) -> Result<Option<WorkingTree>, CheckoutError> {
    if !clone.take_unused_files(&folder)? {
        return Ok(None);
    }
    let tree = WorkingTree::new(folder, git);
    match tree.update(repository, commit).await {
        Ok(is_updated) => Ok(is_updated.then_some(tree)),
        Err(error) => {
            tracing::warn!(%error, "files of another commit not updated; writing all of them");
            Ok(None)
        }
    }
}
