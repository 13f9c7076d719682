//! Answers to readers' questions out of the pages of a site, each with links to the sections that it quotes.
//!
//! `builtin:extract` needs no model: it quotes the best sections, or says that the pages don't say. The ranking is
//! that of [`search`](crate::search). The text comes from the Markdown version of the page, so every quote is
//! words of the page. The same question gets the same answer.
//!
//! With embeddings, `fusion` orders sections by words and by meaning. Whether the pages answer a question is decided
//! by words alone: a section can sound like an answer and lack what the question is about.
//!
//! `outline` finds the text of a section, `passage` the part of it that is quoted, and `coverage` decides whether
//! the pages answer a question at all. `golden` measures answers, and `likeness` groups questions.

mod coverage;
mod fusion;
pub mod golden;
pub mod likeness;
mod outline;
mod passage;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::search::{Query, RankedPage, RankedSection, RankedSections, SearchError, Searcher};
use coverage::{Coverage, is_enough};
pub use fusion::Meaning;
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
/// Quoted sections of one page.
const OF_ONE_PAGE: usize = 2;
/// The least score of a quoted section, as a share of the best one's.
const LEAST: f64 = 0.3;
/// What a section that covers nothing keeps of its score.
const UNCOVERED: f64 = 0.3;
/// Sections that a model reads, at most.
const MAXIMUM_READ: usize = 12;
/// Their text in all, and of each. Bytes.
const READ_TEXT: usize = 24_000;
const SECTION_TEXT: usize = 6_000;

/// An answer to a question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Whether the pages don't say. The sections are then the nearest ones, and don't answer the question.
    pub refused: bool,
    /// The quoted sections, best first: [`MAXIMUM_QUOTES`] at most.
    pub sections: Vec<Quote>,
}

/// A passage of a section, or all of it.
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
    let ranked = rank(searcher, question, None, is_over)?;
    Ok(quote(&ranked, read, question))
}

/// Ranks the sections for a question, as [`quote`] and [`read`] need them: by words, and by meaning if it is known.
pub fn rank(
    searcher: &Searcher,
    question: &Query,
    meaning: Option<&Meaning>,
    is_over: impl Fn() -> bool + Send + Sync + 'static,
) -> Result<RankedSections, SearchError> {
    let near = meaning.map(Meaning::nearest).unwrap_or_default();
    let asked = Query { limit: CONSIDERED, ..question.clone() };
    let mut ranked = searcher.sections(asked, fusion::pages(&near), is_over)?;
    if !near.is_empty() {
        fusion::fuse(&mut ranked, &near, CONSIDERED);
    }
    Ok(ranked)
}

/// The answer from ranked sections.
pub fn quote(
    ranked: &RankedSections,
    read: impl Fn(&str) -> Option<String>,
    question: &Query,
) -> Answer {
    let mut reading = Reading::new(ranked, read, question);
    let candidates = reading.candidates(&ranked.sections, Extent::Passage);
    let covered = match ranked.by_words.as_slice() {
        [] => most_covered(&candidates),
        by_words => most_covered(&reading.candidates(by_words, Extent::Passage)),
    };
    let sections = choose(candidates);
    Answer { refused: sections.is_empty() || !is_enough(covered), sections }
}

/// The largest share of the question that a section and its page cover.
fn most_covered(candidates: &[Candidate]) -> f64 {
    candidates.iter().map(|candidate| candidate.covered).fold(0.0, f64::max)
}

/// The best of ranked sections with their text, for a model to read: best first, in bounds. A long text is cut.
pub fn read(
    ranked: &RankedSections,
    read: impl Fn(&str) -> Option<String>,
    question: &Query,
) -> Vec<Quote> {
    let mut reading = Reading::new(ranked, read, question);
    let mut candidates = reading.candidates(&ranked.sections, Extent::Section);
    candidates.sort_by(|one, other| other.score.total_cmp(&one.score));
    let mut room = READ_TEXT;
    let mut sections = Vec::new();
    for Candidate { mut quote, .. } in candidates {
        let most = quote.text.floor_char_boundary(SECTION_TEXT);
        quote.text.truncate(most);
        if sections.len() == MAXIMUM_READ || quote.text.len() > room {
            break;
        }
        room -= quote.text.len();
        sections.push(quote);
    }
    sections
}

/// The best of ranked sections with their text and their scores, as shares of the best one's: best first, this many at
/// most. A long text is cut.
pub fn scored(
    ranked: &RankedSections,
    read: impl Fn(&str) -> Option<String>,
    question: &Query,
    most: usize,
) -> Vec<(f64, Quote)> {
    let mut reading = Reading::new(ranked, read, question);
    let mut candidates = reading.candidates(&ranked.sections, Extent::Section);
    candidates.sort_by(|one, other| other.score.total_cmp(&one.score));
    candidates.truncate(most);
    let best = candidates.first().map_or(1.0, |best| best.score.max(f64::MIN_POSITIVE));
    let scored = candidates.into_iter().map(|Candidate { score, mut quote, .. }| {
        quote.text.truncate(quote.text.floor_char_boundary(SECTION_TEXT));
        (score / best, quote)
    });
    scored.collect()
}

