//! Data of a commit in git.

use std::{ops::ControlFlow, path::Path};

use crate::{
    checkout::Checkouts,
    git::{Git, GitError},
    remote::is_commit,
};

/// Longest line of a message, in characters.
const MAXIMUM_LINE: usize = 200;
/// The empty tree, which every repository knows.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// Data of a commit for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitFacts {
    /// Name of its author.
    pub author: String,
    /// First line of its message.
    pub message: String,
    /// Number of files that differ from the commit it is compared with; unknown if that is not available.
    pub files_changed: Option<u64>,
}

impl Checkouts {
    /// Data of a commit, compared with another one, or with its first parent.
    pub async fn facts(
        &self,
        repository: &Path,
        commit: &str,
        compared_with: Option<&str>,
    ) -> Result<CommitFacts, GitError> {
        let commit = full(commit)?;
        let arguments =
            ["show", "--no-patch", "--no-show-signature", "--format=%an%x00%s%x00%P", commit];
        let shown = self.git.run(repository, &arguments).await?;
        let mut parts = shown.split('\0').map(str::trim);
        let line = |text: Option<&str>| {
            text.unwrap_or_default().chars().take(MAXIMUM_LINE).collect::<String>()
        };
        let (author, message) = (line(parts.next()), line(parts.next()));
        let parent = parts.next().and_then(|parents| parents.split(' ').next());
        let files_changed = match (compared_with, parent) {
            (Some(other), _) => changed(&self.git, repository, full(other)?, commit).await,
            (None, Some(parent)) if !parent.is_empty() => {
                changed(&self.git, repository, parent, commit).await
            }
            // A commit whose parents were not fetched looks like the first one.
            _ if is_shallow_at(&self.git, repository, commit).await => None,
            _ => changed(&self.git, repository, EMPTY_TREE, commit).await,
        };
        Ok(CommitFacts { author, message, files_changed })
    }

    /// The name of the contents at a path of a commit: equal for two commits if nothing below the path differs.
    /// `None` if the path does not exist.
    pub async fn tree_of(
        &self,
        repository: &Path,
        commit: &str,
        docs: &str,
    ) -> Result<Option<String>, GitError> {
        let name = format!("{}:{}", full(commit)?, docs.trim_matches('/'));
        match self.git.run(repository, &["rev-parse", "--verify", "--quiet", &name]).await {
            Ok(tree) => Ok(Some(tree)),
            Err(GitError::Failed { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn full(commit: &str) -> Result<&str, GitError> {
    let wrong = || GitError::NoBranch("that is not the full name of a commit".to_owned());
    if is_commit(commit) { Ok(commit) } else { Err(wrong()) }
}

async fn is_shallow_at(git: &Git, repository: &Path, commit: &str) -> bool {
    let known = git.run(repository, &["rev-parse", "--git-path", "shallow"]).await;
    let file = known.map(|path| repository.join(path)).ok();
    let shallow = file.and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
    shallow.lines().any(|line| line == commit)
}

/// Number of files that differ; `None` if one of the two is not available.
async fn changed(git: &Git, repository: &Path, before: &str, after: &str) -> Option<u64> {
    let mut count = 0;
    let arguments = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", before, after];
    let listed = git.stream(repository, &arguments, |part| {
        count += part.iter().map(|byte| u64::from(*byte == 0)).sum::<u64>();
        Ok(ControlFlow::Continue(()))
    });
    listed.await.ok()?;
    Some(count)
}
