//! Divides what a model writes into paragraphs while it arrives. `prompt` describes the form to the model: after each
//! paragraph, list, table, or code block, a line for each quote, `[[2: "quoted words"]]`; or `[[unknown]]`, or
//! `[[choose: "One" | "Other"]]`, instead of an answer.
//!
//! It decides only where a paragraph ends. `check` decides whether it is sent.

use crate::links::{fence_of, is_end_of_fence};

/// Something that a model wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Written {
    /// A paragraph, list, table, or code block, with its quotes.
    Paragraph(Draft),
    /// The sections don't answer the question.
    Unknown,
    /// The question can mean these.
    Choices(Vec<String>),
}

/// A paragraph before it is checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Draft {
    /// Its Markdown.
    pub(crate) text: String,
    /// The number of a section, from one, and the words that it quotes of it.
    pub(crate) quotes: Vec<(usize, String)>,
}

/// Reads a text piece by piece.
#[derive(Debug, Default)]
pub(crate) struct WritingReader {
    /// The line that is not complete yet.
    line: String,
    draft: Draft,
    /// The marks that opened the code that the text is in.
    fence: Option<String>,
    /// Whether an empty line was last.
    has_gap: bool,
    done: Vec<Written>,
}

/// A mark at the end of a line.
enum Mark {
    Quote(usize, String),
    Unknown,
    Choices(Vec<String>),
}

impl WritingReader {
    /// Reads a piece, and returns what is complete.
    pub(crate) fn push(&mut self, piece: &str) -> Vec<Written> {
        for part in piece.split_inclusive('\n') {
            self.line.push_str(part);
            if part.ends_with('\n') {
                let line = std::mem::take(&mut self.line);
                self.take_line(line.trim_end());
            }
        }
        // A line that is no mark ends a paragraph that has its quotes.
        let start = self.line.trim_start();
        if self.fence.is_none()
            && !self.draft.quotes.is_empty()
            && !start.is_empty()
            && !start.starts_with('[')
        {
            self.complete();
        }
        std::mem::take(&mut self.done)
    }

    /// Returns the rest. Code without an end is left out.
    pub(crate) fn finish(mut self) -> Vec<Written> {
        let line = std::mem::take(&mut self.line);
        self.take_line(line.trim_end());
        if self.fence.is_none() {
            self.complete();
        }
        self.done
    }

    fn take_line(&mut self, line: &str) {
        if let Some(open) = &self.fence {
            let is_end = is_end_of_fence(line.trim(), open);
            self.add(line);
            if is_end {
                self.fence = None;
            }
            return;
        }
        if line.trim().is_empty() {
            self.has_gap = true;
            return;
        }
        let (text, marks) = marks(line);
        if !text.trim().is_empty() {
            let is_next = !self.draft.quotes.is_empty() || (self.has_gap && !self.continues(text));
            if is_next {
                self.complete();
            }
            self.add(text);
            self.fence = fence_of(text.trim()).map(str::to_owned);
        }
        for mark in marks {
            match mark {
                Mark::Quote(section, words) => self.draft.quotes.push((section, words)),
                Mark::Unknown => {
                    self.complete();
                    self.done.push(Written::Unknown);
                }
                Mark::Choices(choices) => {
                    self.complete();
                    self.done.push(Written::Choices(choices));
                }
            }
        }
    }

    /// Adds a line to the paragraph.
    fn add(&mut self, line: &str) {
        let text = &mut self.draft.text;
        if !text.is_empty() {
            text.push('\n');
            if self.has_gap && self.fence.is_none() {
                text.push('\n');
            }
        }
        if self.fence.is_none() {
            self.has_gap = false;
        }
        text.push_str(line);
    }

    /// Whether a line after an empty one belongs to the paragraph: to what a colon introduces, or to a list.
    fn continues(&self, line: &str) -> bool {
        let text = self.draft.text.trim_end();
        let is_in_list = text.lines().last().is_some_and(is_list);
        text.ends_with([':', '：']) || (is_in_list && is_list(line))
    }

    fn complete(&mut self) {
        let draft = std::mem::take(&mut self.draft);
        self.has_gap = false;
        if !draft.text.is_empty() {
            self.done.push(Written::Paragraph(draft));
        }
    }
}

/// Whether a line is an item of a list, or indented below one.
fn is_list(line: &str) -> bool {
    let trimmed = line.trim_start();
    let digits = trimmed.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let is_numbered = digits.len() < trimmed.len() && digits.starts_with([')', '.']);
    line.starts_with([' ', '\t']) || trimmed.starts_with(['-', '*', '+']) || is_numbered
}

