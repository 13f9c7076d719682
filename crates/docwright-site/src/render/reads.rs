//! What a page reads during rendering besides its own file and what all pages share.
//!
//! The result of a page can be used again only while all of it is the same, so this module reads no file without a
//! record.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use serde::{Deserialize, Serialize};

use crate::content::links::Resolution;

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
    all: Mutex<BTreeSet<Read>>,
    is_unrepeatable: AtomicBool,
    /// The targets of its links, if another page can have the same.
    targets: Option<Mutex<LinkTargets>>,
}

/// The targets of the links of a page, by address as written.
pub type LinkTargets = BTreeMap<String, Resolution>;

impl Reads {
    /// Also records the targets of links.
    pub(super) fn with_link_targets() -> Self {
        Self { targets: Some(Mutex::default()), ..Self::default() }
    }

    /// Records the target of a link.
    pub(super) fn record_target(&self, href: &str, target: &Resolution) {
        if let Some(targets) = &self.targets {
            let mut targets = targets.lock().unwrap_or_else(PoisonError::into_inner);
            targets.insert(href.to_owned(), target.clone());
        }
    }

    /// The recorded targets of links.
    pub fn link_targets(&self) -> Option<LinkTargets> {
        let targets = self.targets.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        Some(targets.clone())
    }

    /// Records that the page read something.
    pub(super) fn record(&self, read: Read) {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).insert(read);
    }

    /// Adds what an earlier build recorded.
    pub fn extend(&self, reads: impl IntoIterator<Item = Read>) {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).extend(reads);
    }

    /// Records that another build can have another result from the same files.
    pub(super) fn record_unrepeatable(&self) {
        self.is_unrepeatable.store(true, Ordering::Relaxed);
    }

    /// What the page read, in order; `None` if its result can't be used again.
    pub fn all(&self) -> Option<Vec<Read>> {
        let reads = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let is_repeatable = !self.is_unrepeatable.load(Ordering::Relaxed);
        is_repeatable.then(|| reads.iter().cloned().collect())
    }
}
