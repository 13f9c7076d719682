//! The changes of a run, as a value that can be saved.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The fate of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// It has this text now.
    Written(String),
    /// It is the binary file from this path.
    Moved(String),
    /// It is deleted.
    Deleted,
}

/// Changed files by path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Changes(BTreeMap<String, Change>);

impl Changes {
    /// The changes in alphabetical order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Change)> {
        self.0.iter()
    }

    /// Paths of changed files.
    pub fn paths(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// Whether there are no changes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The fate of a file, if it changed.
    pub fn get(&self, path: &str) -> Option<&Change> {
        self.0.get(path)
    }

    pub(super) fn set(&mut self, path: &str, change: Change) {
        self.0.insert(path.to_owned(), change);
    }

    pub(super) fn undo(&mut self, path: &str) {
        self.0.remove(path);
    }

    /// The numbers of files, and of bytes of text.
    pub(super) fn size(&self) -> (usize, usize) {
        let bytes = self.0.values().map(|change| match change {
            Change::Written(text) => text.len(),
            Change::Moved(_) | Change::Deleted => 0,
        });
        (self.0.len(), bytes.sum())
    }
}
