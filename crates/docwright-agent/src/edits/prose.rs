//! Finds prose in a page: text for readers, without code, addresses, and markup.

use std::ops::Range;

/// Keys of frontmatter whose values readers see.
const PROSE_KEYS: &[&str] = &["title", "description", "sidebarTitle"];
/// Attributes of components whose values readers see.
const PROSE_ATTRIBUTES: &[&str] =
    &["title", "description", "caption", "alt", "label", "tip", "summary"];

/// Byte ranges of prose, in order.
pub(super) fn ranges(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let body = frontmatter(text, &mut ranges);
    let mut fence: Option<String> = None;
    let mut at = body;
    let mut block = body;
    for line in text[body..].split_inclusive('\n') {
        let trimmed = line.trim_start();
        let marker: String =
            trimmed.chars().take_while(|letter| matches!(letter, '`' | '~')).collect();
        match &fence {
            Some(open) if marker.starts_with(open.as_str()) && trimmed.trim_end() == marker => {
                fence = None;
                block = at + line.len();
            }
            Some(_) => {}
            None if marker.len() >= 3
                && (marker.starts_with("```") || marker.starts_with("~~~")) =>
            {
                inline(text, block..at, &mut ranges);
                fence = Some(marker);
            }
            None if is_module_code(line) || is_definition(line) => {
                inline(text, block..at, &mut ranges);
                block = at + line.len();
            }
            None => {}
        }
        at += line.len();
    }
    if fence.is_none() {
        inline(text, block..text.len(), &mut ranges);
    }
    ranges.retain(|range| !range.is_empty());
    ranges
}

fn is_module_code(line: &str) -> bool {
    line.starts_with("import ") || line.starts_with("export ")
}

/// `[name]: address`, but not the text of a footnote.
fn is_definition(line: &str) -> bool {
    let line = line.trim_start();
    let name = line.strip_prefix('[').and_then(|rest| rest.split_once("]:"));
    name.is_some_and(|(name, _)| !name.starts_with('^') && !name.contains(['[', ']']))
}

/// Adds the prose of the frontmatter; returns the start of the body.
fn frontmatter(text: &str, ranges: &mut Vec<Range<usize>>) -> usize {
    let Some(rest) = text.strip_prefix("---\n") else { return 0 };
    let Some(end) = rest.find("\n---") else { return 0 };
    let mut at = 4;
    for line in rest[..end].split_inclusive('\n') {
        if let Some((key, value)) = line.split_once(':')
            && PROSE_KEYS.contains(&key)
        {
            let start = at + key.len() + 1;
            ranges.push(start..start + value.trim_end().len());
        }
        at += line.len();
    }
    text[4 + end + 4..].find('\n').map_or(text.len(), |line| 4 + end + 4 + line + 1)
}

/// Adds the prose between code blocks: without inline code, tags (except attributes that readers see),
/// expressions, comments, and addresses of links.
fn inline(text: &str, range: Range<usize>, ranges: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut start = range.start;
    let mut at = range.start;
    while at < range.end {
        let skipped = match bytes[at] {
            b'`' => code(text, at, range.end),
            b'<' => tag(text, at, range.end, ranges),
            b'{' => braces(text, at, range.end),
            b']' if bytes.get(at + 1) == Some(&b'(') => parentheses(text, at + 1, range.end),
            b'h' if text[at..].starts_with("http://") || text[at..].starts_with("https://") => text
                [at..range.end]
                .find([' ', '\n', ')', '>', '"'])
                .map_or(range.end, |end| at + end),
            b'\\' => (at + 2).min(range.end),
            _ => at,
        };
        if skipped > at {
            // Parts of a tag precede it, so the final sort restores the order.
            ranges.push(start..at);
            at = skipped;
            start = at;
        } else {
            at += 1;
        }
    }
    ranges.push(start..range.end);
    ranges.sort_by_key(|range| range.start);
}

