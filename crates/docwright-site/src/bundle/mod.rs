//! A built site as one archive: `bundle.tar.gz` with its `manifest.json`; and back again, safely.
//!
//! The same site gives the same bytes: entries are sorted, and hold no times, users or modes of the
//! machine they were made on.

mod manifest;
mod pack;
mod unpack;

use std::io;

pub use manifest::{BundleInfo, FileEntry, Manifest};
pub use pack::pack;
pub use unpack::{Limits, unpack};

/// Name of the manifest within the archive.
pub const MANIFEST: &str = "manifest.json";

/// What is wrong with a bundle, or with making one.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// Reading or writing failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The archive is not one that docwright made, or it was changed.
    #[error("the bundle is not valid: {0}; make and download it again")]
    Invalid(String),
    /// It is larger than it may be.
    #[error("the bundle is too large: {0}; raise the limit, or export fewer pages")]
    TooLarge(String),
}
