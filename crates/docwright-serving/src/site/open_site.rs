//! A site whose bundle is open, with all that answering needs besides a request.

use std::{
    collections::HashMap,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use axum::http::HeaderValue;
use docwright_site::bundle::{About, Bundle, BundleError, FileEntry};

use super::{members::Members, redirects::Redirects};

/// A digest in a name has as many hexadecimal digits, or more.
const DIGITS: usize = 16;

/// A bundle that is open. It stays readable while someone holds it, whatever becomes of its file.
#[derive(Debug)]
pub struct OpenSite {
    pub(super) bundle: Arc<Bundle>,
    /// No two open sites of a process have the same one.
    pub(super) number: u64,
    pub(super) redirects: Redirects,
    pub(super) members: Members,
    /// Types of contents by the ending of a name.
    types: HashMap<Box<str>, HeaderValue>,
}

impl OpenSite {
    /// Opens a bundle. This reads from the disk, so it is nothing for an async thread.
    pub fn open(path: &Path, members: &Members) -> Result<Arc<Self>, BundleError> {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let bundle = Bundle::open(path)?;
        let types = bundle.files().iter().map(|file| ending(&file.path));
        let types = types.map(|ending| (ending.into(), content_type(ending))).collect();
        Ok(Arc::new(Self {
            redirects: Redirects::new(&bundle),
            bundle: Arc::new(bundle),
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            members: members.clone(),
            types,
        }))
    }

    /// The bundle.
    pub fn bundle(&self) -> &Bundle {
        &self.bundle
    }

    /// What the bundle says of itself.
    pub fn about(&self) -> &About {
        self.bundle.about()
    }

    /// The paths of its files, in order.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.bundle.files().iter().map(|file| &*file.path)
    }

    /// Place in the index of the file at a path.
    pub fn find(&self, path: &str) -> Option<usize> {
        find(&self.bundle, path)
    }

    /// The file at a place in the index.
    pub(super) fn file(&self, index: usize) -> &FileEntry {
        &self.bundle.files()[index]
    }

    /// The type of a file's contents.
    pub(super) fn content_type(&self, path: &str) -> HeaderValue {
        let known = self.types.get(ending(path)).cloned();
        known.unwrap_or(HeaderValue::from_static("application/octet-stream"))
    }

    /// Memory that the index takes, about. Bytes.
    pub fn weight(&self) -> u64 {
        let files = self.bundle.files();
        let paths: usize = files.iter().map(|file| file.path.len()).sum();
        (paths + size_of_val(files)) as u64
    }
}

/// See [`OpenSite::find`].
pub(super) fn find(bundle: &Bundle, path: &str) -> Option<usize> {
    bundle.files().binary_search_by(|file| (*file.path).cmp(path)).ok()
}

/// Whether a file can never change, as its name is the beginning of its own hash.
pub(super) fn is_immutable(file: &FileEntry) -> bool {
    let name = file.path.rsplit('/').next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    stem.len() >= DIGITS && file.sha256.to_string().starts_with(stem)
}

fn ending(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

fn content_type(ending: &str) -> HeaderValue {
    let kind = mime_guess::from_ext(ending).first_or_octet_stream();
    let charset = if kind.type_() == "text" { "; charset=utf-8" } else { "" };
    HeaderValue::try_from(format!("{}{charset}", kind.essence_str()))
        .unwrap_or(HeaderValue::from_static("application/octet-stream"))
}
