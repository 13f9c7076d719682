//! Suggests golden questions: those that readers asked, and those that the headings of the pages answer. Each is
//! asked of the present pages, so that the file says which ones they don't answer.
//!
//! The same pages and questions give the same suggestions.

use std::collections::BTreeSet;

use super::{GoldenQuestion, Method, SearchedSite, wording};
use crate::{
    answer::likeness::{self, AskedQuestion},
    search::{IndexedPage, SearchError},
};

/// A question of a reader.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReaderQuestion {
    /// The question.
    pub question: String,
    /// Code of its language; that of the site if it is unknown.
    pub language: Option<String>,
    /// Name of the version or product.
    pub version: Option<String>,
}

/// A suggested golden question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestedQuestion {
    /// The question with what its answer must be.
    pub question: GoldenQuestion,
    /// How often readers asked it, in these words or others; 0 for a question from a heading.
    pub asked: usize,
    /// Why the present pages don't answer it; `None` if they do.
    pub unanswered: Option<String>,
}

/// Suggests questions, at most `limit`: first those of readers, the most frequent first, then those from headings,
/// one of each page, then the next of each. Leaves out the ones in `known`.
pub fn suggest(
    site: &SearchedSite,
    asked: &[ReaderQuestion],
    known: &[GoldenQuestion],
    limit: usize,
) -> Result<Vec<SuggestedQuestion>, SearchError> {
    let mut seen: BTreeSet<String> = known.iter().map(|each| folded(&each.question)).collect();
    let mut suggested = Vec::new();
    for (count, question) in of_readers(site, asked) {
        if suggested.len() < limit && seen.insert(folded(&question.question)) {
            suggested.push(judged(site, question, count)?);
        }
    }
    for question in of_headings(site)? {
        if suggested.len() >= limit {
            break;
        }
        if seen.insert(folded(&question.question)) {
            suggested.push(judged(site, question, 0)?);
        }
    }
    Ok(suggested)
}

fn folded(question: &str) -> String {
    question.trim().to_lowercase()
}

/// The questions of readers without repetitions, the most frequent first.
fn of_readers(site: &SearchedSite, asked: &[ReaderQuestion]) -> Vec<(usize, GoldenQuestion)> {
    let language =
        |question: &ReaderQuestion| question.language.clone().unwrap_or(site.language.clone());
    let languages: Vec<_> = asked.iter().map(language).collect();
    let texts: Vec<_> = asked
        .iter()
        .zip(&languages)
        .map(|(asked, language)| AskedQuestion { text: &asked.question, language })
        .collect();
    let mut groups = likeness::group(&texts);
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let first = |group: Vec<usize>| {
        let reader = asked.get(*group.first()?)?;
        let question = GoldenQuestion {
            question: reader.question.trim().to_owned(),
            language: reader.language.clone().filter(|own| *own != site.language),
            version: reader.version.clone(),
            ..GoldenQuestion::default()
        };
        Some((group.len(), question))
    };
    groups.into_iter().filter_map(first).collect()
}

/// A question of each section, the first ones of all pages before the second ones.
fn of_headings(site: &SearchedSite) -> Result<Vec<GoldenQuestion>, SearchError> {
    let mut ordered: Vec<(usize, GoldenQuestion)> = Vec::new();
    let mut seen = BTreeSet::new();
    for language in &site.languages {
        for page in site.searcher.pages(language, || false)? {
            let questions = of_page(&page, language, &site.language);
            for (place, question) in questions.into_iter().enumerate() {
                let mut question = question;
                if !seen.insert(question.question.clone()) {
                    // Several pages have such a section.
                    let stem = question.question.trim_end_matches('?');
                    question.question = format!("{stem} in {}?", page.title);
                    if !seen.insert(question.question.clone()) {
                        continue;
                    }
                }
                ordered.push((place, question));
            }
        }
    }
    ordered.sort_by_key(|(place, _)| *place);
    Ok(ordered.into_iter().map(|(_, question)| question).collect())
}

/// The questions of a page: of its title, then of its headings.
fn of_page(page: &IndexedPage, language: &str, main: &str) -> Vec<GoldenQuestion> {
    let is_english = language.split(['-', '_']).next() == Some("en");
    let headings = page.headings.iter().map(|heading| heading.text.as_str());
    let texts = std::iter::once(page.title.as_str()).chain(headings);
    let questions = texts.filter_map(|text| wording::question(text, &page.title, is_english));
    let path = page.path.strip_suffix(".html").unwrap_or(&page.path);
    let golden = |question| GoldenQuestion {
        question,
        pages: vec![path.to_owned()],
        language: (language != main).then(|| language.to_owned()),
        // A golden question names one version or product.
        version: page.version.split(", ").next().filter(|name| !name.is_empty()).map(str::to_owned),
        ..GoldenQuestion::default()
    };
    questions.map(golden).collect()
}

/// Asks a question of the present pages. One of a reader gets the pages that answer it, or is unanswered.
fn judged(
    site: &SearchedSite,
    mut question: GoldenQuestion,
    asked: usize,
) -> Result<SuggestedQuestion, SearchError> {
    let is_of_reader = question.pages.is_empty();
    if !is_of_reader {
        let judged = site.judge(&question, Method::Extract, || false)?;
        let unanswered = (!judged.has_passed()).then(|| judged.failures.join("; "));
        return Ok(SuggestedQuestion { question, asked, unanswered });
    }
    let answer = site.answer(&question)?;
    let mut places: Vec<String> = Vec::new();
    for quote in &answer.sections {
        let page = quote.page.strip_suffix(".html").unwrap_or(&quote.page);
        if !places.iter().any(|known| known == page) {
            places.push(page.to_owned());
        }
    }
    if !answer.refused {
        // The best page answers; the others are only near.
        places.truncate(1);
        question.pages = places;
        return Ok(SuggestedQuestion { question, asked, unanswered: None });
    }
    question.unanswered = true;
    let nearest: Vec<_> = places.iter().map(|page| format!("/{page}")).collect();
    let reason = if nearest.is_empty() {
        "no page is near".to_owned()
    } else {
        format!("the nearest pages are {}", nearest.join(", "))
    };
    Ok(SuggestedQuestion { question, asked, unanswered: Some(reason) })
}

/// The suggestions as a file of golden questions. Comments say how often a question was asked, and what the present
/// pages lack.
pub fn to_yaml(suggested: &[SuggestedQuestion]) -> String {
    let mut text = String::new();
    for SuggestedQuestion { question, asked, unanswered } in suggested {
        if !text.is_empty() {
            text.push('\n');
        }
        if *asked > 1 {
            text.push_str(&format!("# Asked {asked} times.\n"));
        }
        if let Some(reason) = unanswered {
            text.push_str(&format!("# The pages don't answer this yet: {}.\n", one_line(reason)));
        }
        text.push_str(&format!("- question: {}\n", quoted(&question.question)));
        if question.unanswered {
            text.push_str("  unanswered: true\n");
        } else {
            let pages: Vec<_> = question.pages.iter().map(|page| quoted(page)).collect();
            text.push_str(&format!("  pages: [{}]\n", pages.join(", ")));
        }
        for (key, value) in [("language", &question.language), ("version", &question.version)] {
            if let Some(value) = value {
                text.push_str(&format!("  {key}: {}\n", quoted(value)));
            }
        }
    }
    text
}

/// A text as a YAML string. JSON's strings are YAML's.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
