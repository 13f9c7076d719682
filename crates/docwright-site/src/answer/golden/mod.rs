//! Golden questions: what readers ask, with the pages that answer, or that the pages don't say. They measure a
//! site's answers, so that a change of its pages or of docwright shows what it costs.
//!
//! `questions` reads the file, `judge` compares an answer with what a question expects, `figures` counts,
//! `change` asks before and after a change, and `suggest` proposes questions, with the `wording` of headings.

mod change;
mod figures;
mod judge;
mod questions;
mod searched;
mod suggest;
mod wording;

pub use change::check_change;
pub use figures::Figures;
pub use judge::{JudgedQuestion, Method};
pub use questions::{GoldenQuestion, QuestionsError, diagnostic, read};
pub use searched::SearchedSite;
pub use suggest::{ReaderQuestion, SuggestedQuestion, suggest, to_yaml};

use crate::search::SearchError;

/// The file of a docs root with its golden questions.
pub const QUESTIONS_FILE: &str = ".docwright/questions.yaml";

/// Asks each question, in order.
pub fn measure(
    questions: &[GoldenQuestion],
    method: Method,
    site: &SearchedSite,
) -> Result<Vec<JudgedQuestion>, SearchError> {
    questions.iter().map(|question| site.judge(question, method, || false)).collect()
}
