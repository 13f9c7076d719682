//! Splits code and prose into words: names at `_` and in camelCase, and lines that continue in the next line.
//! It doesn't know any words itself.

/// A word of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Word<'a> {
    /// Its letters, including inner apostrophes, without a final `'s`.
    pub(super) text: &'a str,
    /// Its line, counted from 1.
    pub(super) line: usize,
    /// Whether it continues the phrase or name of the previous word.
    pub(super) joined: bool,
}

/// The words of a text, in order.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let bytes = text.as_bytes();
    let mut found = Vec::with_capacity(text.len() / 6);
    let (mut at, mut line, mut joined) = (0, 1, false);
    while at < bytes.len() {
        if bytes[at].is_ascii_alphabetic() {
            let end = end_of_word(bytes, at);
            // A key at the start of a line doesn't continue the previous line.
            let is_key = bytes.get(end) == Some(&b':')
                && at.checked_sub(1).map(|at| bytes[at]) == Some(b'\n');
            joined = joined && !is_key;
            let letters = &text[at..end];
            let own = letters.strip_suffix("'s").unwrap_or(letters);
            found.push(Word { text: own, line, joined });
            (at, joined) = (end, true);
        } else {
            let end = end_of_gap(bytes, at);
            let gap = &text[at..end];
            joined = joined && joins(gap);
            line += gap.matches('\n').count();
            at = end;
        }
    }
    found
}

fn end_of_word(bytes: &[u8], start: usize) -> usize {
    let mut end = start + 1;
    while end < bytes.len() {
        let (before, byte) = (bytes[end - 1], bytes[end]);
        let inside = byte == b'\'' && bytes.get(end + 1).is_some_and(u8::is_ascii_alphabetic);
        let next_part = before.is_ascii_lowercase() && byte.is_ascii_uppercase();
        if next_part || !(byte.is_ascii_alphabetic() || inside) {
            break;
        }
        end += 1;
    }
    end
}

/// The end of the gap between two words. The letter of an escape such as `\n` is part of the gap.
fn end_of_gap(bytes: &[u8], start: usize) -> usize {
    let mut end = start;
    while end < bytes.len() && !bytes[end].is_ascii_alphabetic() {
        let is_escape = bytes[end] == b'\\' && end + 1 < bytes.len() && bytes[end + 1].is_ascii();
        end += if is_escape { 2 } else { 1 };
    }
    end.min(bytes.len())
}

/// Whether a phrase or a name continues after a gap.
fn joins(gap: &str) -> bool {
    let mut lines = gap.split('\n');
    let first = lines.next().unwrap_or_default().trim_end_matches('\\').trim();
    if !first.bytes().all(|byte| matches!(byte, b'_' | b'-' | b'*' | b'`' | b' ')) {
        return false;
    }
    let Some(next) = lines.next() else { return true };
    let leader = next.trim_matches([' ', '*', '`']);
    lines.next().is_none() && matches!(leader, "" | "//" | "///" | "//!" | "#" | "--")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words, with `+` before those that continue the previous word.
    fn split(text: &str) -> Vec<String> {
        let words = words(text).into_iter();
        words.map(|word| format!("{}{}", if word.joined { "+" } else { "" }, word.text)).collect()
    }

    #[test]
    fn names_are_split_at_underscores_and_capitals() {
        assert_eq!(split("fn can_fix(a: FixLinks)"), ["fn", "+can", "+fix", "a", "Fix", "+Links"]);
    }

    #[test]
    fn phrases_end_at_punctuation_and_blank_lines() {
        assert_eq!(split("one. Two, three\n\nfour"), ["one", "Two", "three", "four"]);
        assert_eq!(split("title: API\ndescription: the"), ["title", "API", "description", "the"]);
        assert_eq!(split("/// one\n    /// two **three**"), ["one", "+two", "+three"]);
    }

    #[test]
    fn apostrophes_and_escapes_are_not_words() {
        assert_eq!(split("it can't\\nbe a host's"), ["it", "+can't", "be", "+a", "+host"]);
        let lines: Vec<_> = words("a\nb\n\nc").iter().map(|word| word.line).collect();
        assert_eq!(lines, [1, 2, 4]);
    }
}
