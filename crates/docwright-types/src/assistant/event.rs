//! Events of an answer, in the order in which they are sent: sources before the paragraph that names them, and one
//! end.

use serde::Serialize;

use super::AnswerKind;

/// A part of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Event {
    /// Words of a page.
    Source(Source),
    /// A paragraph, list, table, or code in Markdown.
    Paragraph {
        /// The Markdown. Its links lead to pages of the site (`/guides/start#anchor`), or to where its sources link to.
        text: String,
        /// The numbers of its sources.
        sources: Vec<usize>,
    },
    /// A question back.
    Choices {
        /// The question.
        text: String,
        /// What the reader can mean.
        choices: Vec<String>,
    },
    /// The last event of a whole answer.
    Done {
        /// What was sent.
        kind: AnswerKind,
        /// A random id of the answer.
        id: String,
        /// Whether the server takes a rating of it. The flow doesn't know: the server sets it.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        rated: bool,
    },
    /// The last event of an answer that broke off.
    Error {
        /// What happened and what to do, for the reader.
        error: String,
    },
}

/// Words of a page, with the place that they are at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Source {
    /// Its number, from zero.
    pub index: usize,
    /// The title of the page.
    pub title: String,
    /// The heading of the section; empty for the text before the first heading.
    pub heading: String,
    /// Path of the page below the site root, without extension.
    pub page: String,
    /// The id of the heading; empty for the top of the page.
    pub anchor: String,
    /// The words, without Markdown.
    pub quote: String,
}

impl Event {
    /// The name of the event on the wire.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Source(_) => "source",
            Self::Paragraph { .. } => "paragraph",
            Self::Choices { .. } => "choices",
            Self::Done { .. } => "done",
            Self::Error { .. } => "error",
        }
    }
}
