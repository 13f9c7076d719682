//! Writes the files of a commit, once for all users.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use super::{CheckoutError, Limits, inventory};
use crate::{
    clones::{CloneInUse, shared},
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
        let partial = tempfile::tempdir_in(&all)?;
        let tree = partial.path().join("tree");
        fs::create_dir(&tree)?;
        let index = partial.path().join("index").display().to_string();
        let git = git.clone().with_variable("GIT_INDEX_FILE", index);
        let work_tree = format!("--work-tree={}", tree.display());
        git.run(repository, &["read-tree", commit]).await?;
        git.run(repository, &[&work_tree, "checkout-index", "--all", "--force"]).await?;
        // Another job might have written them first; its files are the same.
        if let Err(error) = fs::rename(&tree, &folder)
            && !folder.is_dir()
        {
            return Err(error.into());
        }
    }
    Ok((folder.canonicalize()?, lock))
}
