//! Size and paths of a commit, known before a byte of it is written.

use std::{ops::ControlFlow, path::Path};

use super::CheckoutError;
use crate::{
    clones::shown,
    git::{Git, GitError},
};

/// Limits for the files of one commit.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// All files, in bytes.
    pub bytes: u64,
    /// Number of files.
    pub files: u64,
    /// Nesting of folders, including the file itself.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 2 * 1024 * 1024 * 1024, files: 200_000, depth: 64 }
    }
}

/// Refuses a commit that is over a limit, or has an unsafe path.
pub(super) async fn check(
    git: &Git,
    repository: &Path,
    commit: &str,
    limits: &Limits,
) -> Result<(), CheckoutError> {
    let mut count = Count { limits: *limits, bytes: 0, files: 0, refusal: None };
    let mut rest = Vec::new();
    let list = ["ls-tree", "-r", "-l", "-z", commit];
    git.stream(repository, &list, |part| {
        rest.extend_from_slice(part);
        let mut start = 0;
        while let Some(length) = rest[start..].iter().position(|byte| *byte == 0) {
            if let Err(refusal) = count.take(&rest[start..start + length]) {
                count.refusal = Some(refusal);
                return Ok(ControlFlow::Break(()));
            }
            start += length + 1;
        }
        rest.drain(..start);
        Ok::<_, GitError>(ControlFlow::Continue(()))
    })
    .await?;
    count.refusal.map_or(Ok(()), Err)
}

struct Count {
    limits: Limits,
    bytes: u64,
    files: u64,
    refusal: Option<CheckoutError>,
}

impl Count {
    /// Parses `<mode> <type> <name> <size>\t<path>`; a submodule has no size, and is not written.
    fn take(&mut self, entry: &[u8]) -> Result<(), CheckoutError> {
        let Some(tab) = entry.iter().position(|byte| *byte == b'\t') else { return Ok(()) };
        let facts = String::from_utf8_lossy(&entry[..tab]);
        let path = String::from_utf8_lossy(&entry[tab + 1..]);
        let size = facts.rsplit(' ').next().and_then(|size| size.parse::<u64>().ok());
        self.files += 1;
        self.bytes = self.bytes.saturating_add(size.unwrap_or(0));
        let Limits { bytes, files, depth } = self.limits;
        if self.files > files {
            return Err(CheckoutError::Limit(format!(
                "the repository has more than {files} files, the limit; move other files elsewhere"
            )));
        }
        if self.bytes > bytes {
            return Err(CheckoutError::Limit(format!(
                "the files of the repository exceed {}, the limit; move large files elsewhere",
                shown(bytes)
            )));
        }
        if path.split('/').count() > depth {
            return Err(CheckoutError::Limit(format!(
                "the repository has folders more than {depth} deep, the limit; see `{}…`",
                path.chars().take(60).collect::<String>()
            )));
        }
        let unsafe_part =
            |part: &str| matches!(part, "" | "." | "..") || part.eq_ignore_ascii_case(".git");
        if path.split('/').any(unsafe_part) {
            return Err(CheckoutError::Path(path.chars().take(200).collect()));
        }
        Ok(())
    }
}
