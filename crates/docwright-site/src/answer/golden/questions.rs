//! The file of golden questions: a list in YAML.

use serde::Deserialize;
use serde_saphyr::{Spanned, from_str};

use super::QUESTIONS_FILE;
use crate::{Diagnostic, Rule, answer::MAXIMUM_QUESTION, source::Source};

/// Questions in a file, at most.
const MAXIMUM_QUESTIONS: usize = 10_000;

/// A question with what its answer must be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoldenQuestion {
    /// What a reader asks.
    pub question: String,
    /// Pages that answer it, as paths below the site root. The answer must cite at least one.
    #[serde(default)]
    pub pages: Vec<String>,
    /// Words that the answer must have, all of them. A `*` at the end stands for any rest of a word.
    #[serde(default)]
    pub contains: Vec<String>,
    /// Words that the answer must not have.
    #[serde(default)]
    pub omits: Vec<String>,
    /// Whether no page answers it.
    #[serde(default)]
    pub unanswered: bool,
    /// The language to search in; the main one of the site by default.
    #[serde(default)]
    pub language: Option<String>,
    /// The version or product to search in.
    #[serde(default)]
    pub version: Option<String>,
}

/// Why a file of golden questions can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}; {remedy}")]
pub struct QuestionsError {
    /// 1-based line; 0 when unknown.
    pub line: u64,
    /// The error in a few words.
    pub message: String,
    /// What to do.
    pub remedy: &'static str,
}

/// Reads a file of golden questions.
pub fn read(text: &str) -> Result<Vec<GoldenQuestion>, QuestionsError> {
    const SHAPE: &str = "write a list of questions, each with `question` and `pages`, or with `question` and `unanswered: true`";
    let error = |line, message: String, remedy| QuestionsError { line, message, remedy };
    let entries: Vec<Spanned<GoldenQuestion>> = from_str(text).map_err(|problem| {
        let line = problem.location().map_or(0, |location| location.line());
        let message = problem.to_string();
        let first = message.lines().next().unwrap_or_default().trim_start_matches("error: ");
        // The file and the line come before the message already.
        let place = first.starts_with("line ").then(|| first.split_once(": ")).flatten();
        error(line, place.map_or(first, |(_, rest)| rest).to_owned(), SHAPE)
    })?;
    if entries.is_empty() {
        return Err(error(0, "the file has no questions".to_owned(), SHAPE));
    }
    if entries.len() > MAXIMUM_QUESTIONS {
        let message = format!("the file has more than {MAXIMUM_QUESTIONS} questions");
        return Err(error(0, message, "divide it into several files"));
    }
    let mut questions: Vec<GoldenQuestion> = Vec::with_capacity(entries.len());
    for entry in entries {
        let line = entry.referenced.line();
        let mut question = entry.value;
        check(&question).map_err(|(message, remedy)| error(line, message, remedy))?;
        if questions.iter().any(|known| known.question == question.question) {
            let message = format!("`{}` is in the file twice", question.question);
            return Err(error(line, message, "remove one of the two"));
        }
        question.pages = question.pages.iter().map(|page| path(page)).collect();
        questions.push(question);
    }
    Ok(questions)
}

/// The error of a docs root's file of golden questions, if it has one.
pub fn diagnostic(source: &Source) -> Option<Diagnostic> {
    let error = read(source.text(QUESTIONS_FILE)?).err()?;
    let line = u32::try_from(error.line).unwrap_or(0);
    let found = Diagnostic::new(Rule::InvalidQuestions, QUESTIONS_FILE, error.message);
    Some(found.at(line, 0).help(error.remedy))
}

fn check(question: &GoldenQuestion) -> Result<(), (String, &'static str)> {
    if question.question.trim().is_empty() {
        return Err(("a question has no words".to_owned(), "write what a reader asks"));
    }
    if question.question.chars().count() > MAXIMUM_QUESTION {
        let message = format!("a question has more than {MAXIMUM_QUESTION} characters");
        return Err((message, "shorten it"));
    }
    let expects = [&question.pages, &question.contains, &question.omits];
    if question.unanswered && expects.iter().any(|list| !list.is_empty()) {
        let message = format!("`{}` is unanswered, but expects an answer", question.question);
        return Err((message, "remove `unanswered`, or `pages`, `contains`, and `omits`"));
    }
    if !question.unanswered && question.pages.is_empty() {
        let message = format!("`{}` names no page", question.question);
        return Err((message, "add `pages`, or `unanswered: true`"));
    }
    Ok(())
}

/// The path of a page as the site has it: without a slash before it or an extension.
fn path(page: &str) -> String {
    let page = page.trim().trim_matches('/');
    let stem = [".html", ".mdx", ".md"].iter().find_map(|end| page.strip_suffix(end));
    match stem.unwrap_or(page) {
        "" => "index".to_owned(),
        page => page.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_read() {
        let text = "- question: How?\n  pages: [/a/b.mdx, c]\n  contains: [x]\n- question: Why?\n  unanswered: true\n";
        let questions = read(text).expect("it is right");
        assert_eq!(questions[0].pages, ["a/b", "c"]);
        assert!(questions[1].unanswered);
    }

    #[test]
    fn errors_name_their_line_and_a_remedy() {
        let cases = [
            ("- question: How?\n  pages: [a]\n- question: Why?\n", 3, "names no page; add `pages`"),
            ("- question: How?\n  pages: [a]\n  contain: [x]\n", 3, "contain"),
            ("- question: How?\n  pages: [a]\n  unanswered: true\n", 1, "remove `unanswered`"),
            ("- question: How?\n  pages: [a]\n- question: How?\n  pages: [b]\n", 3, "twice"),
            ("- question: '  '\n  pages: [a]\n", 1, "no words"),
            ("question: How?\n", 1, "write a list of questions"),
            ("- question: [\n", 1, "write a list of questions"),
            ("[]", 0, "has no questions"),
        ];
        for (text, line, part) in cases {
            let error = read(text).expect_err(text);
            assert!(error.to_string().contains(part), "{error}");
            assert_eq!(error.line, line, "{error}");
        }
    }
}