/// End of the inline code that starts here; the same position if it never ends.
fn code(text: &str, at: usize, limit: usize) -> usize {
    let ticks = text[at..limit].bytes().take_while(|byte| *byte == b'`').count();
    let fence = &text[at..at + ticks];
    let mut from = at + ticks;
    while let Some(found) = text[from..limit].find(fence) {
        let end = from + found + ticks;
        let longer = text[end..limit].starts_with('`');
        if !longer {
            return end;
        }
        from = end + text[end..limit].bytes().take_while(|byte| *byte == b'`').count();
    }
    at + ticks
}

fn tag(text: &str, at: usize, limit: usize, ranges: &mut Vec<Range<usize>>) -> usize {
    let rest = &text[at..limit];
    if let Some(comment) = rest.strip_prefix("<!--") {
        return comment.find("-->").map_or(limit, |end| at + 4 + end + 3);
    }
    let name = rest[1..].trim_start_matches('/');
    if !name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '>') {
        return at;
    }
    let bytes = text.as_bytes();
    let (mut quote, mut depth, mut value_start) = (None, 0_usize, 0);
    let mut position = at + 1;
    while position < limit {
        let byte = bytes[position];
        match quote {
            Some(open) if byte == open => {
                if depth == 0 && is_prose_attribute(&text[at..value_start]) {
                    ranges.push(value_start..position);
                }
                quote = None;
            }
            Some(_) => {}
            None if byte == b'"' || byte == b'\'' => {
                quote = Some(byte);
                value_start = position + 1;
            }
            None if byte == b'{' => depth += 1,
            None if byte == b'}' => depth = depth.saturating_sub(1),
            None if byte == b'>' && depth == 0 => return position + 1,
            None => {}
        }
        position += 1;
    }
    at
}

/// Whether a value belongs to an attribute that readers see.
fn is_prose_attribute(before: &str) -> bool {
    let before = before.trim_end_matches(['"', '\'']).trim_end();
    let Some(before) = before.strip_suffix('=') else { return false };
    PROSE_ATTRIBUTES.iter().any(|name| {
        before.strip_suffix(name).is_some_and(|rest| rest.ends_with(char::is_whitespace))
    })
}

fn braces(text: &str, at: usize, limit: usize) -> usize {
    balanced(text, at, limit, b'{', b'}')
}

fn parentheses(text: &str, at: usize, limit: usize) -> usize {
    balanced(text, at, limit, b'(', b')')
}

fn balanced(text: &str, at: usize, limit: usize, open: u8, close: u8) -> usize {
    let mut depth = 0_usize;
    for (offset, byte) in text.as_bytes()[at..limit].iter().enumerate() {
        if *byte == open {
            depth += 1;
        } else if *byte == close {
            depth -= 1;
            if depth == 0 {
                return at + offset + 1;
            }
        }
    }
    at + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_separated_from_everything_else() {
        let text = "---\ntitle: \"Term one\"\nicon: term\n---\nimport Term from \"/term.mdx\";\n\nThe term, `term` and [term](/term \"term\") at https://e.org/term.\n\n```js\nterm\n```\n\n<Card title=\"A term\" href=\"/term\" icon={\"term\"}>term</Card> {term}\n<!-- term -->\n\n[term]: /term\n[^1]: A term.\n";
        let prose: Vec<_> = ranges(text).into_iter().map(|range| &text[range]).collect();
        let count =
            prose.iter().map(|part| part.to_lowercase().matches("term").count()).sum::<usize>();
        // The title, "The term", the text of the link, the title of the card, its text, the footnote.
        assert_eq!(count, 6, "{prose:#?}");
    }

    #[test]
    fn prose_ranges_accept_broken_markup() {
        for text in
            ["`a", "<a", "<A b=\"", "{", "](", "```", "---\n", "---\ntitle: x", "\\", "<!--", "ä`ö"]
        {
            let _ = ranges(text);
        }
    }
}
