//! Documents and indexes that earlier builds left in the cache.
//!
//! The index of a language follows from its documents in order, so its files are those of an earlier build if the
//! documents are. Then nothing reads them.

use std::io;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Document, SearchedSite};
use crate::{
    output::Output,
    result_cache::{ContentName, Key, Kind, ResultCache},
};

/// A document in the cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptDocument {
    /// SHA-256 of its entry.
    hash: [u8; 32],
    /// Its language.
    pub(super) language: String,
}

/// A page as search sees it, or where the cache has it.
#[derive(Debug)]
pub struct SearchedPage {
    /// Path of its HTML file below the site root.
    pub path: String,
    /// The document, unless an earlier build made it.
    pub document: Option<Document>,
    /// Where the cache has it, if it does.
    pub kept: Option<KeptDocument>,
}

impl SearchedPage {
    /// Its language; empty if there is no document.
    pub(super) fn language(&self) -> &str {
        let own = self.document.as_ref().map(|document| &*document.language);
        own.or_else(|| Some(&*self.kept.as_ref()?.language)).unwrap_or_default()
    }

    /// Takes its document. `again` makes it if the cache can't give it.
    pub fn take_document(
        &mut self,
        cache: Option<&ResultCache>,
        again: &MakeDocument<'_>,
    ) -> io::Result<Document> {
        if let Some(document) = self.document.take() {
            return Ok(document);
        }
        let kept = self.kept.as_ref().zip(cache);
        if let Some(document) = kept.and_then(|(kept, cache)| kept.read(cache)) {
            return Ok(document);
        }
        let document = again(&self.path)?;
        if let Some((kept, cache)) = kept
            && let Ok(bytes) = postcard::to_allocvec(&document)
        {
            // The entry is damaged, and this one takes its place.
            cache.add(kept.key(), &bytes);
        }
        Ok(document)
    }
}

/// Makes the document of the page with a path once more.
pub type MakeDocument<'m> = dyn Fn(&str) -> io::Result<Document> + Sync + 'm;

impl KeptDocument {
    /// Adds a document to the cache. `None` if it isn't kept.
    pub fn add(document: &Document, cache: &ResultCache) -> Option<Self> {
        let bytes = postcard::to_allocvec(document).ok()?;
        let kept =
            Self { hash: Sha256::digest(&bytes).into(), language: document.language.clone() };
        (cache.contains(&kept.key()) || cache.add(kept.key(), &bytes).is_some()).then_some(kept)
    }

    /// Whether the cache has it.
    pub fn is_in(&self, cache: &ResultCache) -> bool {
        cache.contains(&self.key())
    }

    /// The document; `None` if its entry is damaged.
    pub fn read(&self, cache: &ResultCache) -> Option<Document> {
        postcard::from_bytes(&cache.get(&self.key())?.1).ok()
    }

    const fn key(&self) -> Key {
        Key { kind: Kind::Document, hash: self.hash }
    }
}

/// A file of an index, and the name of its contents.
pub(super) type IndexFile = (String, Option<ContentName>);

/// The files of the index of a language in the cache.
pub(super) struct KeptIndex<'a> {
    cache: &'a ResultCache,
    key: Key,
}

impl<'a> KeptIndex<'a> {
    /// The index of pages in order, in at most `files` files. `None` if the cache doesn't have all of them.
    pub(super) fn new(
        cache: &'a ResultCache,
        (language, pages): (&str, &[SearchedPage]),
        (site, files): (&SearchedSite<'_>, usize),
    ) -> Option<Self> {
        let shared = format!("{language:?} {:?} {:?} {files}", site.synonyms, site.languages);
        let hashes = pages.iter().map(|page| Some(page.kept.as_ref()?.hash));
        let hashes = hashes.collect::<Option<Vec<_>>>()?.concat();
        let key = Key::of(Kind::SearchIndex, [shared.as_bytes(), &hashes]);
        Some(Self { cache, key })
    }

    /// Writes the files as an earlier build did. Returns `false` if it can't.
    pub(super) fn reuse(&self, output: &dyn Output) -> io::Result<bool> {
        let Some((_, bytes)) = self.cache.get(&self.key) else { return Ok(false) };
        let Ok(files) = postcard::from_bytes::<Vec<(String, ContentName)>>(&bytes) else {
            return Ok(false);
        };
        for (path, name) in &files {
            if !output.reuse(path, name)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Keeps the files for later builds, if they can use all of them.
    pub(super) fn add(&self, files: Vec<IndexFile>) {
        let files = files.into_iter().map(|(path, name)| Some((path, name?)));
        let files: Option<Vec<(String, ContentName)>> = files.collect();
        if let Some(bytes) = files.and_then(|files| postcard::to_allocvec(&files).ok()) {
            self.cache.add(self.key, &bytes);
        }
    }
}
