//! The diff between two commits, as git prints it, if it is short enough to show.

use std::path::Path;

use crate::git::{Git, GitError};

/// A diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Patch {
    /// Every line, as `git diff` prints it.
    Whole(String),
    /// For a diff that is too long: the files with counts of lines, as `git diff --numstat` prints them.
    Counts(String),
}

impl Patch {
    /// Reads the diff of a range below one folder of the repository; an empty folder means all of it. `maximum` is
    /// the length limit of a whole patch, in bytes.
    pub async fn read(
        git: &Git,
        repository: &Path,
        (range, folder): (&str, &str),
        maximum: usize,
    ) -> Result<Self, GitError> {
        let diff = |how: [&'static str; 2]| {
            let fixed = ["--literal-pathspecs", "diff", "--no-color", "--no-ext-diff"];
            let below = (!folder.is_empty()).then_some(folder);
            let all = fixed.into_iter().chain(how).chain([range, "--"]).chain(below);
            all.collect::<Vec<_>>()
        };
        let bounded = git.clone().with_maximum_output(maximum);
        match bounded.run(repository, &diff(["--no-textconv", "--find-renames"])).await {
            Ok(patch) => Ok(Self::Whole(patch)),
            Err(GitError::Output { .. }) => {
                let counts = git.run(repository, &diff(["--numstat", "--no-renames"])).await?;
                Ok(Self::Counts(counts))
            }
            Err(error) => Err(error),
        }
    }
}
