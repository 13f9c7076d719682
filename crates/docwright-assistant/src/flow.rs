//! The flow, from a question to the end of its answer.

use std::{fmt, sync::Arc, time::Duration};

use docwright_agent::models::Writer;
use docwright_site::{embedding::Embedder, search::SearchError};
use docwright_types::assistant::{AnswerKind, Event, Source};
use tokio::{
    sync::mpsc::{UnboundedSender, unbounded_channel},
    time::{Instant, sleep_until},
};

use crate::{
    check::{CheckedParagraph, Checker},
    pages::Pages,
    prompt,
    question::Question,
    quotes::PlainText,
    retrieval::{RetrievedSections, Section, retrieve},
    writing::{WritingReader, Written},
};

/// Longest quote of a source that is a passage itself, in characters.
const QUOTED: usize = 160;
/// The question back. The model only names the choices, so it can't write a sentence that nobody checked.
const WHICH: &str = "Which one do you mean?";

/// Seconds until the end of a model's answer, and until its first paragraph.
const TOTAL_SECONDS: u64 = 60;
const FIRST_SECONDS: u64 = 25;
/// Tokens that a model writes for an answer.
const TOKENS: u64 = 4_000;

/// Limits of an answer by a model.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// From the request to the end of the answer.
    pub total: Duration,
    /// From the request to the first paragraph that holds.
    pub first: Duration,
    /// Tokens that the model can write.
    pub tokens: u64,
    /// Bytes that are read of what it writes.
    pub text: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let (total, first) =
            (Duration::from_secs(TOTAL_SECONDS), Duration::from_secs(FIRST_SECONDS));
        Self { total, first, tokens: TOKENS, text: 32 * 1024 }
    }
}

/// What writes answers.
#[derive(Debug, Clone, Default)]
pub struct Assistant {
    /// The model; without one, answers are passages of the pages.
    pub model: Option<Arc<dyn Writer>>,
    /// Its limits.
    pub limits: Limits,
    /// What finds sections by the meaning of a question; without it, they are found by its words.
    pub embedder: Option<Arc<dyn Embedder>>,
}

/// How a model's answer ended.
enum Ending {
    /// It sent paragraphs.
    Answered,
    /// The sections don't answer the question.
    Unknown,
    /// The question can mean several things.
    Choices(Vec<String>),
    /// Nothing was sent, for a reason.
    Nothing(String),
    /// It broke off after paragraphs, for a reason.
    BrokeOff(String),
}

/// Answers a question: sends its events, the last of which is [`Event::Done`] or [`Event::Error`]. Dropping the future
/// ends the answer.
pub async fn answer(
    assistant: &Assistant,
    pages: Arc<dyn Pages>,
    question: Question,
    events: UnboundedSender<Event>,
) {
    let mut sending = Sending { events, sources: Vec::new(), paragraphs: 0 };
    let model = assistant.model.as_deref();
    let finding = (assistant.embedder.clone(), model.is_some());
    let found = match search(&pages, &question, finding).await {
        Ok(found) => found,
        Err(error) => return sending.fail(&error),
    };
    match model {
        Some(model) if !found.sections.is_empty() => {
            let asking = Asking { model, limits: assistant.limits, pages: &*pages };
            let ending = asking.ask(&question, &found.sections, &mut sending).await;
            sending.end(ending, &found);
        }
        _ => sending.extract(&found),
    }
}

/// Searches on a thread that can block.
async fn search(
    pages: &Arc<dyn Pages>,
    question: &Question,
    (embedder, for_model): (Option<Arc<dyn Embedder>>, bool),
) -> Result<RetrievedSections, SearchError> {
    let (pages, question) = (Arc::clone(pages), question.clone());
    let found = tokio::task::spawn_blocking(move || {
        retrieve((&*pages, embedder.as_deref()), &question, for_model)
    });
    found.await.unwrap_or_else(|error| Err(SearchError::Failed(error.to_string())))
}

/// A question to a model.
struct Asking<'a> {
    model: &'a dyn Writer,
    limits: Limits,
    pages: &'a dyn Pages,
}

impl Asking<'_> {
    /// Sends each paragraph that holds as soon as it is written.
    async fn ask(
        &self,
        question: &Question,
        sections: &[Section],
        sending: &mut Sending,
    ) -> Ending {
        let start = Instant::now();
        let (pieces, mut arrived) = unbounded_channel::<String>();
        let mut pass_on = move |piece: &str| drop(pieces.send(piece.to_owned()));
        let turns = prompt::turns(question, sections);
        let Limits { tokens, text, .. } = self.limits;
        let instructions =
            prompt::instructions(self.pages.guidance(), &self.pages.languages(), question);
        let mut written = self.model.write(&instructions, &turns, tokens, &mut pass_on);
        let mut reading =
            Reading { checker: Checker::new(sections), pages: self.pages, dropped: 0 };
        let (mut reader, mut room) = (WritingReader::default(), text);
        let ended = loop {
            let first = if sending.paragraphs == 0 { self.limits.first } else { self.limits.total };
            let deadline = start + first.min(self.limits.total);
            tokio::select! {
                biased;
                Some(piece) = arrived.recv() => {
                    room = room.saturating_sub(piece.len());
                    if let Some(ending) = reading.take(reader.push(&piece), sections, sending) {
                        return ending;
                    }
                    if room == 0 {
                        break Ok(());
                    }
                }
                ended = &mut written => break ended.map_err(|error| error.without_reply().to_owned()),
                () = sleep_until(deadline) => break Err("the model is too slow".to_owned()),
            }
        };
        let mut rest = Vec::new();
        while let Ok(piece) = arrived.try_recv() {
            rest.extend(reader.push(&piece));
        }
        // A paragraph that a failure cut can look complete.
        if ended.is_ok() {
            rest.extend(reader.finish());
        }
        if let Some(ending) = reading.take(rest, sections, sending) {
            return ending;
        }
        let (sent, dropped) = (sending.paragraphs, reading.dropped);
        tracing::debug!(sent, dropped, "model answered");
        match ended {
            Ok(()) if sent > 0 => Ending::Answered,
            Ok(()) => Ending::Nothing(format!("none of {dropped} paragraphs holds")),
            Err(reason) if sent > 0 => Ending::BrokeOff(reason),
            Err(reason) => Ending::Nothing(reason),
        }
    }
}

