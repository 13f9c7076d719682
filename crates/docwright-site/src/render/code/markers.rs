//! Markers in the code itself: `[!code ++]` inside a trailing comment.
//!
//! Removes the markers and returns the marked lines. [`language`](super::language) defines the comments of a
//! language.

use std::borrow::Cow;

use super::block::Marks;

/// Code without its markers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unmarked<'a> {
    /// The code that readers see and copy.
    pub code: Cow<'a, str>,
    /// Marks by line, the first line first; shorter than the code if the rest has none.
    pub marks: Vec<Marks>,
}

const OPEN: &str = "[!code ";

/// Removes the markers from `code`, with the given comment delimiters.
///
/// A line that contains only a marker is removed, and its mark applies from the next line.
pub(super) fn extract<'a>(code: &'a str, comments: &[(&str, &str)]) -> Unmarked<'a> {
    if comments.is_empty() || !code.contains(OPEN) {
        return Unmarked { code: Cow::Borrowed(code), marks: Vec::new() };
    }
    let mut lines = Vec::new();
    let mut marks: Vec<Marks> = Vec::new();
    for line in code.split('\n') {
        let Some((text, found)) = strip(line, comments) else {
            lines.push(Cow::Borrowed(line));
            continue;
        };
        for (mark, count) in found {
            let last = lines.len().saturating_add(count);
            // The count can be any number; marks past the end of the code are useless.
            let last = last.min(code.len() + 1);
            if marks.len() < last {
                marks.resize(last, Marks::default());
            }
            marks[lines.len()..last].iter_mut().for_each(|line| line.add(mark));
        }
        if !text.trim().is_empty() {
            lines.push(Cow::Owned(text));
        }
    }
    marks.truncate(lines.len());
    Unmarked { code: Cow::Owned(lines.join("\n")), marks }
}

/// The line without its markers, and their meaning; `None` without markers in comments.
fn strip(line: &str, comments: &[(&str, &str)]) -> Option<(String, Vec<(Marks, usize)>)> {
    let first = line.find(OPEN)?;
    let (open, close) = comments
        .iter()
        .filter_map(|(open, close)| Some((line[..first].rfind(open)?, open, close)))
        .max_by_key(|(at, open, _)| (at + open.len(), open.len()))
        .map(|(at, open, close)| ((at, open), close))?;
    let (at, open) = open;
    let mut comment = &line[at + open.len()..];
    let mut rest = String::new();
    let mut found = Vec::new();
    while let Some((before, after)) = comment.split_once(OPEN) {
        let Some((marker, after)) = after.split_once(']') else { break };
        let Some(mark) = parse(marker) else { break };
        found.push(mark);
        rest.push_str(before);
        comment = after;
    }
    rest.push_str(comment);
    if found.is_empty() {
        return None;
    }
    let said = rest.trim().strip_suffix(close).unwrap_or(rest.trim());
    let text = if said.trim().is_empty() {
        line[..at].trim_end().to_owned()
    } else {
        format!("{}{open}{}", &line[..at], rest.trim_end())
    };
    Some((text, found))
}

/// Parses `++`, `--:3`, `highlight`, … to a mark and its number of lines.
fn parse(marker: &str) -> Option<(Marks, usize)> {
    let (name, count) = match marker.trim().split_once(':') {
        Some((name, count)) => (name, count.trim().parse().ok()?),
        None => (marker.trim(), 1),
    };
    let mark = match name {
        "++" => Marks { added: true, ..Marks::default() },
        "--" => Marks { removed: true, ..Marks::default() },
        "highlight" | "hl" => Marks { highlighted: true, ..Marks::default() },
        "focus" => Marks { focused: true, ..Marks::default() },
        _ => return None,
    };
    Some((mark, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLASHES: &[(&str, &str)] = &[("//", ""), ("/*", "*/"), ("{/*", "*/}")];

    fn check(code: &str, comments: &[(&str, &str)], expected: &str, signs: &str) {
        let unmarked = extract(code, comments);
        assert_eq!(unmarked.code, expected);
        let found: String = unmarked.marks.into_iter().map(sign).collect();
        assert_eq!(found, signs, "{code}");
    }

    fn sign(marks: Marks) -> char {
        match marks {
            Marks { added: true, .. } => '+',
            Marks { removed: true, .. } => '-',
            Marks { highlighted: true, .. } => 'h',
            Marks { focused: true, .. } => 'f',
            _ => '.',
        }
    }

    #[test]
    fn trailing_markers_go_with_their_comment() {
        check("a\nb(); // [!code ++]\nc", SLASHES, "a\nb();\nc", ".+");
        check("a # [!code --]", &[("#", "")], "a", "-");
        check("<p/> <!-- [!code highlight] -->", &[("<!--", "-->")], "<p/>", "h");
        check("<A /> {/* [!code focus] */}", SLASHES, "<A />", "f");
    }

    #[test]
    fn counts_reach_over_lines_and_stop_at_the_end() {
        check("a // [!code ++:2]\nb\nc", SLASHES, "a\nb\nc", "++");
        check("a // [!code --:99999999999]\nb", SLASHES, "a\nb", "--");
        check("// [!code ++:2]\na\nb\nc", SLASHES, "a\nb\nc", "++");
    }

    #[test]
    fn other_words_of_the_comment_stay() {
        check("a // why [!code ++]", SLASHES, "a // why", "+");
        check("a /* why [!code ++] */", SLASHES, "a /* why  */", "+");
    }

    #[test]
    fn markers_outside_comments_and_unknown_ones_are_text() {
        check("say \"[!code ++]\"", SLASHES, "say \"[!code ++]\"", "");
        check("a // [!code ++]", &[], "a // [!code ++]", "");
        check("a // [!code nonsense]", SLASHES, "a // [!code nonsense]", "");
        check("a // [!code ++", SLASHES, "a // [!code ++", "");
    }
}
