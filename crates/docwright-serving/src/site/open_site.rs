//! An open bundle of a site, with everything else that answers need.

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

use super::{members::Members, redirects::Redirects, searchers};

/// A digest in a file name has at least this many hexadecimal digits.
const DIGITS: usize = 16;

/// An open bundle. It stays readable until it is dropped, even if its file is removed.
#[derive(Debug)]
pub struct OpenSite {
    pub(super) bundle: Arc<Bundle>,
    /// Unique among the open sites of a process.
    pub(super) number: u64,
    pub(super) redirects: Redirects,
    pub(super) members: Members,
    /// Content types by file extension.
    types: HashMap<Box<str>, HeaderValue>,
}

impl OpenSite {
    /// Opens a bundle. This reads from the disk, so it must not run on an async thread.
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

    /// The bundle's description of itself.
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

    /// Approximate memory of the index, in bytes.
    pub fn weight(&self) -> u64 {
        let files = self.bundle.files();
        let paths: usize = files.iter().map(|file| file.path.len()).sum();
        (paths + size_of_val(files)) as u64
    }
}

impl Drop for OpenSite {
    fn drop(&mut self) {
        self.members.forget(self.number);
        searchers::forget(self.number);
    }
}

/// See [`OpenSite::find`].
pub(super) fn find(bundle: &Bundle, path: &str) -> Option<usize> {
    bundle.files().binary_search_by(|file| (*file.path).cmp(path)).ok()
}

/// Whether a file can never change, because its name starts with its own hash.
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

#[cfg(test)]
pub(super) mod tests {
    use std::fs;

    use docwright_site::{bundle::BundleWriter, output::Output};

    use super::*;

    /// A site with one page.
    pub(in crate::site) fn open(path: &Path, members: &Members) -> Arc<OpenSite> {
        let writer = BundleWriter::new(tempfile::tempfile().unwrap());
        writer.write("page.html", b"Words.").unwrap();
        let mut bytes = Vec::new();
        writer.finish(About::default(), &mut bytes).unwrap();
        fs::write(path, bytes).unwrap();
        OpenSite::open(path, members).unwrap()
    }
}