/// Checks what a model writes.
struct Reading<'a> {
    checker: Checker<'a>,
    pages: &'a dyn Pages,
    /// Paragraphs that don't hold.
    dropped: usize,
}

impl Reading<'_> {
    /// Sends the paragraphs that hold. Returns the ending if the model wrote one instead of an answer.
    fn take(
        &mut self,
        written: Vec<Written>,
        sections: &[Section],
        sending: &mut Sending,
    ) -> Option<Ending> {
        for part in written {
            match part {
                Written::Paragraph(draft) => match self.checker.check(self.pages, &draft) {
                    Ok(paragraph) => sending.paragraph(paragraph, sections),
                    Err(reason) => {
                        tracing::debug!(?reason, "paragraph dropped");
                        self.dropped += 1;
                    }
                },
                Written::Unknown if sending.paragraphs == 0 => return Some(Ending::Unknown),
                Written::Choices(choices) if sending.paragraphs == 0 => {
                    if let Some(choices) = self.checker.choices(&choices) {
                        return Some(Ending::Choices(choices));
                    }
                    self.dropped += 1;
                }
                // Nothing that was sent is taken back.
                Written::Unknown | Written::Choices(_) => {}
            }
        }
        None
    }
}

/// The events of an answer.
struct Sending {
    events: UnboundedSender<Event>,
    /// The sources that were sent: each a place on a page, with its words.
    sources: Vec<(String, String, String)>,
    /// Paragraphs that were sent.
    paragraphs: usize,
}

impl fmt::Debug for Sending {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Sending")
            .field("paragraphs", &self.paragraphs)
            .finish_non_exhaustive()
    }
}

impl Sending {
    /// Sends an event. The receiver can be gone; then the future of the answer is dropped soon.
    fn send(&self, event: Event) {
        drop(self.events.send(event));
    }

    fn done(&self, kind: AnswerKind) {
        let id = format!("{:016x}", rand::random::<u64>());
        self.send(Event::Done { kind, id, rated: false });
    }

    /// The number of a source, which is sent if it is new.
    fn source(&mut self, section: &Section, quote: String) -> usize {
        let key = (section.page.clone(), section.anchor.clone(), quote.clone());
        if let Some(known) = self.sources.iter().position(|known| *known == key) {
            return known;
        }
        let index = self.sources.len();
        self.sources.push(key);
        let Section { page, title, heading, anchor, .. } = section.clone();
        self.send(Event::Source(Source { index, title, heading, page, anchor, quote }));
        index
    }

    fn paragraph(&mut self, paragraph: CheckedParagraph, sections: &[Section]) {
        let mut sources = Vec::new();
        for (section, words) in paragraph.quotes {
            let source = self.source(&sections[section], words);
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
        self.paragraphs += 1;
        self.send(Event::Paragraph { text: paragraph.text, sources });
    }

    /// Ends a model's answer.
    fn end(&mut self, ending: Ending, found: &RetrievedSections) {
        match ending {
            Ending::Answered => self.done(AnswerKind::Answer),
            Ending::Unknown => self.refuse(found),
            Ending::Choices(choices) => {
                self.send(Event::Choices { text: WHICH.to_owned(), choices });
                self.done(AnswerKind::Choices);
            }
            Ending::Nothing(reason) => {
                tracing::warn!(%reason, "model of the assistant gave no answer; sent passages instead");
                self.extract(found);
            }
            Ending::BrokeOff(reason) => {
                tracing::warn!(%reason, "answer of the assistant broke off");
                let error = "The answer broke off. Ask again.".to_owned();
                self.send(Event::Error { error });
            }
        }
    }

    /// Sends passages of the pages, or that they don't say.
    fn extract(&mut self, found: &RetrievedSections) {
        if found.is_refused {
            return self.refuse(found);
        }
        for passage in &found.passages {
            let source = self.source(passage, PlainText::of(&passage.text).start(QUOTED));
            self.send(Event::Paragraph { text: passage.text.clone(), sources: vec![source] });
        }
        self.done(AnswerKind::Extract);
    }

    /// Sends the nearest sections.
    fn refuse(&mut self, found: &RetrievedSections) {
        for passage in &found.passages {
            self.source(passage, PlainText::of(&passage.text).start(QUOTED));
        }
        self.done(AnswerKind::Refused);
    }

    fn fail(&self, error: &SearchError) {
        tracing::warn!(%error, "search of the assistant failed");
        let error = match error {
            SearchError::TooLong => "The search took too long. Use fewer words.",
            SearchError::Failed(_) => "The search failed. Ask again.",
        };
        self.send(Event::Error { error: error.to_owned() });
    }
}

#[cfg(test)]
mod tests;
