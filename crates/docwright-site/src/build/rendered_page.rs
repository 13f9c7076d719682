//! What the rest of a build needs of a page, once its files are written.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::anchors::PageAnchors;
use crate::{
    Diagnostic,
    content::{Page, links::output_path},
    packed_text::PackedText,
    render::{AnchorLink, FeedItem},
    result_cache::ContentName,
    search::{self, KeptDocument, SearchedPage},
};

/// A page whose files are written.
pub(super) struct RenderedPage<'a> {
    pub(super) page: &'a Page,
    /// The page in other languages: code and slug.
    pub(super) alternates: Vec<(String, String)>,
    /// What lists of pages say about it.
    pub(super) description: String,
    /// Its body as Markdown, if `llms-full.txt` contains it.
    pub(super) markdown: Option<PackedText>,
    /// Without its Markdown and its updates.
    pub(super) facts: PageFacts,
}

impl RenderedPage<'_> {
    /// Its anchors, and its links to anchors.
    pub(super) fn anchors(&self) -> PageAnchors<'_> {
        let PageFacts { ids, anchor_links: links, .. } = &self.facts;
        PageAnchors { page: self.page, ids, links }
    }

    /// The page for the search index, if search finds it.
    pub(super) fn searched(&mut self) -> Option<SearchedPage> {
        let (document, kept) = (self.facts.document.take(), self.facts.kept_document.take());
        let path = output_path(&self.page.slug);
        let is_searched = document.is_some() || kept.is_some();
        is_searched.then_some(SearchedPage { path, document, kept })
    }
}

/// What is known of a page only once it is rendered. Later builds take it from the cache.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct PageFacts {
    /// Every id on the page.
    pub(super) ids: Vec<String>,
    /// Its links to anchors.
    pub(super) anchor_links: Vec<AnchorLink>,
    /// Entries of its changelog.
    pub(super) updates: Vec<FeedItem>,
    /// Classes that its author gave to elements.
    pub(super) classes: BTreeSet<String>,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Its body as Markdown.
    pub(super) markdown: String,
    /// The fingerprint of its text.
    pub(super) fingerprint: String,
    /// The Markdown version, if a later build can use it again.
    pub(super) markdown_file: Option<ContentName>,
    /// The page as search sees it, if search finds it. It is an entry of its own.
    #[serde(skip)]
    pub(super) document: Option<search::Document>,
    /// Where the cache has it.
    pub(super) kept_document: Option<KeptDocument>,
    pub(super) has_playground: bool,
    /// Origins that its playground sends requests to.
    pub(super) request_origins: BTreeSet<String>,
}

/// The names of the written files of a page. What has none can't be used again.
pub(super) struct PageFiles {
    pub(super) html: Option<ContentName>,
    /// Where the body starts in the HTML, in bytes.
    pub(super) body_start: Option<usize>,
    pub(super) scripts: PageScripts,
}

/// The names of scripts, by path.
pub(super) type PageScripts = BTreeMap<String, Option<ContentName>>;
