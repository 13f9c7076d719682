//! The search of a site: an index created during the build and read by a classic script, even from `file://`.
//!
//! Each language has a core (pages), chunks of terms in alphabetical order with their pages, a vocabulary for
//! mistyped words, and the text of each page for excerpts. The browser loads the core and the chunks of a
//! query, then the texts of the shown pages. Every file is a script that passes its data on, since browsers
//! refuse to fetch data on `file://`.
//!
//! The weight of a term on a page comes from its description, headings, text, and code. The script adds the
//! weights of titles, divisions, and paths, which are in the core anyway.
//!
//! `tokenize` and `browser/terms.js` must produce the same terms; a test compares them.

mod extract;
mod index;
mod query;
mod skipped_words;
mod tokenize;

use std::{collections::BTreeMap, io};

pub use extract::{Section, extract};
pub use query::{Hit, SearchError, query};
pub use tokenize::tokenize;

use crate::output::Output;

/// Folder of everything that search puts into a site.
pub const FOLDER: &str = "_docwright/search";

/// The query engine. Its parts are functions that share one scope.
const ENGINE: &str = concat!(
    "var docwrightSearch = (function () {\n\"use strict\";\n",
    include_str!("browser/terms.js"),
    include_str!("browser/spelling.js"),
    include_str!("browser/index.js"),
    include_str!("browser/ranking.js"),
    include_str!("browser/excerpt.js"),
    include_str!("browser/engine.js"),
    include_str!("browser/loader.js"),
    "return { Engine: Engine, terms: terms, distance: distance, receive: receive, loader: loader };\n})();\n\
     if (typeof module !== \"undefined\") module.exports = docwrightSearch;\n",
);

/// A page, as search sees it.
#[derive(Debug, Clone)]
pub struct Document {
    /// Path of its HTML file below the site root.
    pub path: String,
    /// Its title.
    pub title: String,
    /// Its description.
    pub description: String,
    /// Names of the divisions it is in, outermost first.
    pub breadcrumbs: Vec<String>,
    /// Its language; each language has its own index.
    pub language: String,
    /// Additional keywords.
    pub keywords: Vec<String>,
    /// Whether it is in the navigation.
    pub listed: bool,
    /// Factor on its score; 1 changes nothing.
    pub boost: f64,
    /// Its text, divided at headings.
    pub sections: Vec<Section>,
}

/// Writes the indexes of a site, one a language.
pub fn write_index(documents: &[Document], output: &dyn Output) -> io::Result<()> {
    let mut languages: BTreeMap<&str, Vec<&Document>> = BTreeMap::new();
    for document in documents {
        languages.entry(&document.language).or_default().push(document);
    }
    for (language, mut documents) in languages {
        documents.sort_by(|one, other| one.path.cmp(&other.path));
        index::write(language, &documents, output)?;
    }
    Ok(())
}

/// The script and the styles of the search dialog.
pub fn assets() -> [(&'static str, String); 2] {
    [
        ("_docwright/search.js", format!("{ENGINE}{}", include_str!("browser/dialog.js"))),
        ("_docwright/search.css", include_str!("browser/search.css").to_owned()),
    ]
}
