//! Messages of a conversation, and the parts of an answer, in the form of the AI SDK.

use docwright_operations::{OperationError, discovery::SiteQuestion};
use docwright_types::assistant::{AnswerKind, Event};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

/// Earlier questions that are used.
const HISTORY: usize = 10;
/// Longest text about which is asked, in characters.
const SELECTION: usize = 4_000;
/// The text of an answer without one.
const REFUSED: &str = "The pages don't say.";

/// A conversation whose last message is a question.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AskMessage {
    /// Messages, oldest first. The last one is the question, of the role `user`. The assistant reads the ten questions
    /// before it, with their answers.
    #[schema(min_items = 1, max_items = 200)]
    messages: Vec<Message>,
    /// ID of the conversation: up to 64 letters, digits, `-`, and `_`.
    #[schema(max_length = 64, example = "q0Xw1mGZ7dYb2nJ5s8LrTA")]
    thread_id: Option<String>,
    /// Which sections to search.
    filter: Option<MessageFilter>,
    /// Texts that the question is about.
    context: Option<Vec<Context>>,
    /// Path of the page that the reader is on.
    #[schema(max_length = 500, example = "guides/start")]
    current_path: Option<String>,
    /// Accepted without effect. docwright doesn't recognize readers.
    #[schema(example = "anonymous")]
    #[expect(dead_code, reason = "it describes what clients send")]
    fp: Option<String>,
    /// Accepted without effect. docwright chooses how many sections it reads.
    #[schema(example = 5)]
    #[expect(dead_code, reason = "it describes what clients send")]
    retrieval_page_size: Option<f64>,
}

/// A message.
#[derive(Debug, Deserialize, ToSchema)]
struct Message {
    /// Who wrote it: `user` or `assistant`. Others are ignored.
    #[schema(example = "user")]
    role: String,
    /// Parts of the message. Only those of the type `text` are read.
    #[serde(default)]
    parts: Vec<Part>,
    /// Text of a message without parts.
    #[schema(example = "How do I add a domain?")]
    content: Option<String>,
}

/// A part of a message.
#[derive(Debug, Deserialize, ToSchema)]
struct Part {
    /// Type of the part.
    #[serde(rename = "type")]
    #[schema(example = "text")]
    kind: String,
    /// Text of the part.
    #[schema(example = "How do I add a domain?")]
    text: Option<String>,
}

/// Which sections to search.
#[derive(Debug, Default, Deserialize, ToSchema)]
struct MessageFilter {
    /// Name of a version or product.
    #[schema(example = "v2")]
    version: Option<String>,
    /// Code of a language.
    #[schema(example = "en")]
    language: Option<String>,
    /// Accepted without effect. Pages for groups of readers aren't part of answers.
    #[schema(example = json!([]))]
    #[expect(dead_code, reason = "it describes what clients send")]
    groups: Option<Vec<String>>,
}

/// A text that the question is about.
#[derive(Debug, Deserialize, ToSchema)]
struct Context {
    /// Type of the text.
    #[serde(rename = "type")]
    #[schema(example = "textSelection")]
    #[expect(dead_code, reason = "it describes what clients send")]
    kind: String,
    /// The text. All of them have up to 4,000 characters; the rest is left out.
    #[schema(example = "harbor backup")]
    value: String,
    /// Path of the page that it is from.
    #[schema(example = "guides/backups")]
    path: Option<String>,
}

impl Message {
    fn text(&self) -> String {
        let parts = self.parts.iter().filter(|part| part.kind == "text");
        let parts: Vec<_> = parts.filter_map(|part| part.text.as_deref()).collect();
        match &self.content {
            Some(content) if parts.is_empty() => content.clone(),
            _ => parts.join("\n"),
        }
    }
}

impl AskMessage {
    /// The question with its context.
    pub(super) fn question(self) -> Result<SiteQuestion, OperationError> {
        // What clients send besides has no effect.
        let Self {
            mut messages,
            thread_id,
            filter,
            context,
            current_path,
            fp: _,
            retrieval_page_size: _,
        } = self;
        let MessageFilter { version, language, groups: _ } = filter.unwrap_or_default();
        let last = messages.pop().filter(|last| last.role == "user");
        let last = last.ok_or_else(|| {
            OperationError::Invalid("`messages` must end with one of the role `user`.".to_owned())
        })?;
        let (context, mut page) = (context.unwrap_or_default(), current_path);
        let texts: Vec<_> = context.iter().map(|each| each.value.as_str()).collect();
        let selection: String = texts.join("\n\n").chars().take(SELECTION).collect();
        page = page.or_else(|| context.iter().find_map(|each| each.path.clone()));
        Ok(SiteQuestion {
            question: last.text(),
            history: history(&messages),
            thread: thread_id,
            page,
            selection: Some(selection).filter(|text| !text.is_empty()),
            language,
            version,
        })
    }
}

/// The last questions that have answers.
fn history(messages: &[Message]) -> Vec<(String, String)> {
    let mut history: Vec<(String, String)> = Vec::new();
    let mut question = None;
    for message in messages {
        match message.role.as_str() {
            "user" => question = Some(message.text()),
            "assistant" => {
                history.extend(question.take().map(|question| (question, message.text())));
            }
            _ => {}
        }
    }
    history.split_off(history.len().saturating_sub(HISTORY))
}

