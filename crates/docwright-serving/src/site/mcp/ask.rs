//! The tool `ask`: the assistant of the site for agents, with the limits, tokens, and kept questions of readers.

use std::{collections::BTreeSet, sync::Arc};

use docwright_assistant::Question;
use docwright_types::assistant::{AnswerKind, AskedFrom, Event, Source};
use futures::{Stream, StreamExt};
use serde_json::Value;

use super::{
    agent::Agent,
    tools::{Outcome, language},
};
use crate::{
    assistant::{NamedSite, SiteAssistant},
    site::open_site::OpenSite,
};

/// Answers a question. The answer ends if the agent leaves.
pub(super) async fn ask(
    (assistant, (name, site)): (&SiteAssistant, NamedSite<'_>),
    agent: Agent,
    given: &Value,
) -> Outcome {
    if agent.is_foreign {
        // Any page could use up the questions of its reader.
        return Err("pages of other sites can't ask; use `search`".to_owned());
    }
    let question = question(site, given)?;
    let from = (AskedFrom::Mcp, agent.address);
    match assistant.begin((name, site), question, from).await {
        Ok(events) => text_of(events).await,
        Err(refusal) => Err(refusal.sentence()),
    }
}

fn question(site: &Arc<OpenSite>, given: &Value) -> Result<Question, String> {
    let Some(question) = given["question"].as_str().filter(|text| !text.trim().is_empty()) else {
        return Err("`question` is missing; ask in a sentence".to_owned());
    };
    let (question, language) = (question.to_owned(), Some(language(site, given)?));
    let version = given["version"].as_str().map(str::to_owned);
    Ok(Question { question, language, version, ..Question::default() })
}

/// The text of an answer.
async fn text_of(events: impl Stream<Item = Event>) -> Outcome {
    let (mut sources, mut paragraphs, mut end) = (Vec::new(), Vec::new(), None);
    let mut events = std::pin::pin!(events);
    while let Some(event) = events.next().await {
        match event {
            Event::Source(source) => sources.push(source),
            Event::Paragraph { text, sources } => paragraphs.push((text, sources)),
            Event::Choices { text, choices } => {
                let choices: Vec<_> = choices.iter().map(|choice| format!("- {choice}")).collect();
                paragraphs.push((format!("{text}\n\n{}", choices.join("\n")), Vec::new()));
            }
            Event::Done { kind, .. } => end = Some(kind),
            Event::Error { error } => return Err(error),
        }
    }
    match end {
        Some(AnswerKind::Extract) => Ok(passages(&sources, &paragraphs)),
        Some(AnswerKind::Refused) => Ok(refusal(&sources)),
        Some(AnswerKind::Answer | AnswerKind::Choices) => Ok(answer(&sources, &paragraphs)),
        None => Err("The answer broke off. Ask again.".to_owned()),
    }
}

/// A text with the numbers of its sources.
type Paragraph = (String, Vec<usize>);

/// Paragraphs, and the places that they quote.
fn answer(sources: &[Source], paragraphs: &[Paragraph]) -> String {
    let text: Vec<_> = paragraphs.iter().map(|(text, _)| text.trim()).collect();
    let text = text.join("\n\n");
    if sources.is_empty() { text } else { format!("{text}\n\nSources:\n\n{}", list(sources)) }
}

/// Each passage below the name of its place.
fn passages(sources: &[Source], paragraphs: &[Paragraph]) -> String {
    let quoted = paragraphs.iter().map(|(text, numbers)| {
        let source = numbers.first().and_then(|number| sources.get(*number));
        let heading =
            source.map(|source| format!("## {}\nPath: {}\n\n", name(source), place(source)));
        format!("{}{}", heading.unwrap_or_default(), text.trim())
    });
    let quoted: Vec<_> = quoted.collect();
    format!("From the pages:\n\n{}", quoted.join("\n\n"))
}

fn refusal(nearest: &[Source]) -> String {
    if nearest.is_empty() {
        return "The pages don't say.".to_owned();
    }
    format!("The pages don't say. The nearest sections are:\n\n{}", list(nearest))
}

/// A line for each place, in the order of the sources.
fn list(sources: &[Source]) -> String {
    let mut known = BTreeSet::new();
    let places = sources.iter().map(|source| (place(source), name(source)));
    let places = places.filter(|(place, _)| known.insert(place.clone()));
    let lines: Vec<_> = places.map(|(place, name)| format!("- {name}: {place}")).collect();
    lines.join("\n")
}

fn place(source: &Source) -> String {
    match source.anchor.as_str() {
        "" => format!("/{}", source.page),
        anchor => format!("/{}#{anchor}", source.page),
    }
}

fn name(source: &Source) -> String {
    match source.heading.as_str() {
        "" => source.title.clone(),
        heading => format!("{} — {heading}", source.title),
    }
}

#[cfg(test)]
mod tests {
    use futures::stream;

    use super::*;

    fn source(index: usize, heading: &str, anchor: &str) -> Event {
        let [title, heading, page, anchor, quote] =
            ["Start", heading, "guides/start", anchor, "words"].map(str::to_owned);
        Event::Source(Source { index, title, heading, page, anchor, quote })
    }

    fn paragraph(text: &str, sources: &[usize]) -> Event {
        Event::Paragraph { text: text.to_owned(), sources: sources.to_vec() }
    }

    fn done(kind: AnswerKind) -> Event {
        Event::Done { kind, id: "a".to_owned(), rated: false }
    }

    async fn text(events: Vec<Event>) -> Outcome {
        text_of(stream::iter(events)).await
    }

    #[tokio::test]
    async fn answer_names_each_place_once() {
        let events = vec![
            source(0, "Keys", "keys"),
            paragraph("They expire.\n", &[0]),
            source(1, "Keys", "keys"),
            source(2, "", ""),
            paragraph("- Twice", &[1, 2]),
            done(AnswerKind::Answer),
        ];
        let expected = "They expire.\n\n- Twice\n\nSources:\n\n- Start — Keys: /guides/start#keys\n\
            - Start: /guides/start";
        assert_eq!(text(events).await.as_deref(), Ok(expected));
    }

    #[tokio::test]
    async fn passage_is_below_its_place() {
        let events = vec![
            source(0, "Keys", "keys"),
            paragraph("Keys expire.", &[0]),
            done(AnswerKind::Extract),
        ];
        let expected =
            "From the pages:\n\n## Start — Keys\nPath: /guides/start#keys\n\nKeys expire.";
        assert_eq!(text(events).await.as_deref(), Ok(expected));
    }

    #[tokio::test]
    async fn choices_are_a_list() {
        let choices = ["Cloud", "Server"].map(str::to_owned).to_vec();
        let events = vec![
            Event::Choices { text: "Which one do you mean?".to_owned(), choices },
            done(AnswerKind::Choices),
        ];
        let expected = "Which one do you mean?\n\n- Cloud\n- Server";
        assert_eq!(text(events).await.as_deref(), Ok(expected));
    }

    #[tokio::test]
    async fn answer_that_breaks_off_is_an_error() {
        let broken = Event::Error { error: "The answer broke off. Ask again.".to_owned() };
        for rest in [vec![broken], Vec::new()] {
            let events = [vec![paragraph("They", &[])], rest].concat();
            assert_eq!(text(events).await, Err("The answer broke off. Ask again.".to_owned()));
        }
    }
}
