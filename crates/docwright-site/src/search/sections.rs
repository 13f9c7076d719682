//! Sections as results: what the engine returns for a question. `browser/sections.js` ranks them.
//!
//! A section is a heading with everything below it, up to the next heading. The index knows where its words are;
//! its text is in the Markdown version of its page.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::{
    FOLDER,
    skipped_words::skipped_terms,
    stem::Stemmer,
    tokenize::{fold, tokenize},
};

/// The sections that can answer a question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RankedSections {
    /// The words of the question.
    pub words: Vec<QuestionWord>,
    /// Whether the site is so large that the index doesn't tell the sections of a page apart.
    pub is_coarse: bool,
    /// The rarity of a word on one page of the site.
    pub rarest: f64,
    /// The pages of the sections, best first.
    pub pages: Vec<RankedPage>,
    /// The sections, best first.
    pub sections: Vec<RankedSection>,
    /// Those that were found by words alone, best first, if [`RankedSections::sections`] has others too; otherwise
    /// empty.
    #[serde(default)]
    pub by_words: Vec<RankedSection>,
}

/// A word of a question, as the index knows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QuestionWord {
    /// The word in lower case, without accents.
    pub word: String,
    /// How rare it is on the site: 0 is on every page.
    pub rarity: f64,
    /// Whether everybody uses it, whatever the product; its rarity is lower for it.
    pub is_common: bool,
    /// Whether it is too common in its language to tell anything.
    pub is_stop_word: bool,
    /// Whether a page has it, or another form of it. Otherwise its terms are those of similar words.
    pub is_known: bool,
    /// The terms of the index that it can mean, each with how certain that is, from 0 to 1.
    pub terms: Vec<(String, f64)>,
}

/// A page with ranked sections.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankedPage {
    /// Its number in the index of its language.
    #[serde(default)]
    pub number: usize,
    /// How well it matches; comparable within one result only.
    pub score: f64,
    /// Path of its HTML file below the site root.
    pub path: String,
    /// Its title.
    pub title: String,
    /// Names of the divisions it is in, outermost first.
    pub breadcrumbs: Vec<String>,
    /// Its description; empty if it has none.
    pub description: String,
    /// The headings of its sections, in order, as far as the index lists them.
    pub headings: Vec<Heading>,
}

/// The heading of a section.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// Its id; empty for the text before the first heading.
    pub anchor: String,
    /// Its text.
    pub text: String,
}

/// A page of the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexedPage {
    /// Path of its HTML file below the site root.
    pub path: String,
    /// Its title.
    pub title: String,
    /// Names of its version and product; empty for a page of each.
    pub version: String,
    /// The headings of its sections, in order, as far as the index lists them.
    pub headings: Vec<Heading>,
}

/// A section that can answer a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankedSection {
    /// Number of its page in [`RankedSections::pages`].
    pub page: usize,
    /// Number of its heading in [`RankedPage::headings`]; `None` for the top of the page.
    pub section: Option<usize>,
    /// How well it matches; comparable within one result only.
    pub score: f64,
}

/// The languages with an index, by the paths of a site's files, each once.
pub fn languages_of<'a>(paths: impl Iterator<Item = &'a str>) -> impl Iterator<Item = &'a str> {
    let mut seen = FxHashSet::default();
    paths
        .filter_map(|path| Some(path.strip_prefix(FOLDER)?.strip_prefix('/')?.split_once('/')?.0))
        .filter(move |language| seen.insert(*language))
}

/// The language that questions are in if they name none: English if there is an index of it, otherwise the first
/// of the languages.
pub fn main_language<'a>(languages: impl Iterator<Item = &'a str> + Clone) -> &'a str {
    let mut all = languages.clone();
    all.clone().find(|language| *language == "en").or_else(|| all.next()).unwrap_or("en")
}

/// Finds the terms of texts in a language, without those of stop words.
#[derive(Debug)]
pub(crate) struct ContentTerms<'a> {
    language: &'a str,
    stop_words: BTreeSet<String>,
}

impl<'a> ContentTerms<'a> {
    /// Stemming the stop words of a language takes longer than reading a title, so keep this for all texts.
    pub(crate) fn new(language: &'a str) -> Self {
        Self { language, stop_words: skipped_terms(language, Stemmer::of(language)) }
    }

    /// The terms of a text.
    pub(crate) fn of(&self, text: &str) -> FxHashSet<String> {
        let mut terms = terms_in(self.language, text);
        terms.retain(|term| !self.stop_words.contains(term));
        terms
    }
}

/// A word as [`QuestionWord::word`] has it.
pub(crate) fn folded(word: &str) -> String {
    fold(word).into_owned()
}

/// The terms of a text in a language, as the index has them.
pub(crate) fn terms_in(language: &str, text: &str) -> FxHashSet<String> {
    let mut terms = FxHashSet::default();
    tokenize(text, Stemmer::of(language), |term| {
        if !terms.contains(term) {
            terms.insert(term.to_owned());
        }
    });
    terms
}
