//! Finds the sections for a question: passages for an answer without a model, and whole sections for a model.

use std::time::{Duration, Instant};

use docwright_site::{
    answer::{self, Answer, Meaning, Quote},
    embedding::Embedder,
    search::{Query, RankedSections, SearchError, main_language},
};

use crate::{links, pages::Pages, question::Question};

/// Time limit of a search.
const SEARCH_TIME: Duration = Duration::from_secs(5);
/// Sections of each search that a model reads, if there are two searches.
const OF_EACH: usize = 7;
/// Longest text of the reader's page that a model reads, in bytes.
const PAGE_TEXT: usize = 6_000;
/// Characters of a selection, and of an earlier question, that are searched.
const SEARCHED: usize = 300;

/// A section of a page, or a passage of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section {
    /// Path of the page below the site root, without extension.
    pub(crate) page: String,
    pub(crate) title: String,
    pub(crate) heading: String,
    pub(crate) anchor: String,
    /// Its Markdown, with links from the site root and without images.
    pub(crate) text: String,
}

/// The sections for a question.
#[derive(Debug, Clone, Default)]
pub(crate) struct RetrievedSections {
    /// Whether the pages don't say; the passages are then the nearest ones.
    pub(crate) is_refused: bool,
    /// Passages for an answer without a model, best first.
    pub(crate) passages: Vec<Section>,
    /// Sections for a model.
    pub(crate) sections: Vec<Section>,
}

/// Searches the site. This blocks.
pub(crate) fn retrieve(
    (pages, embedder): (&dyn Pages, Option<&dyn Embedder>),
    question: &Question,
    for_model: bool,
) -> Result<RetrievedSections, SearchError> {
    let read = |path: &str| pages.read(path);
    let asked = query(pages, question, question.question.clone());
    let end = Instant::now() + SEARCH_TIME;
    let ranked = rank((pages, embedder), &asked, end)?;
    let Answer { refused, sections } = answer::quote(&ranked, read, &asked);
    let passages = sections.into_iter().map(|quote| Section::of(pages, quote)).collect();
    let mut found = RetrievedSections { is_refused: refused, passages, sections: Vec::new() };
    if !for_model {
        return Ok(found);
    }
    let mut quotes = answer::read(&ranked, read, &asked);
    if let Some(context) = context(question) {
        // A short question after others, or about a selection, names only a part of what it is about.
        let wider = query(pages, question, format!("{} {context}", question.question));
        let end = Instant::now() + SEARCH_TIME;
        let ranked = rank((pages, embedder), &wider, end)?;
        quotes.truncate(OF_EACH);
        for quote in answer::read(&ranked, read, &wider).into_iter().take(OF_EACH) {
            if !quotes.iter().any(|known| is_same(known, &quote)) {
                quotes.push(quote);
            }
        }
    }
    found.sections = quotes.into_iter().map(|quote| Section::of(pages, quote)).collect();
    found.sections.extend(page_of_reader(pages, question));
    Ok(found)
}

fn query(pages: &dyn Pages, question: &Question, text: String) -> Query {
    let languages = pages.languages();
    let wanted = question.language.clone().filter(|wanted| languages.contains(wanted));
    let main = || main_language(languages.iter().map(String::as_str)).to_owned();
    let language = wanted.unwrap_or_else(main);
    Query { language, text, version: question.version.clone(), ..Query::default() }
}

/// Ranks the sections of a site for a query, by meaning too if both the site and the embedder know it. This blocks.
///
/// # Errors
///
/// Fails if the search does. If the model fails, words alone rank.
pub fn rank(
    (pages, embedder): (&dyn Pages, Option<&dyn Embedder>),
    query: &Query,
    end: Instant,
) -> Result<RankedSections, SearchError> {
    let vectors = embedder.and_then(|embedder| Some((embedder, pages.vectors(&query.language)?)));
    let meaning = vectors.and_then(|(embedder, vectors)| {
        let meaning = Meaning::of(embedder, &vectors, &query.text);
        meaning.unwrap_or_else(|error| {
            let model = embedder.model();
            tracing::warn!(%error, %model, "question not embedded; searched by words");
            None
        })
    });
    let searcher = pages.searcher()?;
    answer::rank(&searcher, query, meaning.as_ref(), move || Instant::now() >= end)
}

/// What a question is about besides its own words.
fn context(question: &Question) -> Option<String> {
    let selection = question.selection.as_deref().unwrap_or_default();
    let earlier = question.history.last().map_or("", |exchange| &exchange.question);
    let start = |text: &str| text.chars().take(SEARCHED).collect::<String>();
    let context = format!("{} {}", start(selection), start(earlier));
    Some(context.trim().to_owned()).filter(|context| !context.is_empty())
}

fn is_same(one: &Quote, other: &Quote) -> bool {
    (&one.page, &one.anchor, &one.heading) == (&other.page, &other.anchor, &other.heading)
}

/// The start of the page that the reader is on.
fn page_of_reader(pages: &dyn Pages, question: &Question) -> Option<Section> {
    let page = question.page_path().filter(|page| pages.has(&format!("{page}.html")))?;
    let mut text = pages.read(&format!("{page}.md"))?;
    let base = base(&text);
    text.truncate(text.floor_char_boundary(PAGE_TEXT));
    let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
    let (title, heading) = (title.to_owned(), String::new());
    let text = links::rooted(pages, page, base.as_deref(), &text);
    Some(Section { page: page.to_owned(), title, heading, anchor: String::new(), text })
}

/// The address of the site root, if the pages have it: their first line names `llms.txt` there.
fn base(text: &str) -> Option<String> {
    let line = text.lines().next()?;
    let link = links::links(line).flatten().next()?.destination;
    let base = link.strip_suffix("llms.txt")?;
    base.contains("://").then(|| base.to_owned())
}

impl Section {
    fn of(pages: &dyn Pages, quote: Quote) -> Self {
        let page = quote.page.strip_suffix(".html").unwrap_or(&quote.page).to_owned();
        let first = pages.read(&quote.markdown_path());
        let base = first.as_deref().and_then(base);
        let text = links::rooted(pages, &page, base.as_deref(), quote.text.trim());
        Self { page, title: quote.title, heading: quote.heading, anchor: quote.anchor, text }
    }
}