/// Writes the parts of an answer.
#[derive(Debug)]
pub(super) struct MessageWriter {
    /// Address of the site.
    address: String,
    thread: Option<String>,
    has_started: bool,
    /// Texts that were written.
    texts: usize,
}

impl MessageWriter {
    pub(super) const fn new(address: String, thread: Option<String>) -> Self {
        Self { address, thread, has_started: false, texts: 0 }
    }

    /// The parts for an event, as JSON; the last one is `[DONE]`.
    pub(super) fn parts(&mut self, event: Event) -> Vec<String> {
        let mut parts = Vec::new();
        if !self.has_started {
            self.has_started = true;
            parts.push(json!({ "type": "start" }));
        }
        let mut is_over = false;
        match event {
            Event::Source(source) => {
                let root = self.address.trim_end_matches('/');
                let anchor = Some(source.anchor).filter(|anchor| !anchor.is_empty());
                let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
                let url = format!("{root}/{}{anchor}", source.page);
                let id = format!("source-{}", source.index);
                parts.push(json!({
                    "type": "source-url", "sourceId": id, "url": url, "title": source.title,
                }));
            }
            Event::Paragraph { text, .. } => self.text(&text, &mut parts),
            Event::Choices { text, choices } => {
                let lines: Vec<_> = choices.iter().map(|choice| format!("- {choice}")).collect();
                self.text(&format!("{text}\n\n{}", lines.join("\n")), &mut parts);
            }
            Event::Done { kind, id, rated: _ } => {
                if kind == AnswerKind::Refused && self.texts == 0 {
                    self.text(REFUSED, &mut parts);
                }
                let thread = self.thread.as_ref().unwrap_or(&id);
                let metadata = json!({ "threadId": thread, "answerId": id, "kind": kind });
                parts.push(json!({ "type": "finish", "messageMetadata": metadata }));
                is_over = true;
            }
            Event::Error { error } => {
                parts.push(json!({ "type": "error", "errorText": error }));
                is_over = true;
            }
        }
        let done = is_over.then(|| "[DONE]".to_owned());
        parts.iter().map(Value::to_string).chain(done).collect()
    }

    /// A paragraph. Clients join the texts, so each one but the first starts with a blank line.
    fn text(&mut self, text: &str, parts: &mut Vec<Value>) {
        let id = format!("text-{}", self.texts);
        let delta = if self.texts == 0 { text.to_owned() } else { format!("\n\n{text}") };
        self.texts += 1;
        parts.push(json!({ "type": "text-start", "id": id }));
        parts.push(json!({ "type": "text-delta", "id": id, "delta": delta }));
        parts.push(json!({ "type": "text-end", "id": id }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(body: Value) -> Result<SiteQuestion, String> {
        let read: AskMessage = serde_json::from_value(body).map_err(|error| error.to_string())?;
        read.question().map_err(|error| error.to_string())
    }

    #[test]
    fn conversation_becomes_a_question_with_its_history() {
        let text = |role: &str, text: &str| json!({ "id": "m", "role": role, "parts": [{ "type": "text", "text": text }] });
        let asked = question(json!({
            "fp": "anonymous", "threadId": "t", "retrievalPageSize": 5,
            "messages": [
                text("system", "Obey."), text("user", "Unanswered"), text("user", "One?"),
                json!({ "role": "assistant", "parts": [{ "type": "step-start" }, { "type": "text", "text": "First." }] }),
                json!({ "role": "user", "content": "Two?" }),
            ],
            "filter": { "version": "v2", "language": "en", "groups": ["staff"] },
            "context": [{ "type": "code", "value": "harbor", "path": "guides/start" }],
        }));
        let expected = SiteQuestion {
            question: "Two?".to_owned(),
            history: vec![("One?".to_owned(), "First.".to_owned())],
            thread: Some("t".to_owned()),
            page: Some("guides/start".to_owned()),
            selection: Some("harbor".to_owned()),
            language: Some("en".to_owned()),
            version: Some("v2".to_owned()),
        };
        assert_eq!(asked, Ok(expected));
        let mut long: Vec<_> = (0..30)
            .flat_map(|number: u8| [text("user", &number.to_string()), text("assistant", "a")])
            .collect();

        long.push(text("user", "Last?"));
        let asked = question(json!({ "messages": long })).unwrap();
        assert_eq!((asked.history.len(), asked.history[0].0.as_str()), (10, "20"));
        for wrong in
            [json!({ "messages": [] }), json!({ "messages": [text("assistant", "a")] }), json!({})]
        {
            assert!(question(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn refusal_has_a_text_and_the_thread() {
        let mut writer = MessageWriter::new("https://docs.example.com/".to_owned(), None);
        let parts = writer.parts(Event::Done {
            kind: AnswerKind::Refused,
            id: "a".to_owned(),
            rated: false,
        });
        let kinds: Vec<_> = parts[..parts.len() - 1]
            .iter()
            .map(|part| {
                serde_json::from_str::<Value>(part).unwrap()["type"].as_str().unwrap().to_owned()
            })
            .collect();
        assert_eq!(kinds, ["start", "text-start", "text-delta", "text-end", "finish"]);
        assert_eq!(parts.last().map(String::as_str), Some("[DONE]"));
        assert!(parts[4].contains("\"threadId\":\"a\""), "{parts:?}");
    }
}
