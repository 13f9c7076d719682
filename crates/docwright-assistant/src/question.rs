//! Questions of readers.

use docwright_site::answer::MAXIMUM_QUESTION;
use serde::Deserialize;

/// Longest selected text, in characters.
const MAXIMUM_SELECTION: usize = 4_000;
/// Longest path of a page, and longest language and version. Characters.
const MAXIMUM_NAME: usize = 500;
/// Earlier questions of a conversation.
const MAXIMUM_HISTORY: usize = 10;
/// Longest id of a thread, in characters.
const MAXIMUM_THREAD: usize = 64;

/// A question, with its context.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Question {
    /// The question: 1 to 2,000 characters.
    pub question: String,
    /// Path of the page that the reader is on, without extension.
    #[serde(default)]
    pub page: Option<String>,
    /// Text that the reader selected: up to 4,000 characters.
    #[serde(default)]
    pub selection: Option<String>,
    /// Code of the language to search in; the site's main one by default.
    #[serde(default)]
    pub language: Option<String>,
    /// Name of the version or product to search in.
    #[serde(default)]
    pub version: Option<String>,
    /// Random id of the conversation: up to 64 characters of base64url.
    #[serde(default)]
    pub thread: Option<String>,
    /// Earlier questions of the conversation with their answers, oldest first: up to 10.
    #[serde(default)]
    pub history: Vec<Exchange>,
}

/// A question with its answer, as the browser kept them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Exchange {
    /// The question.
    pub question: String,
    /// The text of the answer.
    pub answer: String,
}

impl Question {
    /// Checks the limits.
    ///
    /// # Errors
    ///
    /// Fails with a sentence for the client.
    pub fn check(&self) -> Result<(), String> {
        let length = |text: &str| text.chars().count();
        let exceeds = |text: &Option<String>, most| text.as_deref().map_or(0, length) > most;
        if self.question.trim().is_empty() || length(&self.question) > MAXIMUM_QUESTION {
            return Err("`question` must have 1 to 2,000 characters.".to_owned());
        }
        if exceeds(&self.selection, MAXIMUM_SELECTION) {
            return Err("`selection` exceeds 4,000 characters.".to_owned());
        }
        let names =
            [("page", &self.page), ("language", &self.language), ("version", &self.version)];
        for (name, value) in names {
            if exceeds(value, MAXIMUM_NAME) {
                return Err(format!("`{name}` exceeds {MAXIMUM_NAME} characters."));
            }
        }
        if self.thread.as_deref().is_some_and(|thread| !is_thread(thread)) {
            return Err("`thread` must have 1 to 64 letters, digits, `-`, or `_`.".to_owned());
        }
        if self.history.len() > MAXIMUM_HISTORY {
            return Err(format!("`history` has more than {MAXIMUM_HISTORY} questions."));
        }
        Ok(())
    }

    /// The path of the reader's page below the site root, without extension.
    pub(crate) fn page_path(&self) -> Option<&str> {
        let page = self.page.as_deref()?.trim_matches('/');
        Some(if page.is_empty() { "index" } else { page })
    }
}

/// Whether a text has the form of a conversation's id.
pub fn is_thread(text: &str) -> bool {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    !text.is_empty() && text.len() <= MAXIMUM_THREAD && text.bytes().all(is_known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_checked() {
        let question =
            |question: &str| Question { question: question.to_owned(), ..Question::default() };
        assert_eq!(question("Why?").check(), Ok(()));
        assert_eq!(question(&"ä".repeat(2_000)).check(), Ok(()));
        let long = |count| Some("x".repeat(count));
        let history = vec![Exchange::default(); 11];
        for (wrong, named) in [
            (question(" \n"), "question"),
            (question(&"x".repeat(2_001)), "question"),
            (Question { selection: long(4_001), ..question("Why?") }, "selection"),
            (Question { page: long(501), ..question("Why?") }, "page"),
            (Question { version: long(501), ..question("Why?") }, "version"),
            (Question { thread: long(65), ..question("Why?") }, "thread"),
            (Question { thread: Some("a b".to_owned()), ..question("Why?") }, "thread"),
            (Question { thread: Some(String::new()), ..question("Why?") }, "thread"),
            (Question { history, ..question("Why?") }, "history"),
        ] {
            let error = wrong.check().unwrap_err();
            assert!(error.contains(named) && error.ends_with('.'), "{error}");
        }
    }
}
