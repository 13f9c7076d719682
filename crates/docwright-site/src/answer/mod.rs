//! Answers to readers' questions out of the pages of a site, each with links to the sections that it quotes.
//!
//! `builtin:extract` needs no model: it quotes the best sections, or says that the pages don't say. The ranking is
//! that of [`search`](crate::search). The text comes from the Markdown version of the page, so every quote is
//! words of the page. The same question gets the same answer.
//!
//! `sections` finds the text of a section, `passage` the part of it that is quoted, and `coverage` decides whether
//! the pages answer a question at all.

mod coverage;
pub mod golden;
mod outline;
mod passage;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::search::{Query, RankedSections, SearchError, Searcher};
use coverage::Coverage;
use outline::PageSections;

/// The name of the answers that need no model.
pub const EXTRACT: &str = "builtin:extract";
/// Longest question, in characters.
pub const MAXIMUM_QUESTION: usize = 2_000;
/// Sections that an answer quotes, at most.
pub const MAXIMUM_QUOTES: usize = 3;
/// Sections that are considered.
const CONSIDERED: usize = 24;
/// Pages whose text is read.
const READ_PAGES: usize = 8;

/// An answer to a question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Whether the pages don't say. The sections are then the nearest ones, and don't answer the question.
    pub refused: bool,
    /// The quoted sections, best first: [`MAXIMUM_QUOTES`] at most.
    pub sections: Vec<Quote>,
}

/// A passage of a section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote {
    /// Path of the page's HTML file below the site root, such as `guides/start.html`.
    pub page: String,
    /// The title of the page.
    pub title: String,
    /// The heading of the section; empty for the text before the first heading.
    pub heading: String,
    /// The id of that heading; empty for the top of the page.
    pub anchor: String,
    /// The passage in Markdown, as the page's Markdown version has it: whole paragraphs, lists, tables, or code.
    pub text: String,
}

impl Quote {
    /// The path of the page's Markdown version below the site root.
    pub fn markdown_path(&self) -> String {
        markdown_path(&self.page)
    }
}

/// Answers a question without a model. `read` returns the text of a file of the site; `is_over` cancels the
/// search.
pub fn extract(
    searcher: &Searcher,
    read: impl Fn(&str) -> Option<String>,
    question: &Query,
    is_over: impl Fn() -> bool + Send + Sync + 'static,
) -> Result<Answer, SearchError> {
    let asked = Query { limit: CONSIDERED, ..question.clone() };
    let ranked = searcher.sections(asked, is_over)?;
    Ok(quote(&ranked, read, question))
}

/// The answer from ranked sections.
pub fn quote(
    ranked: &RankedSections,
    read: impl Fn(&str) -> Option<String>,
    question: &Query,
) -> Answer {
    let coverage = Coverage::new(ranked, &question.text, &question.language);
    if std::env::var_os("DEBUG_ANSWERS").is_some() {
        eprintln!("? {} {coverage:?}", question.text);
    }
    let mut pages: BTreeMap<usize, Option<PageSections>> = BTreeMap::new();
    let mut found: Vec<(f64, f64, Quote)> = Vec::new();
    for section in &ranked.sections {
        let Some(page) = ranked.pages.get(section.page) else { continue };
        if !pages.contains_key(&section.page) {
            if pages.len() == READ_PAGES {
                continue;
            }
            let text = read(&markdown_path(&page.path));
            pages.insert(section.page, text.map(|text| PageSections::new(text, page)));
        }
        let Some(Some(text)) = pages.get(&section.page) else { continue };
        let Some(passage) = passage::best(text, section.section, &coverage) else { continue };
        let heading = section.section.and_then(|number| page.headings.get(number));
        let names = [
            page.title.as_str(),
            &page.breadcrumbs.join(" "),
            heading.map_or("", |heading| &heading.text),
        ];
        let whole = format!("{}\n{}", names.join("\n"), text.text_of(section.section));
        let covered = (coverage.of(&whole) + coverage.of(text.whole())) / 2.0;
        if std::env::var_os("DEBUG_ANSWERS").is_some() {
            eprintln!("  {covered:.2} {:.2} {}#{}", coverage.of(&whole), page.path, heading.map_or("", |heading| &heading.anchor));
        }
        let quote = Quote {
            page: page.path.clone(),
            title: page.title.clone(),
            heading: heading.map_or_else(String::new, |heading| heading.text.clone()),
            anchor: heading.map_or_else(String::new, |heading| heading.anchor.clone()),
            text: passage.to_owned(),
        };
        found.push((section.score * (0.3 + covered), covered, quote));
    }
    let best = found.iter().map(|(_, covered, _)| *covered).fold(0.0, f64::max);
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    found.truncate(MAXIMUM_QUOTES);
    let refused = found.is_empty() || !coverage.answers(best);
    Answer { refused, sections: found.into_iter().map(|(_, _, quote)| quote).collect() }
}

fn markdown_path(page: &str) -> String {
    format!("{}.md", page.strip_suffix(".html").unwrap_or(page))
}
