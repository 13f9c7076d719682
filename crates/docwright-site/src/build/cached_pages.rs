//! Pages whose result an earlier build left in the cache.
//!
//! The result of a page is used again only if everything that it follows from is the same: what all pages share
//! (`shared_inputs`), the page's own text, and what its rendering read besides them. The first two are in the key; the
//! third is known only after rendering, so it is kept with the result and compared.

use std::{
    collections::HashMap,
    io,
    sync::{PoisonError, RwLock},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

use super::{
    Site,
    rendered_page::{PageFacts, PageFiles},
    shared_inputs::shared_inputs,
};
use crate::{
    content::{Page, PageKind, links::output_path},
    output::Output,
    render::{Read, Reads, RenderContext},
    result_cache::{ContentName, Key, Kind, ResultCache},
    search::KeptDocument,
};

/// A hash of something that a page read.
type Fingerprint = [u8; 16];

/// The cache of a build.
#[derive(Debug)]
pub(super) struct CachedPages<'a> {
    cache: &'a ResultCache,
    /// The hash of what all pages share.
    shared: [u8; 32],
    fingerprints: RwLock<HashMap<Read, Fingerprint>>,
}

/// The result of a page, as it is in the cache.
#[derive(Serialize, Deserialize)]
struct CachedPage<T> {
    /// What the page read, as it was.
    reads: Vec<(Read, Fingerprint)>,
    html: ContentName,
    /// The scripts of the page by their path.
    scripts: Vec<(String, ContentName)>,
    facts: T,
}

impl<'a> CachedPages<'a> {
    /// The pages of a site in a cache.
    pub(super) fn new(cache: &'a ResultCache, site: &Site<'_>) -> Self {
        Self { cache, shared: shared_inputs(site), fingerprints: RwLock::default() }
    }

    /// The key of a page.
    pub(super) fn key(&self, site: &Site<'_>, page: &Page) -> Key {
        let text = match page.kind {
            PageKind::File => site.source.text(&page.path).unwrap_or_default(),
            // It is one of the shared inputs.
            PageKind::Generated { .. } => "",
        };
        let texts = [&*page.slug, text, site.last_modified(page).unwrap_or_default()];
        let parts = texts.into_iter().map(str::as_bytes);
        Key::of(Kind::Page, std::iter::once(&self.shared[..]).chain(parts))
    }

    /// Keeps the document of a page in an entry of its own. Returns `false` if it isn't kept.
    pub(super) fn keep_document(&self, facts: &mut PageFacts) -> bool {
        let document = facts.document.as_ref();
        facts.kept_document = document.and_then(|document| KeptDocument::add(document, self.cache));
        facts.kept_document.is_some() == document.is_some()
    }

    /// Whether the cache has the document of a page.
    pub(super) fn has_document(&self, facts: &PageFacts) -> bool {
        facts.kept_document.as_ref().is_none_or(|kept| kept.is_in(self.cache))
    }

    /// The key of a page some of whose anchors are missing.
    pub(super) fn key_without_anchors(
        &self,
        (site, page): (&Site<'_>, &Page),
        context: &RenderContext<'_>,
        facts: &PageFacts,
    ) -> Key {
        let links = facts.anchor_links.iter();
        let links = links.map(|link| (link.slug.as_str(), link.fragment.as_str()));
        let dead = format!("{:?}", context.dead_anchors(links));
        Key::of(Kind::Page, [&self.key(site, page).hash[..], dead.as_bytes()])
    }

    /// Writes the files of a page as an earlier build did, and returns what else that build found. `None` if it must be
    /// rendered.
    pub(super) fn reuse<T: DeserializeOwned>(
        &self,
        (site, page): (&Site<'_>, &Page),
        key: &Key,
        output: &dyn Output,
    ) -> io::Result<Option<T>> {
        let Some((_, bytes)) = self.cache.get(key) else { return Ok(None) };
        let Ok(cached) = postcard::from_bytes::<CachedPage<T>>(&bytes) else { return Ok(None) };
        let is_same =
            |(read, before): &(Read, Fingerprint)| self.fingerprint(site, read) == *before;
        if !cached.reads.iter().all(is_same) {
            return Ok(None);
        }
        for (path, name) in &cached.scripts {
            if !site.reuse_script(path, name, output)? {
                return Ok(None);
            }
        }
        let is_written = output.reuse(&output_path(&page.slug), &cached.html)?;
        Ok(is_written.then_some(cached.facts))
    }

    /// Keeps the result of a page for later builds, if they can use it.
    pub(super) fn add<T: Serialize>(
        &self,
        (site, key): (&Site<'_>, Key),
        reads: &Reads,
        (files, facts): (PageFiles, &T),
    ) {
        let scripts = files.scripts.into_iter().map(|(path, name)| Some((path, name?)));
        let (Some(reads), Some(html), Some(scripts)) =
            (reads.all(), files.html, scripts.collect::<Option<Vec<_>>>())
        else {
            return;
        };
        let with_fingerprint = |read: Read| {
            let fingerprint = self.fingerprint(site, &read);
            (read, fingerprint)
        };
        let reads = reads.into_iter().map(with_fingerprint).collect();
        if let Ok(bytes) = postcard::to_allocvec(&CachedPage { reads, html, scripts, facts }) {
            self.cache.add(key, &bytes);
        }
    }

    /// What a page would read now.
    fn fingerprint(&self, site: &Site<'_>, read: &Read) -> Fingerprint {
        let known = self.fingerprints.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(read) {
            return *known;
        }
        drop(known);
        let mut hash = Sha256::new();
        match read {
            Read::Text(path) => hash_text(&mut hash, site.source.text(path)),
            Read::ImageSize(path) => hash.update(format!("{:?}", site.context.image_size(path))),
            Read::Spec(path) => {
                let remote = || site.source.remote_text(path);
                hash_text(&mut hash, site.source.text(path).or_else(remote));
                let spec = site.content.specs.iter().find(|spec| spec.path == *path);
                for file in spec.iter().flat_map(|spec| &spec.files) {
                    hash.update(file);
                    hash_text(&mut hash, site.source.text(file));
                }
            }
        }
        let mut fingerprint = Fingerprint::default();
        fingerprint.copy_from_slice(&hash.finalize()[..16]);
        let mut known = self.fingerprints.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(read.clone(), fingerprint);
        fingerprint
    }
}

fn hash_text(hash: &mut Sha256, text: Option<&str>) {
    let text = text.map(str::as_bytes);
    hash.update(text.map_or(u64::MAX, |text| text.len() as u64).to_le_bytes());
    hash.update(text.unwrap_or_default());
}
