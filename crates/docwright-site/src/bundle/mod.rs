//! A built site as one archive: `bundle.tar.gz` with its `manifest.json`.
//!
//! The archive is a sequence of gzip members, which every reader of `.tar.gz` reads as one stream. The contents of
//! each file are exactly one member: deflated, or stored if that doesn't help. So files are served straight from
//! the bundle, and nothing is ever unpacked. Headers and padding of tar are in members between them.
//!
//! ```text
//! header │ a.html │ padding, header │ a.png │ … │ header │ manifest.json │ padding, end │ footer
//! ```
//!
//! The manifest lists the position of each member. The footer, an empty member, contains the position of the
//! manifest, so a bundle is opened by reading its end. (eStargz does the same for container images:
//! <https://github.com/containerd/stargz-snapshotter/blob/main/docs/estargz.md>.)
//!
//! The same site gives the same bytes: the order of files doesn't depend on the order in which they are made, and they
//! contain no times, users, or modes of the build machine. Large images and the like are first, so that a build can write
//! them while it renders pages; then come all others. Both are sorted by path.
//!
//! A service adds a [`signature`] after the manifest.

mod archive;
mod archive_writer;
mod copied;
mod footer;
pub(crate) mod kept_contents;
mod manifest;
mod member;
mod open;
mod section;
mod signature;
mod streamed;
mod verify;
mod write;

use std::io;

pub use manifest::{About, FileEntry, HomeLanguage, Manifest, Sha256Hash};
pub use member::Member;
pub use open::Bundle;
pub use signature::{MAXIMUM_END, SIGNATURE, SIGNATURE_LENGTH, Signable, Signature, signature};
pub use streamed::StreamedBundle;
pub use verify::{Limits, verify};
pub use write::BundleWriter;

/// Name of the manifest within the archive.
pub const MANIFEST: &str = "manifest.json";

/// Errors of reading or writing a bundle.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// Reading or writing failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// docwright didn't create the archive, or it was changed.
    #[error("the bundle is not valid: {0}; make and download it again")]
    Invalid(String),
    /// It is larger than it can be.
    #[error("the bundle is too large: {0}; raise the limit, or export fewer pages")]
    TooLarge(String),
}

impl BundleError {
    fn invalid(reason: impl Into<String>) -> Self {
        Self::Invalid(reason.into())
    }

    /// For errors of a decoder or an archive reader.
    fn damaged(error: io::Error) -> Self {
        Self::Invalid(format!("it is cut off or damaged ({error})"))
    }
}
