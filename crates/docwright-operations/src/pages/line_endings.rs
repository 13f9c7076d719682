//! Line endings and byte order marks: an edit keeps those of its file. Browsers send every line break as CRLF, and
//! text areas drop byte order marks.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};

/// The byte order mark of UTF-8.
const MARK: char = '\u{feff}';
/// How long lines are compared. After it, later lines get the most frequent ending.
const DEADLINE: Duration = Duration::from_secs(1);

/// A text without its byte order mark.
pub(super) fn without_mark(text: &str) -> &str {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// A new text of a file, in the form of the original: with its byte order mark, and with its line endings. In a file
/// with several kinds of endings, unchanged lines keep theirs, and other lines get the most frequent one.
pub(super) fn in_form_of(original: &str, new: &str) -> String {
    let old = lines(without_mark(original));
    let new = lines(without_mark(new));
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, ending) in old.iter().filter(|(_, ending)| !ending.is_empty()) {
        *count.entry(ending).or_default() += 1;
    }
    let frequent = count.iter().max_by_key(|(_, count)| **count).map_or("\n", |(ending, _)| ending);
    let endings = if count.len() > 1 { kept(&old, &new) } else { BTreeMap::new() };
    let mut text = String::new();
    text.extend(original.starts_with(MARK).then_some(MARK));
    for (number, (line, ending)) in new.iter().enumerate() {
        text.push_str(line);
        if !ending.is_empty() {
            text.push_str(endings.get(&number).copied().unwrap_or(frequent));
        }
    }
    text
}

/// The endings of unchanged lines, by their positions in the new text.
fn kept<'a>(old: &[(&'a str, &'a str)], new: &[(&str, &str)]) -> BTreeMap<usize, &'a str> {
    let contents = |lines: &[(&str, &str)]| -> Vec<String> {
        lines.iter().map(|(line, _)| (*line).to_owned()).collect()
    };
    let (before, after) = (contents(old), contents(new));
    let deadline = Some(Instant::now() + DEADLINE);
    let changes = capture_diff_slices_deadline(Algorithm::Myers, &before, &after, deadline);
    let mut endings = BTreeMap::new();
    for change in changes {
        let (tag, before, after) = change.as_tag_tuple();
        if tag == DiffTag::Equal {
            let same = after.zip(&old[before]).filter(|(_, (_, ending))| !ending.is_empty());
            endings.extend(same.map(|(number, (_, ending))| (number, *ending)));
        }
    }
    endings
}

/// Lines and their endings: LF, CRLF, CR, or none at the end of the text.
fn lines(text: &str) -> Vec<(&str, &str)> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(place) = rest.find(['\r', '\n']) {
        let length = if rest[place..].starts_with("\r\n") { 2 } else { 1 };
        let (line, after) = rest.split_at(place + length);
        lines.push(line.split_at(place));
        rest = after;
    }
    if !rest.is_empty() {
        lines.push((rest, ""));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a browser sends for a text.
    fn sent(text: &str) -> String {
        let ending = |ending: &str| if ending.is_empty() { "" } else { "\r\n" };
        let lines = lines(without_mark(text)).into_iter();
        lines.flat_map(|(line, end)| [line, ending(end)]).collect()
    }

    #[test]
    fn unchanged_text_comes_back_byte_for_byte() {
        for text in [
            "",
            "one",
            "\n",
            "\n\none\n",
            "one\ntwo\n",
            "one\r\ntwo\r\n",
            "one\rtwo\r",
            "one\ntwo",
            "\u{feff}one\r\n\r\ntwo",
            "one\r\ntwo\nthree\rfour\n\r\n",
            "a\u{b}b\u{c}\u{85}\u{2028}\t \n",
        ] {
            assert_eq!(in_form_of(text, &sent(text)), text, "{text:?}");
        }
    }

    #[test]
    fn changed_lines_get_the_endings_of_the_file() {
        assert_eq!(in_form_of("one\ntwo\n", "one\r\nmore\r\ntwo\r\n"), "one\nmore\ntwo\n");
        assert_eq!(in_form_of("\u{feff}one\r\n", "one\nmore\n"), "\u{feff}one\r\nmore\r\n");
        assert_eq!(in_form_of("one", "one\r\ntwo"), "one\ntwo");
        let mixed = "a\r\nb\nc\r\nd\r\n";
        assert_eq!(in_form_of(mixed, "a\r\nb\r\nnew\r\nd\r\n"), "a\r\nb\nnew\r\nd\r\n");
        assert_eq!(in_form_of(mixed, "b\r\nc\r\nd"), "b\nc\r\nd");
    }
}
