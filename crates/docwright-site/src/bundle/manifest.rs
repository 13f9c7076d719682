//! What a bundle says about itself.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::MANIFEST;
use crate::content::config::Redirect;

/// What the maker of a bundle knows about it.
#[derive(Debug, Clone, Default)]
pub struct BundleInfo {
    /// Pages of the site.
    pub page_count: usize,
    /// Commit that the site was built from.
    pub commit: Option<String>,
    /// Label of this version.
    pub version: Option<String>,
    /// Redirects of the site.
    pub redirects: Vec<Redirect>,
}

/// `manifest.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// What made the bundle: `docwright` and its version.
    pub generator: String,
    /// Label of this version.
    pub version: Option<String>,
    /// Commit that the site was built from.
    pub commit: Option<String>,
    /// Pages of the site.
    pub page_count: usize,
    /// Redirects, for hosts that can answer them.
    pub redirects: Vec<Redirect>,
    /// Every other file of the bundle, sorted by path.
    pub files: Vec<FileEntry>,
}

impl Manifest {
    /// The manifest of the site in a folder; `None` if there is none that can be read.
    pub fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(folder.join(MANIFEST)).ok()?).ok()
    }
}

/// One file of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Path below the site root.
    pub path: String,
    /// Length in bytes.
    pub size: u64,
    /// SHA-256, in lower-case hex.
    pub sha256: String,
}
