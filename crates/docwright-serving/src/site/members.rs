//! Contents of files that were asked for lately, kept in memory in the form in which they leave, so
//! that most answers read nothing. All sites of a process share the room.

use std::{io, sync::Arc};

use axum::body::Bytes;
use quick_cache::{Weighter, sync::Cache};

use super::{body, negotiate::Form, open_site::OpenSite};

/// All that is kept. Bytes.
const ROOM: u64 = 64 * 1024 * 1024;
/// What is longer is not kept. Bytes.
pub(super) const LONGEST: u64 = 1024 * 1024;
/// The number of files that is expected, about. With more of them the room would be divided so far that long ones
/// don't fit in.
const EXPECTED: usize = 512;

/// Contents that are kept.
#[derive(Debug, Clone)]
pub struct Members(Arc<Cache<Key, Bytes, Length>>);

/// A file of an open site in one form. The hash of the contents would do if bundles could be
/// trusted: one that names the hash of another site's file would then replace it there.
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
        // An empty file takes some room as well.
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
        // Whoever asks for it meanwhile waits for the same reading.
        let read = async {
            let site = Arc::clone(site);
            let read = tokio::task::spawn_blocking(move || read(&site, file, form));
            read.await.map_err(io::Error::other)?
        };
        self.0.get_or_insert_async(&key, read).await
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
