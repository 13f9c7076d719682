//! The files of a docs root as they were read, so that a later build knows without reading them whether any changed.

use std::{io, path::Path, time::SystemTime};

use serde::{Deserialize, Serialize};

use super::{Limits, SourceError, walk::walk};
use crate::{
    Diagnostic,
    stamp::{FileOnDisk, Snapshot},
};

/// The files of a docs root as they were read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceSnapshot {
    /// All files that are no part of what is ignored.
    pub(super) files: Snapshot,
    /// What is wrong with its folders and links.
    pub(super) found: Vec<Diagnostic>,
}

impl SourceSnapshot {
    /// The snapshot of the docs root at `root` now, if it has the same files with the same contents, besides `out`. `None` if
    /// anything changed, or can't be read.
    pub fn again(&self, root: &Path, out: Option<&Path>, now: SystemTime) -> Option<Self> {
        let (present, found) = files_of(root, out).ok()?;
        let files = self.files.again(&present, now).filter(|_| found == self.found)?;
        Some(Self { files, found })
    }

    /// Whether the next comparison reads no file.
    pub fn is_settled(&self) -> bool {
        self.files.is_settled()
    }
}

/// The files of a docs root, and what is wrong with its folders and links.
fn files_of(
    root: &Path,
    out: Option<&Path>,
) -> Result<(Vec<FileOnDisk>, Vec<Diagnostic>), SourceError> {
    let unreadable = |error| SourceError::Unreadable { path: "the docs root".to_owned(), error };
    let root = root.canonicalize().map_err(unreadable)?;
    let mut files = Vec::new();
    let out = out.and_then(|out| out.canonicalize().ok());
    let found = walk(&root, (&Limits::DEFAULT, out.as_deref()), &mut |place, path| {
        files.push(FileOnDisk::at(place, path));
        Ok(())
    })?;
    let files = files.into_iter().collect::<io::Result<_>>().map_err(unreadable)?;
    Ok((files, found))
}
