//! The options after the language of a fence: title, marked lines, flags.
//!
//! This module only parses; [`block`](super::block) applies the options.

use std::ops::RangeInclusive;

/// The options of a code block.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word that stands there or does not")]
pub struct Meta {
    /// Shown above the block, or as the label of its tab.
    pub title: Option<String>,
    /// Name, path or URL of the icon beside the title.
    pub icon: Option<String>,
    /// Marked lines.
    pub highlight: LineSet,
    /// The lines that are not dimmed; empty for all.
    pub focus: LineSet,
    /// Number the lines.
    pub lines: bool,
    /// Collapse the block if it is long.
    pub expandable: bool,
    /// Wrap long lines.
    pub wrap: bool,
    /// Offer a copy button.
    pub copy: bool,
    /// Diagrams only: whether zoom controls are shown; `None` depends on the size.
    pub actions: Option<bool>,
    /// Diagrams only: the corner of the controls, such as `top-left`.
    pub placement: Option<String>,
}

impl Default for Meta {
    fn default() -> Self {
        Self {
            title: None,
            icon: None,
            highlight: LineSet::default(),
            focus: LineSet::default(),
            lines: false,
            expandable: false,
            wrap: false,
            copy: true,
            actions: None,
            placement: None,
        }
    }
}

impl Meta {
    /// Parses the text after the language.
    ///
    /// Words that are neither a flag nor `key=value` form the title. Unknown keys are ignored silently, since
    /// other tools read the same fences.
    pub fn parse(text: &str) -> Self {
        let mut meta = Self::default();
        let mut words = Vec::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let (item, after) = next_item(rest);
            rest = after.trim_start();
            match item {
                Item::Word(word) if meta.set_flag(word) => {}
                Item::Word(word) => words.push(word),
                Item::Text(text) => words.push(text),
                Item::Braces(lines) => meta.highlight = LineSet::parse(lines),
                Item::Pair(key, value) => meta.set(key, value),
            }
        }
        if meta.title.is_none() && !words.is_empty() {
            meta.title = Some(words.join(" "));
        }
        meta
    }

    fn set_flag(&mut self, word: &str) -> bool {
        match word {
            "lines" | "showLineNumbers" => self.lines = true,
            "expandable" | "[expandable]" => self.expandable = true,
            "wrap" => self.wrap = true,
            "nocopy" => self.copy = false,
            "copy" => self.copy = true,
            // Options of other renderers, which have no effect here without a value.
            "twoslash" | "icon" | "highlight" | "focus" | "title" => {}
            _ => return false,
        }
        true
    }

    fn set(&mut self, key: &str, value: &str) {
        let on = value != "false";
        match key {
            "title" | "filename" if !value.is_empty() => self.title = Some(value.to_owned()),
            "icon" if !value.is_empty() => self.icon = Some(value.to_owned()),
            "highlight" => self.highlight = LineSet::parse(value),
            "focus" => self.focus = LineSet::parse(value),
            "lines" | "showLineNumbers" => self.lines = on,
            "expandable" => self.expandable = on,
            "wrap" => self.wrap = on,
            "nocopy" => self.copy = !on,
            "copy" => self.copy = on,
            "actions" => self.actions = Some(on),
            "placement" => self.placement = Some(value.to_owned()),
            _ => {}
        }
    }
}

