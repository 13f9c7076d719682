//! Pages whose result an earlier build left in the cache.
//!
//! The result of a page is used again only if everything that it follows from is the same: what all pages share
//! (`shared_inputs`), the page's own text, and what its rendering read besides them. The first two are in the key; the
//! third is known only after rendering, so it is kept with the result and compared.

use std::{
    collections::HashMap,
    io,
    sync::{OnceLock, PoisonError, RwLock},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

use super::{
    Site,
    body::KeptBody,
    rendered_page::{PageFacts, PageFiles},
    shared_inputs::{body_inputs, page_inputs, shared_inputs},
};
use crate::{
    content::{Page, PageKind, links::output_path},
    output::Output,
    render::{Read, Reads, RenderContext},
    result_cache::{ContentName, Key, Kind, ResultCache},
    search::{Document, KeptDocument},
};

/// A hash of something that a page read.
pub(super) type Fingerprint = [u8; 16];

/// The cache of a build.
#[derive(Debug)]
pub(super) struct CachedPages<'a> {
    cache: &'a ResultCache,
    /// The hash of what all pages share.
    shared: [u8; 32],
    /// The hash of what all bodies share, once it is needed.
    bodies: OnceLock<[u8; 32]>,
    fingerprints: RwLock<HashMap<Read, Fingerprint>>,
}

/// The result of a page, as it is in the cache.
#[derive(Serialize, Deserialize)]
struct CachedPage<T> {
    /// What the page read, as it was, in order. What its body read is a part of it.
    reads: Vec<(Read, Fingerprint)>,
    html: ContentName,
    /// The scripts of the page by their path.
    scripts: Vec<(String, ContentName)>,
    /// The hash of the entry of its body, if there is one.
    body: Option<[u8; 32]>,
    facts: T,
}

/// Names of the files of a page in the cache.
pub(super) struct CachedFiles {
    pub(super) html: ContentName,
    pub(super) scripts: Vec<(String, ContentName)>,
}

impl<'a> CachedPages<'a> {
    /// The pages of a site in a cache.
    pub(super) fn new(cache: &'a ResultCache, site: &Site<'_>) -> Self {
        let shared = shared_inputs(site);
        Self { cache, shared, bodies: OnceLock::new(), fingerprints: RwLock::default() }
    }

    /// The key of a page.
    pub(super) fn key(&self, site: &Site<'_>, page: &Page) -> Key {
        let text = own_text(site, page);
        let texts = [&*page.slug, text, site.last_modified(page).unwrap_or_default()];
        let parts = texts.into_iter().map(str::as_bytes);
        Key::of(Kind::Page, std::iter::once(&self.shared[..]).chain(parts))
    }

    /// The key of the body of a page.
    pub(super) fn body_key(&self, site: &Site<'_>, page: &Page) -> Key {
        let shared = self.bodies.get_or_init(|| body_inputs(site));
        let text = own_text(site, page).as_bytes();
        Key::of(Kind::Body, [&shared[..], &page_inputs(page), text])
    }

    /// What an entry holds. `None` if it is missing or damaged.
    pub(super) fn read<T: DeserializeOwned>(&self, key: &Key) -> Option<T> {
        postcard::from_bytes(&self.cache.get(key)?.1).ok()
    }

    /// What a build found out about a page with a body, and its files. `None` if the page doesn't have this body anymore:
    /// a later build can keep another result of the page, and lack the room for its body.
    pub(super) fn page(
        &self,
        key: &Key,
        body: &[(Read, Fingerprint)],
    ) -> Option<(CachedFiles, PageFacts)> {
        let CachedPage { reads, html, scripts, facts, .. } = self.read(key)?;
        let has_body = body.iter().all(|read| reads.binary_search(read).is_ok());
        has_body.then_some((CachedFiles { html, scripts }, facts))
    }

    /// The document of a page.
    pub(super) fn document(&self, facts: &PageFacts) -> Option<Document> {
        facts.kept_document.as_ref()?.read(self.cache)
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
        if !self.are_same(site, &cached.reads) {
            return Ok(None);
        }
        if let Some(hash) = cached.body {
            // A later build can need it.
            self.cache.contains(&Key { kind: Kind::Body, hash });
        }
        for (path, name) in &cached.scripts {
            if !site.reuse_script(path, name, output)? {
                return Ok(None);
            }
        }
        let is_written = output.reuse(&output_path(&page.slug), &cached.html)?;
        Ok(is_written.then_some(cached.facts))
    }

    /// Whether a page or body would read the same again.
    pub(super) fn are_same(&self, site: &Site<'_>, reads: &[(Read, Fingerprint)]) -> bool {
        reads.iter().all(|(read, before)| self.fingerprint(site, read) == *before)
    }

    /// What a page or body read, with fingerprints. `None` if its result can't be used again.
    pub(super) fn with_fingerprints(
        &self,
        site: &Site<'_>,
        reads: &Reads,
    ) -> Option<Vec<(Read, Fingerprint)>> {
        let with_fingerprint = |read: Read| {
            let fingerprint = self.fingerprint(site, &read);
            (read, fingerprint)
        };
        Some(reads.all()?.into_iter().map(with_fingerprint).collect())
    }

    /// Keeps a body for later builds.
    pub(super) fn add_body(&self, key: Key, body: &KeptBody) {
        if let Ok(bytes) = postcard::to_allocvec(body) {
            self.cache.add(key, &bytes);
        }
    }

    /// Keeps the result of a page for later builds, if they can use it. Returns whether they can.
    pub(super) fn add<T: Serialize>(
        &self,
        (site, key): (&Site<'_>, Key),
        reads: &Reads,
        (files, body, facts): (PageFiles, Option<Key>, &T),
    ) -> bool {
        let scripts = files.scripts.into_iter().map(|(path, name)| Some((path, name?)));
        let reads = self.with_fingerprints(site, reads);
        let (Some(reads), Some(html), Some(scripts)) =
            (reads, files.html, scripts.collect::<Option<Vec<_>>>())
        else {
            return false;
        };
        let body = body.map(|key| key.hash);
        let bytes = postcard::to_allocvec(&CachedPage { reads, html, scripts, body, facts });
        bytes.is_ok_and(|bytes| self.cache.add(key, &bytes).is_some())
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
            Read::Title(slug) => {
                let page = site.content.pages.get(slug);
                hash_text(&mut hash, page.map(|page| &*page.frontmatter.title));
            }
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

/// The text of the file of a page. That of another page is one of the shared inputs.
fn own_text<'s>(site: &Site<'s>, page: &Page) -> &'s str {
    match page.kind {
        PageKind::File => site.source.text(&page.path).unwrap_or_default(),
        PageKind::Generated { .. } => "",
    }
}

fn hash_text(hash: &mut Sha256, text: Option<&str>) {
    let text = text.map(str::as_bytes);
    hash.update(text.map_or(u64::MAX, |text| text.len() as u64).to_le_bytes());
    hash.update(text.unwrap_or_default());
}
