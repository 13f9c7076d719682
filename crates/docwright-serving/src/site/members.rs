//! A memory cache of recently requested contents, in the form in which they are sent, so most answers read
//! nothing. All sites of a process share it.

use std::{io, sync::Arc};

use axum::body::Bytes;
use quick_cache::{Weighter, sync::Cache};

use super::{body, negotiate::Form, open_site::OpenSite};

/// Size of the cache, in bytes.
const ROOM: u64 = 64 * 1024 * 1024;
/// Longer contents are not cached. Bytes.
pub(super) const LONGEST: u64 = 1024 * 1024;
/// The expected number of files. With more of them, the cache would be divided into parts that are too small for
/// long contents.
const EXPECTED: usize = 512;

/// Cached contents.
#[derive(Debug, Clone)]
pub struct Members(Arc<Cache<Key, Bytes, Length>>);

/// A file of an open site in one form. The hash of the contents would be enough if bundles could be trusted: a
/// bundle that names the hash of another site's file would replace that file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    site: u64,
    file: usize,
    form: Form,
}

#[derive(Debug, Clone)]
struct Length;

impl Weighter<Key, Bytes> for Length {
    fn weight(&self, _key: &Key, contents: &Bytes) -> u64 {
        // An empty file uses some memory too.
        contents.len() as u64 + 128
    }
}

impl Default for Members {
    fn default() -> Self {
        Self(Arc::new(Cache::with_weighter(EXPECTED, ROOM, Length)))
    }
}

impl Members {
    /// The contents of a short file, from memory or from its bundle.
    pub(super) async fn contents(
        &self,
        site: &Arc<OpenSite>,
        file: usize,
        form: Form,
    ) -> io::Result<Bytes> {
        let key = Key { site: site.number, file, form };
        if let Some(contents) = self.0.get(&key) {
            return Ok(contents);
        }
        // Simultaneous requests wait for the same read.
        let read = async {
            let site = Arc::clone(site);
            let read = tokio::task::spawn_blocking(move || read(&site, file, form));
            read.await.map_err(io::Error::other)?
        };
        self.0.get_or_insert_async(&key, read).await
    }

    /// Drops the contents of a closed site: no request can ask for them again.
    pub(super) fn forget(&self, site: u64) {
        self.0.retain(|key, _| key.site != site);
    }
}

fn read(site: &OpenSite, index: usize, form: Form) -> io::Result<Bytes> {
    let file = site.file(index);
    let contents = match form {
        Form::Gzip => site.bundle.member(file),
        Form::Identity => site.bundle.read(file),
    };
    let contents = contents?;
    if contents.len() as u64 != body::length(site, index, form) {
        return Err(io::Error::other("the file is shorter than the index says"));
    }
    Ok(contents.into())
}

#[cfg(test)]
mod tests {
    use super::{super::open_site::tests::open, *};

    #[tokio::test]
    async fn contents_leave_with_their_site() {
        let folder = tempfile::tempdir().unwrap();
        let members = Members::default();
        let sites = ["one", "two"].map(|name| open(&folder.path().join(name), &members));
        for site in &sites {
            let page = site.find("page.html").unwrap();
            let contents = members.contents(site, page, Form::Identity).await.unwrap();
            assert_eq!(contents, "Words.");
        }
        assert_eq!(members.0.len(), 2);
        let [one, two] = sites;
        drop(one);
        let kept = members.0.iter().map(|(key, _)| key.site);
        assert_eq!(kept.collect::<Vec<_>>(), [two.number]);
    }
}
