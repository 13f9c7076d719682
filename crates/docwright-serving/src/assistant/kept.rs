//! A question as it is stored: collected from the events of its answer, and handed over with the last one.

use std::sync::Arc;

use docwright_assistant::{Event, Question};
use docwright_storage::database::{NewQuestion, QuestionSource};
use docwright_types::{
    assistant::{AnswerKind, AskedFrom},
    timestamp::{DAY, Timestamp},
};

use super::questions::QuestionWriter;

/// Where and when a question was asked, and for how many days it is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    /// Name of the domain.
    pub(super) domain: &'a str,
    /// Where it was asked.
    pub(super) from: AskedFrom,
    /// When.
    pub(super) at: Timestamp,
    /// For how long it is kept.
    pub(super) days: u16,
}

/// A question whose answer is under way. An answer that breaks off isn't kept.
#[derive(Debug)]
pub(super) struct KeptQuestion {
    writer: Arc<QuestionWriter>,
    question: NewQuestion,
    /// A rating names the thread that the browser made.
    has_thread: bool,
}

impl KeptQuestion {
    pub(super) fn new(writer: &Arc<QuestionWriter>, asked: Asked<'_>, question: &Question) -> Self {
        let plain = |text: &Option<String>| text.as_deref().map(without_nul);
        let new = NewQuestion {
            id: String::new(),
            domain: asked.domain.to_owned(),
            thread: question.thread.clone().unwrap_or_default(),
            asked_at: asked.at,
            expires_at: asked.at + i64::from(asked.days) * DAY,
            question: without_nul(&question.question),
            answer: String::new(),
            kind: AnswerKind::Answer,
            sources: Vec::new(),
            asked_from: asked.from,
            page: plain(&question.page),
            language: plain(&question.language),
            version: plain(&question.version),
        };
        let has_thread = question.thread.is_some();
        Self { writer: Arc::clone(writer), question: new, has_thread }
    }

    /// Takes over an event. The last one tells the reader whether the answer can be rated.
    pub(super) fn observe(&mut self, event: &mut Event) {
        let new = &mut self.question;
        match event {
            Event::Source(source) => {
                let place = QuestionSource {
                    page: source.page.clone(),
                    anchor: source.anchor.clone(),
                    title: source.title.clone(),
                    heading: source.heading.clone(),
                };
                if !new.sources.contains(&place) {
                    new.sources.push(place);
                }
            }
            Event::Paragraph { text, .. } => add(&mut new.answer, text),
            Event::Choices { text, choices } => {
                add(&mut new.answer, text);
                let lines: Vec<_> = choices.iter().map(|choice| format!("- {choice}")).collect();
                add(&mut new.answer, &lines.join("\n"));
            }
            Event::Done { kind, id, rated } => {
                new.kind = *kind;
                new.id.clone_from(id);
                if !self.has_thread {
                    new.thread.clone_from(id);
                }
                *rated = self.writer.keep(new.clone()) && self.has_thread;
            }
            Event::Error { .. } => {}
        }
    }
}

/// Adds a paragraph.
fn add(answer: &mut String, text: &str) {
    if !answer.is_empty() {
        answer.push_str("\n\n");
    }
    answer.push_str(&without_nul(text));
}

/// PostgreSQL stores no NUL characters.
fn without_nul(text: &str) -> String {
    text.replace('\0', "")
}
