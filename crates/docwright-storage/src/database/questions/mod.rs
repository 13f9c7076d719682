//! Questions of readers with the answers of the assistant, and the ratings of these answers.
//!
//! A node writes them in batches after their answers. A row has the time at which it expires; nothing in it tells who
//! asked.

mod read;
mod retention;
mod unanswered;
mod write;

use docwright_types::{
    assistant::{AnswerKind, AskedFrom, RatingReason},
    timestamp::Timestamp,
};
use serde::{Deserialize, Serialize};

pub use read::{QuestionCount, QuestionFilter};
pub(super) use retention::shorten;
pub use unanswered::UnansweredQuestion;

/// A question with its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewQuestion {
    /// Id of the answer.
    pub id: String,
    /// The site's domain.
    pub domain: String,
    /// Id of the conversation; the id of the answer if there is none.
    pub thread: String,
    /// Time of the question.
    pub asked_at: Timestamp,
    /// When it is deleted.
    pub expires_at: Timestamp,
    /// The question.
    pub question: String,
    /// The text of the answer, in Markdown; empty for a refusal.
    pub answer: String,
    /// The kind of the answer.
    pub kind: AnswerKind,
    /// The sources of the answer, or the nearest sections of a refusal.
    pub sources: Vec<QuestionSource>,
    /// Where it was asked.
    pub asked_from: AskedFrom,
    /// Path of the page that the reader was on.
    pub page: Option<String>,
    /// Language of the page.
    pub language: Option<String>,
    /// Version or product of the page.
    pub version: Option<String>,
}

/// A section that an answer names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionSource {
    /// Path of the page.
    pub page: String,
    /// Id of the heading; empty for the top of the page.
    pub anchor: String,
    /// Title of the page.
    pub title: String,
    /// The heading; empty for the text before the first one.
    pub heading: String,
}

/// A stored question with its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The question with its answer.
    pub asked: NewQuestion,
    /// The rating of the answer.
    pub rating: Option<Rating>,
}

/// A reader's rating of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rating {
    /// Whether it helped.
    pub helpful: bool,
    /// Why it didn't.
    pub reason: Option<RatingReason>,
    /// The reader's comment.
    pub comment: Option<String>,
}