/// How much of a section is taken.
#[derive(Debug, Clone, Copy)]
enum Extent {
    /// The passage that answers best.
    Passage,
    /// All of it.
    Section,
}

/// Reads the pages of ranked sections, each once.
struct Reading<'a, R> {
    ranked: &'a RankedSections,
    coverage: Coverage,
    read: R,
    pages: BTreeMap<usize, Option<ReadPage<'a>>>,
}

impl<'a, R: Fn(&str) -> Option<String>> Reading<'a, R> {
    fn new(ranked: &'a RankedSections, read: R, question: &Query) -> Self {
        let coverage = Coverage::new(ranked, &question.text, &question.language);
        Self { ranked, coverage, read, pages: BTreeMap::new() }
    }

    /// The ones of some sections that can be quoted.
    fn candidates(&mut self, sections: &[RankedSection], extent: Extent) -> Vec<Candidate> {
        let Self { ranked, coverage, read, pages } = self;
        let mut used = BTreeSet::new();
        let mut candidates = Vec::new();
        for section in sections {
            let Some(page) = ranked.pages.get(section.page) else { continue };
            if used.len() == READ_PAGES && !used.contains(&section.page) {
                continue;
            }
            let is_new = used.insert(section.page);
            let page = pages.entry(section.page).or_insert_with(|| {
                let text = read(&markdown_path(&page.path))?;
                Some(ReadPage::new(page, text, coverage))
            });
            let Some(page) = page else { continue };
            if !ranked.is_coarse {
                candidates.extend(page.candidate(section, coverage, extent));
            } else if is_new {
                let sections = page.sections_by_text(section.page, coverage);
                let found =
                    sections.iter().filter_map(|each| page.candidate(each, coverage, extent));
                candidates.extend(found);
            }
        }
        candidates
    }
}

/// A page whose text was read.
struct ReadPage<'a> {
    page: &'a RankedPage,
    sections: PageSections,
    /// The share of the question that the whole page covers.
    covered: f64,
}

/// A section that can be quoted.
struct Candidate {
    score: f64,
    /// The share of the question that the section and its page cover.
    covered: f64,
    quote: Quote,
}

impl<'a> ReadPage<'a> {
    fn new(page: &'a RankedPage, text: String, coverage: &Coverage) -> Self {
        let covered = coverage.of(&text);
        Self { page, sections: PageSections::new(text, page), covered }
    }

    /// The sections that cover most of the question, where the index doesn't tell them apart.
    fn sections_by_text(&self, page: usize, coverage: &Coverage) -> Vec<RankedSection> {
        let numbers = std::iter::once(None).chain((0..self.page.headings.len()).map(Some));
        let mut sections: Vec<_> = numbers
            .map(|section| {
                let heading = section.and_then(|number| self.page.headings.get(number));
                let heading = heading.map_or("", |heading| &heading.text);
                let text = format!("{heading}\n{}", self.sections.text_of(section));
                let score = self.page.score * (1.0 + coverage.of(&text));
                RankedSection { page, section, score }
            })
            .collect();
        sections.sort_by(|one, other| other.score.total_cmp(&one.score));
        sections.truncate(OF_ONE_PAGE);
        sections
    }

    /// A section with its best passage; `None` if the text doesn't have it.
    fn candidate(
        &self,
        section: &RankedSection,
        coverage: &Coverage,
        extent: Extent,
    ) -> Option<Candidate> {
        let page = self.page;
        let passage = match extent {
            Extent::Passage => passage::best(&self.sections, section.section, coverage)?,
            Extent::Section => self.sections.text_of(section.section).trim(),
        };
        if passage.is_empty() {
            return None;
        }
        let heading = section.section.and_then(|number| page.headings.get(number));
        let heading = heading.cloned().unwrap_or_default();
        let names = format!("{}\n{}\n{}", page.title, page.breadcrumbs.join("\n"), heading.text);
        let whole = format!("{names}\n{}", self.sections.text_of(section.section));
        let covered = f64::midpoint(coverage.of(&whole), self.covered);
        let quote = Quote {
            page: page.path.clone(),
            title: page.title.clone(),
            heading: heading.text,
            anchor: heading.anchor,
            text: passage.to_owned(),
        };
        Some(Candidate { score: section.score * (UNCOVERED + covered), covered, quote })
    }
}

/// The best sections: not all of one page, and none that is far below the best.
fn choose(mut candidates: Vec<Candidate>) -> Vec<Quote> {
    candidates.sort_by(|one, other| other.score.total_cmp(&one.score));
    let least = LEAST * candidates.first().map_or(0.0, |best| best.score);
    let mut quotes: Vec<Quote> = Vec::with_capacity(MAXIMUM_QUOTES);
    for Candidate { score, quote, .. } in candidates {
        let of_page = quotes.iter().filter(|known| known.page == quote.page).count();
        if score >= least && of_page < OF_ONE_PAGE && quotes.len() < MAXIMUM_QUOTES {
            quotes.push(quote);
        }
    }
    quotes
}

fn markdown_path(page: &str) -> String {
    format!("{}.md", page.strip_suffix(".html").unwrap_or(page))
}