/// A line without the marks at its end, and the marks in order.
fn marks(line: &str) -> (&str, Vec<Mark>) {
    let (mut rest, mut marks) = (line, Vec::new());
    while let Some(inner) = rest.trim_end().strip_suffix("]]") {
        let Some((before, inner)) = inner.rsplit_once("[[") else { break };
        let Some(mark) = mark(inner.trim()) else { break };
        marks.insert(0, mark);
        rest = before;
    }
    (rest.trim_end(), marks)
}

fn mark(inner: &str) -> Option<Mark> {
    if inner.eq_ignore_ascii_case("unknown") {
        return Some(Mark::Unknown);
    }
    let (name, rest) = inner.split_once([':', ','])?;
    if name.trim().eq_ignore_ascii_case("choose") {
        return Some(Mark::Choices(rest.split('|').map(unquoted).collect()));
    }
    Some(Mark::Quote(name.trim().parse().ok()?, unquoted(rest)))
}

/// A text without the quotes around it.
fn unquoted(text: &str) -> String {
    let text = text.trim();
    let inner = text.strip_prefix(['"', '“', '„', '«']).unwrap_or(text);
    inner.strip_suffix(['"', '”', '“', '»']).unwrap_or(inner).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paragraph(text: &str, quotes: &[(usize, &str)]) -> Written {
        let quotes = quotes.iter().map(|(section, words)| (*section, (*words).to_owned()));
        Written::Paragraph(Draft { text: text.to_owned(), quotes: quotes.collect() })
    }

    fn read(text: &str, size: usize) -> Vec<Written> {
        let mut reader = WritingReader::default();
        let letters: Vec<char> = text.chars().collect();
        let mut found = Vec::new();
        for piece in letters.chunks(size) {
            found.extend(reader.push(&String::from_iter(piece)));
        }
        found.extend(reader.finish());
        found
    }

    #[test]
    fn paragraphs_end_with_their_quotes_for_any_size_of_pieces() {
        let text = "First **one**\nof two lines.\n[[1: \"words of one\"]]\n[[ 3 : “more words” ]]\n\n\
            Do this:\n\n```sh\nrun [[2: \"x\"]]\n\nrun\n```\n\n[[2: \"run the tool\"]]\n\
            - item [[1: \"a: b\"]]\n- other\n\n  more\n[[2: \"c\"]] [[4: \"d\"]]\n\nNo quote.\n\nLast.\n[[1: \"e\"]]";
        let expected = [
            paragraph("First **one**\nof two lines.", &[(1, "words of one"), (3, "more words")]),
            paragraph("Do this:\n\n```sh\nrun [[2: \"x\"]]\n\nrun\n```", &[(2, "run the tool")]),
            paragraph("- item", &[(1, "a: b")]),
            paragraph("- other\n\n  more", &[(2, "c"), (4, "d")]),
            paragraph("No quote.", &[]),
            paragraph("Last.", &[(1, "e")]),
        ];
        for size in [1, 2, 3, 7, 50, 10_000] {
            assert_eq!(read(text, size), expected, "{size}");
        }
    }

    #[test]
    fn paragraph_with_quotes_is_complete_when_the_next_begins() {
        let mut reader = WritingReader::default();
        assert_eq!(reader.push("One.\n[[1: \"words\"]]\n"), []);
        assert_eq!(reader.push("\n"), []);
        assert_eq!(reader.push("[[2"), []);
        assert_eq!(
            reader.push(": \"more\"]]\n\nTw"),
            [paragraph("One.", &[(1, "words"), (2, "more")])]
        );
        assert_eq!(reader.push("o."), []);
        assert_eq!(reader.finish(), [paragraph("Two.", &[])]);
    }

    #[test]
    fn marks_without_text_are_read() {
        assert_eq!(read("[[unknown]]", 3), [Written::Unknown]);
        let choices = vec!["Cloud".to_owned(), "Self-hosted".to_owned()];
        assert_eq!(read("[[choose: \"Cloud\" | Self-hosted]]\n", 3), [Written::Choices(choices)]);
        for text in ["[[1]]", "[[x: \"y\"]]", "[[]]", "]]", "[[-1: \"y\"]]"] {
            assert_eq!(read(text, 1), [paragraph(text, &[])], "an unreadable mark stays text");
        }
        assert_eq!(read("[[1: \"words\"]]", 4), []);
        let after = [paragraph("One.", &[(1, "words")]), Written::Unknown];
        assert_eq!(read("One.\n[[1: \"words\"]]\n[[unknown]]", 4), after);
    }

    #[test]
    fn code_without_end_is_left_out() {
        assert_eq!(read("```\ncode\n[[1: \"words of it\"]]\n", 5), []);
    }
}