enum Item<'a> {
    /// A run of characters without white space.
    Word(&'a str),
    /// A quoted text.
    Text(&'a str),
    /// A separate `{…}`, without braces.
    Braces(&'a str),
    /// `key=value`, the value without its quotes and braces.
    Pair(&'a str, &'a str),
}

/// The first item of a text that doesn't start with white space, and the rest.
fn next_item(text: &str) -> (Item<'_>, &str) {
    if let Some((inside, rest)) = delimited(text, '{', '}') {
        return (Item::Braces(inside), rest);
    }
    if let Some((inside, rest)) = quoted(text) {
        return (Item::Text(inside), rest);
    }
    let key_length = text
        .find(|character: char| !character.is_ascii_alphanumeric() && !"-_".contains(character))
        .unwrap_or(text.len());
    if key_length > 0
        && let Some(value) = text[key_length..].strip_prefix('=')
    {
        let (value, rest) = value_of(value);
        return (Item::Pair(&text[..key_length], value), rest);
    }
    let (word, rest) = split_word(text);
    (Item::Word(word), rest)
}

/// The value after `=`: quoted, in braces (with quotes inside, maybe), or up to white space.
fn value_of(text: &str) -> (&str, &str) {
    if let Some((inside, rest)) = quoted(text) {
        return (inside, rest);
    }
    if let Some((inside, rest)) = delimited(text, '{', '}') {
        let inside = inside.trim();
        let value = match quoted(inside).or_else(|| delimited(inside, '`', '`')) {
            Some((value, "")) => value,
            _ => inside,
        };
        return (value, rest);
    }
    split_word(text)
}

fn quoted(text: &str) -> Option<(&str, &str)> {
    delimited(text, '"', '"').or_else(|| delimited(text, '\'', '\''))
}

fn delimited(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    text.strip_prefix(open)?.split_once(close)
}

fn split_word(text: &str) -> (&str, &str) {
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

/// A set of 1-based line numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineSet(Vec<RangeInclusive<usize>>);

impl LineSet {
    /// Parses `1,3-5`, with or without brackets and spaces, ignoring anything else.
    pub fn parse(text: &str) -> Self {
        let parts = text.trim().trim_start_matches(['[', '{']).trim_end_matches([']', '}']);
        Self(parts.split(',').filter_map(parse_range).collect())
    }

    /// Whether the set contains no line.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a 1-based line is in the set.
    pub fn contains(&self, line: usize) -> bool {
        self.0.iter().any(|range| range.contains(&line))
    }
}

fn parse_range(text: &str) -> Option<RangeInclusive<usize>> {
    let text = text.trim().trim_matches(['"', '\'']);
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (first > 0 && first <= last).then_some(first..=last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn title(text: &str) -> Option<String> {
        Meta::parse(text).title
    }

    #[test]
    fn bare_words_make_the_title() {
        assert_eq!(title("docs.json"), Some("docs.json".into()));
        assert_eq!(title("Example frontmatter"), Some("Example frontmatter".into()));
        assert_eq!(title("cURL (Basic Auth)"), Some("cURL (Basic Auth)".into()));
        assert_eq!(title("title=\"utils/hello.js\" lines"), Some("utils/hello.js".into()));
        assert_eq!(title("title={'a \"b\"'}"), Some("a \"b\"".into()));
        assert_eq!(title("'Two words' wrap"), Some("Two words".into()));
        assert_eq!(title("lines wrap"), None);
        assert_eq!(title("title=\"\""), None);
    }

    #[test]
    fn flags_are_exact_words_anywhere() {
        let meta = Meta::parse("Wrap example wrap [expandable] showLineNumbers nocopy twoslash");
        assert_eq!(meta.title.as_deref(), Some("Wrap example"));
        assert!(meta.wrap && meta.expandable && meta.lines && !meta.copy);
        assert!(Meta::parse("nocopy=\"false\"").copy);
        assert!(!Meta::parse("lines={false}").lines);
    }

    #[test]
    fn lines_come_in_every_spelling() {
        for text in ["{1,3-5}", "highlight={1, 3-5}", "highlight=\"[1,3-5]\"", "highlight=1,3-5"] {
            let highlight = Meta::parse(text).highlight;
            let marked: Vec<_> = (0..8).filter(|line| highlight.contains(*line)).collect();
            assert_eq!(marked, [1, 3, 4, 5], "{text}");
        }
        assert!(Meta::parse("{foo: 1} {3-1} {0}").highlight.is_empty());
        assert!(Meta::parse("focus={2}").focus.contains(2));
    }

    #[test]
    fn unknown_pairs_and_broken_values_are_tolerated() {
        let meta = Meta::parse("theme={null} a.py style=x icon=\"python");
        assert_eq!(meta.title.as_deref(), Some("a.py"));
        assert_eq!(meta.icon.as_deref(), Some("\"python"));
        assert_eq!(title("{1,2 \"open 'x = y="), Some("{1,2 \"open 'x = ".trim().into()));
    }
}
