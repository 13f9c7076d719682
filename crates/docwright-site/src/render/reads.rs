//! What a page reads during rendering besides its own file and what all pages share.
//!
//! The result of a page can be used again only while all of it is the same, so this module reads no file without a
//! record.

use std::{
    collections::BTreeSet,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use serde::{Deserialize, Serialize};

/// Something that a page read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Read {
    /// The text of a file, such as a snippet, by its path.
    Text(String),
    /// The width and height of an image, by its path.
    ImageSize(String),
    /// An API spec with the files that it refers to, by its path.
    Spec(String),
    /// The title of another page, by its slug.
    Title(String),
}

/// Everything that a page read.
#[derive(Debug, Default)]
pub struct Reads {
    reads: Mutex<BTreeSet<Read>>,
    is_unrepeatable: AtomicBool,
}

impl Reads {
    /// Records that the page read something.
    pub(super) fn record(&self, read: Read) {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).insert(read);
    }

    /// Adds what an earlier build recorded.
    pub fn extend(&self, reads: impl IntoIterator<Item = Read>) {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).extend(reads);
    }

    /// Records that another build can have another result from the same files.
    pub(super) fn record_unrepeatable(&self) {
        self.is_unrepeatable.store(true, Ordering::Relaxed);
    }

    /// What the page read, in order; `None` if its result can't be used again.
    pub fn all(&self) -> Option<Vec<Read>> {
        let reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        let is_repeatable = !self.is_unrepeatable.load(Ordering::Relaxed);
        is_repeatable.then(|| reads.iter().cloned().collect())
    }
}
