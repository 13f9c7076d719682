//! Packs clones. Each fetch adds a pack, a ref, and a commit where the history ends.

use std::{fs, path::PathBuf};

use tokio::task::spawn_blocking;

use super::{ClonePaths, Clones, try_exclusive};
use crate::{
    git::{Git, GitError},
    packing::{is_scattered, pack_reachable},
};

/// Fetched commits that are kept, newest first. The next fetch gets only what differs from them.
const KEPT_COMMITS: usize = 20;

impl Clones {
    /// Packs unused clones with many packs, and removes old commits from them. Returns how many were packed.
    pub async fn pack(&self, git: &Git) -> usize {
        let clones = self.clone();
        let scattered = spawn_blocking(move || clones.all().filter(can_be_packed).collect());
        let scattered: Vec<_> = scattered.await.unwrap_or_default();
        let mut packed = 0;
        for paths in scattered {
            match pack(git, &paths).await {
                Ok(is_packed) => packed += usize::from(is_packed),
                Err(error) => {
                    let folder = paths.folder.display();
                    tracing::warn!(%folder, %error, "clone not packed; the next use clones again");
                }
            }
        }
        packed
    }
}

/// Whether a clone needs it. One with a mark is cloned again anyway.
fn can_be_packed(paths: &ClonePaths) -> bool {
    !paths.mark().exists() && scattered(paths).next().is_some()
}

/// Parts of a clone that have many packs.
fn scattered(paths: &ClonePaths) -> impl Iterator<Item = PathBuf> {
    let parts = [paths.repository(), paths.history()];
    parts.into_iter().filter(|repository| is_scattered(repository))
}

/// Returns `false` if the clone is in use. The mark stays after an error, such as that of a damaged clone.
async fn pack(git: &Git, paths: &ClonePaths) -> Result<bool, GitError> {
    let Some(_changing) = try_exclusive(&paths.change_lock())? else { return Ok(false) };
    let Some(_alone) = try_exclusive(&paths.use_lock())? else { return Ok(false) };
    fs::write(paths.mark(), "")?;
    for repository in scattered(paths) {
        let list = ["for-each-ref", "--sort=-committerdate", "--format=%(refname)"];
        let refs = git.run(&repository, &list).await?;
        for name in refs.lines().skip(KEPT_COMMITS) {
            git.run(&repository, &["update-ref", "-d", name]).await?;
        }
        pack_reachable(git, &repository).await?;
    }
    fs::remove_file(paths.mark())?;
    Ok(true)
}
