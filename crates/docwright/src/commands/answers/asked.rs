//! Readers' questions out of files: lists of gaps or feedback as the API returns them, exports of questions, or lines
//! of JSON.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use docwright_site::answer::{MAXIMUM_QUESTION, golden::ReaderQuestion};
use serde_json::Value;

/// Reads the questions of all files, in order.
pub(super) fn read(files: &[PathBuf]) -> anyhow::Result<Vec<ReaderQuestion>> {
    let mut questions = Vec::new();
    for file in files {
        let text = text(file)?;
        let entries = entries(&text).with_context(|| {
            format!("{} isn't JSON; name a file with a list or lines of JSON", file.display())
        })?;
        let before = questions.len();
        for entry in &entries {
            collect(entry, &mut questions);
        }
        if questions.len() == before && !entries.is_empty() {
            eprintln!("warning: {} has no questions", file.display());
        }
    }
    Ok(questions)
}

fn text(file: &Path) -> anyhow::Result<String> {
    if file.as_os_str() == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
        return Ok(text);
    }
    fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}

/// The entries of a list, of a response with one list, or of lines.
fn entries(text: &str) -> anyhow::Result<Vec<Value>> {
    let mut entries = Vec::new();
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        match value? {
            Value::Array(list) => entries.extend(list),
            Value::Object(mut fields) if !has_words(&fields) => {
                let list = fields.values_mut().find_map(Value::as_array_mut);
                entries.append(list.context("no list")?);
            }
            entry @ Value::Object(_) => entries.push(entry),
            _ => bail!("no object"),
        }
    }
    Ok(entries)
}

fn has_words(fields: &serde_json::Map<String, Value>) -> bool {
    ["question", "questions", "comment"].iter().any(|key| {
        fields.get(*key).is_some_and(|value| {
            value.is_string() || *key == "questions" && fields.contains_key("count")
        })
    })
}

/// Adds the questions of an entry. An answered question is no gap, and of feedback only what asks something counts.
fn collect(entry: &Value, questions: &mut Vec<ReaderQuestion>) {
    let text = |key: &str| entry[key].as_str().map(str::to_owned);
    let mut add = |question: &str| {
        let question: String = question.trim().chars().take(MAXIMUM_QUESTION).collect();
        if !question.is_empty() {
            let (language, version) = (text("language"), text("version"));
            questions.push(ReaderQuestion { question, language, version });
        }
    };
    let kind = entry["kind"].as_str();
    let is_answered = kind.is_some_and(|kind| kind != "refused") && entry["helpful"] != false;
    if let Some(alike) = entry["questions"].as_array() {
        // A gap has questions that are alike.
        let texts = alike.iter().filter_map(|each| each.as_str().or(each["question"].as_str()));
        texts.for_each(add);
    } else if let Some(question) = entry["question"].as_str() {
        if !is_answered {
            add(question);
        }
    } else if let Some(comment) = entry["comment"].as_str() {
        sentences(comment).filter(|sentence| sentence.ends_with('?')).for_each(add);
    }
}

/// The sentences of a text, with their marks.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['.', '?', '!', '\n']).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn questions(text: &str) -> Vec<String> {
        let mut questions = Vec::new();
        entries(text).unwrap().iter().for_each(|entry| collect(entry, &mut questions));
        questions.into_iter().map(|each| each.question).collect()
    }

    #[test]
    fn questions_of_every_kind_of_file_are_read() {
        for (text, expected) in [
            (r#"{"question":"A?"}"#, vec!["A?"]),
            (
                "{\"question\":\"A?\",\"kind\":\"refused\"}\n{\"question\":\"B?\",\"kind\":\"answer\"}\n",
                vec!["A?"],
            ),
            (r#"[{"question":"A?","kind":"answer","helpful":false}]"#, vec!["A?"]),
            (
                r#"{"gaps":[{"questions":["A?","A again?"],"count":2}],"next":null}"#,
                vec!["A?", "A again?"],
            ),
            (r#"{"gaps":[]}"#, vec![]),
            (
                r#"{"feedback":[{"page":"a","comment":"Nice. Where is B? Thanks!"},{"page":"b","comment":"Good"}]}"#,
                vec!["Where is B?"],
            ),
            ("", vec![]),
        ] {
            assert_eq!(questions(text), expected, "{text}");
        }
        for wrong in ["A?", "[1", "1", "{}"] {
            assert!(entries(wrong).is_err(), "{wrong}");
        }
    }
}
