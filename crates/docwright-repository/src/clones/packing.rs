//! Packs clones. Each fetch adds a pack, a ref, and a commit where the history ends.

use std::{fs, path::PathBuf};

use super::{ClonePaths, Clones, try_exclusive};
use crate::{
    git::{Git, GitError},
    packing::{is_scattered, pack_reachable},
};

/// Fetched commits that are kept, newest first. The next fetch gets only what differs from them.
const KEPT_COMMITS: usize = 20;

impl Clones {
    /// Packs the clones of many fetches that nobody uses now, and removes old commits from them. Returns how many.
    pub async fn pack(&self, git: &Git) -> usize {
        let mut packed = 0;
        for paths in self.all() {
            match pack(git, &paths).await {
                Ok(is_packed) => packed += usize::from(is_packed),
                Err(error) => {
                    let folder = paths.folder.display();
                    tracing::warn!(%folder, %error, "clone not packed; retrying");
                }
            }
        }
        packed
    }
}

/// Returns whether it was needed and possible.
async fn pack(git: &Git, paths: &ClonePaths) -> Result<bool, GitError> {
    let mut scattered = vec![paths.repository(), paths.history()];
    scattered.retain(|repository| is_scattered(repository));
    if scattered.is_empty() {
        return Ok(false);
    }
    let Some(_changing) = try_exclusive(&paths.change_lock())? else { return Ok(false) };
    let Some(_alone) = try_exclusive(&paths.use_lock())? else { return Ok(false) };
    // The mark stays if this process is killed.
    fs::write(paths.mark(), "")?;
    let outcome = pack_each(git, &scattered).await;
    fs::remove_file(paths.mark())?;
    outcome.map(|()| true)
}

async fn pack_each(git: &Git, repositories: &[PathBuf]) -> Result<(), GitError> {
    for repository in repositories {
        let list = ["for-each-ref", "--sort=-committerdate", "--format=%(refname)"];
        let refs = git.run(repository, &list).await?;
        for name in refs.lines().skip(KEPT_COMMITS) {
            git.run(repository, &["update-ref", "-d", name]).await?;
        }
        pack_reachable(git, repository).await?;
    }
    Ok(())
}
