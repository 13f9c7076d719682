//! The search of a site: an index created during the build and read by a classic script, even from `file://`.
//!
//! Each language has a core, terms in alphabetical order with their pages, what results show of pages, and words
//! for mistyped ones. The browser loads the core, the terms of a query, and the shown pages. Every file is a
//! script that passes its data on, since browsers refuse to fetch data on `file://`. A site has at most
//! [`MOST_FILES`] of them: the larger the site, the larger its files, and the more an index leaves out.
//!
//! Everything that ranks pages is in the terms and the core, so that the first query of a large site needs few
//! files: where a term occurs, how much that weighs, in which blocks of the page, and whether a heading or a
//! symbol there consists of it.
//!
//! `tokenize`, `stem`, and `browser/terms.js` must produce the same terms; a test compares them.

mod abbreviations;
mod alike;
mod batches;
mod counting;
mod extract;
mod incoming;
mod index;
mod kept;
mod pages;
mod postings;
mod quality;
mod query;
mod same_meaning;
mod sections;
mod shared_text;
mod skipped_words;
mod stem;
mod symbols;
mod synonyms;
mod tokenize;
mod vocabulary;

use std::{collections::BTreeMap, io, sync::Arc};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use extract::{Link, PageText, Section, extract};
use kept::KeptIndex;
pub use kept::{KeptDocument, MakeDocument, SearchedPage};
pub use query::{Definition, Found, Hit, Query, SearchError, Searcher, query};
pub(crate) use sections::{ContentTerms, folded, terms_in};
pub use sections::{
    Heading, IndexedPage, QuestionWord, RankedPage, RankedSection, RankedSections, languages_of,
    main_language,
};
pub use symbols::{Symbol, SymbolKind};
pub use synonyms::{SYNONYMS_FILE, Synonyms, read as read_synonyms};

use crate::output::Output;

/// Folder of everything that search puts into a site.
pub const FOLDER: &str = "_docwright/search";
/// Maximum number of files in that folder, for sites with fewer languages than that.
pub const MOST_FILES: usize = 200;
/// Files that stay free, so that a rounded share doesn't exceed the limit.
const SPARE_FILES: usize = 4;

/// The query engine. Its parts are functions that share one scope.
const ENGINE: &str = concat!(
    "var docwrightSearch = (function () {\n\"use strict\";\n",
    include_str!("browser/terms.js"),
    include_str!("browser/spelling.js"),
    include_str!("browser/index.js"),
    include_str!("browser/common_words.js"),
    include_str!("browser/alike.js"),
    include_str!("browser/words.js"),
    include_str!("browser/ranking.js"),
    include_str!("browser/phrases.js"),
    include_str!("browser/excerpt.js"),
    include_str!("browser/engine.js"),
    include_str!("browser/loader.js"),
    "return { Engine: Engine, terms: terms, stemmer: stemmer, distance: distance, receive: receive, loader: loader, blocksOf: blocksOf, isCommon: isCommon };\n})();\n\
     if (typeof module !== \"undefined\") module.exports = docwrightSearch;\n",
);

/// What a page is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Kind {
    /// It explains something.
    #[default]
    Guide,
    /// It describes a part of an API.
    Api,
    /// It lists changes.
    Changelog,
}

impl Kind {
    /// The kind of a page: whether it documents an API, how many updates it has, where it is, and its title.
    pub fn of(is_api: bool, updates: usize, path: &str, title: &str) -> Self {
        if updates > 1 || quality::is_changelog(path, title) {
            Self::Changelog
        } else if is_api {
            Self::Api
        } else {
            Self::Guide
        }
    }
}

/// A page, as search sees it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Document {
    /// Path of its HTML file below the site root.
    pub path: String,
    /// Its title.
    pub title: String,
    /// Its title in the sidebar; empty if it has no other one there.
    pub sidebar_title: String,
    /// Its description.
    pub description: String,
    /// Names of the divisions it is in, outermost first.
    pub breadcrumbs: Vec<String>,
    /// Its language; each language has its own index.
    pub language: String,
    /// Its version, if the site has versions.
    pub version: Option<String>,
    /// Whether it is of the default version.
    pub is_default: bool,
    /// What it is for.
    pub kind: Kind,
    /// Whether its author says that it is deprecated.
    pub deprecated: bool,
    /// Additional keywords.
    pub keywords: Vec<String>,
    /// Whether it is in the navigation.
    pub listed: bool,
    /// Factor on its score; 1 changes nothing.
    pub boost: f64,
    /// The text of its body, which copies of the page share.
    #[serde(with = "shared_text")]
    pub body: Arc<PageText>,
}

impl Document {
    /// Drops the text, once it is counted and the part of it that results show is taken, unless another page has it.
    fn forget_text(&mut self) {
        let Some(body) = Arc::get_mut(&mut self.body) else { return };
        for section in &mut body.sections {
            (section.text, section.code) = (String::new(), String::new());
        }
        body.symbols = Vec::new();
        body.links = Vec::new();
    }
}

/// What all indexes of a site share.
struct SearchedSite<'a> {
    synonyms: &'a Synonyms,
    /// Codes of the languages with an index.
    languages: &'a [String],
}

/// Writes the indexes of a site, one a language. An index whose documents didn't change is taken from the output's cache;
/// otherwise `again` makes documents that the cache should have and doesn't.
pub fn write_index(
    pages: Vec<SearchedPage>,
    synonyms: &Synonyms,
    output: &dyn Output,
    again: &MakeDocument<'_>,
) -> io::Result<()> {
    let total = pages.len();
    let mut languages: BTreeMap<String, Vec<SearchedPage>> = BTreeMap::new();
    for page in pages {
        languages.entry(page.language().to_owned()).or_default().push(page);
    }
    let codes: Vec<String> = languages.keys().cloned().collect();
    let site = SearchedSite { synonyms, languages: &codes };
    let free = MOST_FILES.saturating_sub(SPARE_FILES + languages.len());
    for (language, mut pages) in languages {
        pages.sort_by(|one, other| one.path.cmp(&other.path));
        let files = 1 + free * pages.len() / total;
        let cache = output.cache();
        let kept =
            cache.and_then(|cache| KeptIndex::new(cache, (&language, &pages), (&site, files)));
        if let Some(kept) = &kept
            && kept.reuse(output)?
        {
            continue;
        }
        let documents = pages.par_iter_mut().map(|page| page.take_document(cache, again));
        let documents = documents.collect::<io::Result<Vec<_>>>()?;
        let written = index::write(&language, documents, &site, files, output)?;
        if let Some(kept) = kept {
            kept.add(written);
        }
    }
    Ok(())
}

/// The script that loads the search dialog.
pub const OPENER: &str = "_docwright/search_opener.js";

/// The script of the search dialog.
pub const DIALOG: &str = "_docwright/search.js";

/// The styles of the search dialog.
pub const STYLES: &str = "_docwright/search.css";

/// The files of the search dialog, with their paths.
pub fn assets() -> [(&'static str, String); 3] {
    [
        (OPENER, include_str!("browser/opener.js").to_owned()),
        (DIALOG, format!("{ENGINE}{}", include_str!("browser/dialog.js"))),
        (STYLES, include_str!("browser/search.css").to_owned()),
    ]
}
