//! Compares what was found and answered with what a question expects.

use serde::Serialize;

use super::GoldenQuestion;
use crate::{
    answer::{Answer, EXTRACT, Quote},
    search::RankedSections,
};

/// Pages among which a page counts as found.
pub(super) const WITHIN: usize = 5;

/// How questions are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub enum Method {
    /// Pages are only found, so questions that the pages don't answer aren't asked.
    #[serde(rename = "retrieval")]
    Retrieval,
    /// `builtin:extract`: quotes of the best sections.
    #[default]
    #[serde(rename = "builtin:extract")]
    Extract,
}

impl Method {
    /// The name of the method.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Retrieval => "retrieval",
            Self::Extract => EXTRACT,
        }
    }
}

/// A question with what was found for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JudgedQuestion {
    /// The question.
    pub question: String,
    /// Whether no page answers it.
    pub unanswered: bool,
    /// Place of the first right page among the pages found, from 1; left out if it isn't among them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    /// Whether the answer is that the pages don't say; left out if only pages were found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<bool>,
    /// The quoted sections; empty for a refusal.
    pub sections: Vec<Quote>,
    /// Quoted sections whose words aren't on their page.
    pub broken_citations: Vec<String>,
    /// Why the question failed; empty if it passed.
    pub failures: Vec<String>,
}

impl JudgedQuestion {
    /// Whether the answer is what the question expects.
    pub fn has_passed(&self) -> bool {
        self.failures.is_empty()
    }

    /// Whether a right page is among the first pages found. A question that no page answers has none to find.
    pub fn is_found(&self) -> bool {
        self.unanswered || self.rank.is_some_and(|rank| rank <= WITHIN)
    }
}

/// Judges what was found for a question. `read` returns the text of a file of the site.
pub(super) fn judge(
    question: &GoldenQuestion,
    ranked: &RankedSections,
    answer: Option<&Answer>,
    read: impl Fn(&str) -> Option<String>,
) -> JudgedQuestion {
    let mut judged = JudgedQuestion {
        question: question.question.clone(),
        unanswered: question.unanswered,
        rank: rank(question, ranked),
        refused: answer.map(|answer| answer.refused),
        ..JudgedQuestion::default()
    };
    if let Some(answer) = answer.filter(|answer| !answer.refused) {
        for quote in &answer.sections {
            let page = read(&quote.markdown_path());
            if !page.is_some_and(|page| page.contains(&quote.text)) {
                judged.broken_citations.push(place(quote));
            }
        }
        judged.sections.clone_from(&answer.sections);
    }
    judged.failures = failures(question, &judged, answer);
    judged
}

fn failures(
    question: &GoldenQuestion,
    judged: &JudgedQuestion,
    answer: Option<&Answer>,
) -> Vec<String> {
    let mut failures = Vec::new();
    let Some(answer) = answer else {
        if !judged.is_found() {
            failures.push(not_found(question, judged));
        }
        return failures;
    };
    match (question.unanswered, answer.refused) {
        (true, true) => return failures,
        (true, false) => {
            failures.push(format!("answered from {}", cited(answer)));
            return failures;
        }
        (false, true) => {
            failures.push(format!("refused; {}", not_found(question, judged)));
            return failures;
        }
        (false, false) => {}
    }
    let cites = |page: &String| {
        answer.sections.iter().any(|quote| quote.page.strip_suffix(".html") == Some(page))
    };
    if !question.pages.iter().any(cites) {
        failures.push(format!("cites {}; {}", cited(answer), not_found(question, judged)));
    }
    let text: Vec<&str> = answer.sections.iter().map(|quote| &*quote.text).collect();
    let text = text.join("\n").to_lowercase();
    let missing: Vec<_> = question.contains.iter().filter(|words| !has(&text, words)).collect();
    if !missing.is_empty() {
        failures.push(format!("lacks {}", listed(&missing)));
    }
    let unwanted: Vec<_> = question.omits.iter().filter(|words| has(&text, words)).collect();
    if !unwanted.is_empty() {
        failures.push(format!("has {}", listed(&unwanted)));
    }
    if !judged.broken_citations.is_empty() {
        failures.push(format!("isn't on the page: {}", judged.broken_citations.join(", ")));
    }
    failures
}

fn listed(words: &[&String]) -> String {
    let words: Vec<_> = words.iter().map(|words| format!("`{words}`")).collect();
    words.join(", ")
}

fn not_found(question: &GoldenQuestion, judged: &JudgedQuestion) -> String {
    let pages: Vec<_> = question.pages.iter().map(|page| format!("/{page}")).collect();
    let pages = pages.join(" or ");
    match judged.rank {
        Some(rank) => format!("{pages} is page {rank} of those found"),
        None => format!("{pages} isn't among the pages found"),
    }
}

/// Place of the first right page among the pages of the sections, from 1.
fn rank(question: &GoldenQuestion, ranked: &RankedSections) -> Option<usize> {
    let mut seen: Vec<usize> = Vec::new();
    for section in &ranked.sections {
        if seen.contains(&section.page) {
            continue;
        }
        seen.push(section.page);
        let path = ranked.pages.get(section.page)?.path.strip_suffix(".html")?;
        if question.pages.iter().any(|page| page == path) {
            return Some(seen.len());
        }
    }
    None
}

/// The quoted sections as paths with anchors.
fn cited(answer: &Answer) -> String {
    answer.sections.iter().map(place).collect::<Vec<_>>().join(", ")
}

fn place(quote: &Quote) -> String {
    let anchor = &quote.anchor;
    let page = quote.page.strip_suffix(".html").unwrap_or(&quote.page);
    if anchor.is_empty() { format!("/{page}") } else { format!("/{page}#{anchor}") }
}

/// Whether a text in lower case has some words, with no letter or digit right before or after them.
fn has(text: &str, words: &str) -> bool {
    let words = words.to_lowercase();
    let (words, is_start) = match words.strip_suffix('*') {
        Some(start) => (start, true),
        None => (&*words, false),
    };
    text.match_indices(words).any(|(at, found)| {
        let before = text[..at].chars().next_back();
        let after = text[at + found.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric)
            && (is_start || !after.is_some_and(char::is_alphanumeric))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole_unless_they_end_with_a_star() {
        for (words, expected) in
            [("10 mb", true), ("10", true), ("0 MB", false), ("import", false), ("import*", true)]
        {
            assert_eq!(has("imports of up to 10 mb.", words), expected, "{words}");
        }
    }
}
