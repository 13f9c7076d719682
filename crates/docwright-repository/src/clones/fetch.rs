//! Fetches commits into a clone: one fetch at a time, with a size limit.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use super::{CloneInUse, exclusive, init, size};
use crate::{git::GitError, remote::Remote};

/// How often the size of a growing clone is checked.
const WATCH: Duration = Duration::from_millis(200);
/// Git's errors for a damaged repository.
const DAMAGED: [&str; 6] = [
    "bad object",
    "corrupt",
    "unable to read",
    "not a git repository",
    "did not send all necessary objects",
    "invalid sha1 pointer",
];

impl CloneInUse {
    /// Fetches `refspecs`: newest commits with their parents, so that their changes can be found.
    pub(crate) async fn fetch(&self, remote: &Remote, refspecs: &[&str]) -> Result<(), GitError> {
        self.fetch_into(self.paths.repository(), remote, &["--depth", "2"], refspecs).await
    }

    /// Fetches the whole history of a commit, without the contents of files.
    pub(crate) async fn fetch_history(
        &self,
        remote: &Remote,
        refspecs: &[&str],
    ) -> Result<PathBuf, GitError> {
        let history = self.paths.history();
        self.fetch_into(history.clone(), remote, &["--filter=blob:none"], refspecs).await?;
        Ok(history)
    }

    async fn fetch_into(
        &self,
        repository: PathBuf,
        remote: &Remote,
        how: &[&str],
        refspecs: &[&str],
    ) -> Result<(), GitError> {
        let _changing = exclusive(&self.paths.change_lock()).await?;
        std::fs::write(self.paths.mark(), "")?;
        let outcome = self.try_fetch(&repository, remote, how, refspecs).await;
        // Only a damaged clone is repaired by cloning it again.
        let outcome = match outcome {
            Err(GitError::Failed { message, .. })
                if DAMAGED.iter().any(|each| message.contains(each)) =>
            {
                tracing::warn!(message, "clone damaged; creating it again");
                super::remove(&repository)?;
                self.try_fetch(&repository, remote, how, refspecs).await
            }
            other => other,
        };
        // An oversized fetch is removed like the leftovers of a killed one.
        if !matches!(outcome, Err(GitError::TooLarge(_))) {
            std::fs::remove_file(self.paths.mark())?;
        }
        outcome
    }

    async fn try_fetch(
        &self,
        repository: &Path,
        remote: &Remote,
        how: &[&str],
        refspecs: &[&str],
    ) -> Result<(), GitError> {
        let git = remote.git().clone().with_timeout(self.limits.fetch_timeout);
        if !repository.join("HEAD").is_file() {
            init(&git, &self.paths.folder, repository).await?;
        }
        let fixed = ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules"];
        let arguments = [&fixed, how, &["--", remote.url()], refspecs].concat();
        let result = tokio::select! {
            result = git.run(repository, &arguments) => result.map(drop),
            error = self.watch() => Err(error),
        };
        result.and_then(|()| self.check_size())
    }

    /// Returns when the clone exceeds its limit.
    async fn watch(&self) -> GitError {
        loop {
            tokio::time::sleep(WATCH).await;
            if let Err(error) = self.check_size() {
                return error;
            }
        }
    }

    fn check_size(&self) -> Result<(), GitError> {
        let bytes = size(&self.paths.repository()) + size(&self.paths.history());
        let limit = self.limits.clone_bytes;
        if bytes <= limit {
            return Ok(());
        }
        Err(GitError::TooLarge(format!(
            "the repository exceeds {}, the limit; remove large files from it, or ask the operator for a higher limit",
            shown(limit)
        )))
    }
}

/// Bytes in words.
pub(crate) fn shown(bytes: u64) -> String {
    for (unit, name) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] {
        if bytes >> unit > 0 {
            return format!("{} {name}", bytes >> unit);
        }
    }
    format!("{bytes} bytes")
}
