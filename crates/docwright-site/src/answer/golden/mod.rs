//! Golden questions: what readers ask, with the pages that answer, or that the pages don't say. They measure a
//! site's answers, so that a change of its pages or of docwright shows what it costs.
//!
//! `questions` reads the file, `judge` compares an answer with what a question expects, and `figures` counts.

mod figures;
mod judge;
mod questions;

pub use figures::Figures;
pub use judge::{JudgedQuestion, Method};
pub use questions::{GoldenQuestion, QuestionsError, read};

use crate::search::{Query, SearchError, Searcher};

/// The file of a docs root with its golden questions.
pub const QUESTIONS_FILE: &str = ".docwright/questions.yaml";

/// Asks each question, in order. `read` returns the text of a file of the site; `language` is that of questions
/// that name none.
pub fn measure(
    questions: &[GoldenQuestion],
    method: Method,
    searcher: &Searcher,
    read: impl Fn(&str) -> Option<String>,
    language: &str,
) -> Result<Vec<JudgedQuestion>, SearchError> {
    let ask = |question: &GoldenQuestion| {
        let asked = Query {
            language: question.language.clone().unwrap_or_else(|| language.to_owned()),
            text: question.question.clone(),
            limit: super::CONSIDERED,
            version: question.version.clone(),
        };
        let ranked = searcher.sections(asked.clone(), || false)?;
        let answer = match method {
            Method::Retrieval => None,
            Method::Extract => Some(super::quote(&ranked, &read, &asked)),
        };
        Ok(judge::judge(question, &ranked, answer.as_ref(), &read))
    };
    questions.iter().map(ask).collect()
}
