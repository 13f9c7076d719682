//! What stands behind the opening fence of a code block.

use std::collections::BTreeSet;

/// The meta line, read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of its own in the format")]
pub struct Meta {
    /// The language as written.
    pub language: Option<String>,
    /// Title, or label of the tab.
    pub title: Option<String>,
    /// Icon beside the title.
    pub icon: Option<String>,
    /// 1-based numbers of highlighted lines.
    pub highlighted: BTreeSet<u32>,
    /// 1-based numbers of the lines that are not dimmed; empty for all.
    pub focused: BTreeSet<u32>,
    /// Line numbers are shown.
    pub numbered: bool,
    /// A long block begins collapsed.
    pub expandable: bool,
    /// Long lines wrap.
    pub wrapped: bool,
    /// There is no copy button.
    pub uncopyable: bool,
}

/// Words that are for other renderers, or mean nothing to a reader.
const IGNORED: &[&str] = &["twoslash", "copy", "runnable", "theme", "nowrap", "diff", "example", "react"];
/// A range of lines ends here at the latest, so that `{1-4000000000}` costs nothing.
const MAXIMUM_LINE: u32 = 20_000;

impl Meta {
    /// Reads language and meta as Markdown divides them.
    pub fn parse(language: Option<&str>, rest: Option<&str>) -> Self {
        let mut meta = Self::default();
        let mut language = language.map(str::to_owned);
        // ```js{1,3}: the lines may follow the language at once.
        if let Some(name) = &mut language
            && let Some(open) = name.find('{')
        {
            add_lines(name[open..].trim_matches(['{', '}']), &mut meta.highlighted);
            name.truncate(open);
        }
        if language.as_deref() == Some("nocopy") {
            meta.uncopyable = true;
            language = None;
        }
        meta.language = language.filter(|name| !name.is_empty());
        let mut words = Vec::new();
        for token in tokens(rest.unwrap_or_default()) {
            meta.take(&token, &mut words);
        }
        if meta.title.is_none() && !words.is_empty() {
            meta.title = Some(words.join(" "));
        }
        meta
    }

    fn take(&mut self, token: &Token, words: &mut Vec<String>) {
        match token {
            Token::Lines(lines) => add_lines(lines, &mut self.highlighted),
            Token::Value(name, value) => self.take_value(name, value),
            Token::Word(word) => match word.trim_matches(['[', ']']) {
                "lines" | "showLineNumbers" => self.numbered = true,
                "expandable" => self.expandable = true,
                "wrap" => self.wrapped = true,
                "nocopy" => self.uncopyable = true,
                word if IGNORED.contains(&word) && words.is_empty() => {}
                _ => words.push(word.clone()),
            },
            Token::Quoted(text) => words.push(text.clone()),
        }
    }

    fn take_value(&mut self, name: &str, value: &str) {
        let yes = value != "false";
        match name {
            "title" | "filename" | "file" => self.title = Some(value.to_owned()),
            "icon" => self.icon = Some(value.to_owned()),
            "highlight" => add_lines(value, &mut self.highlighted),
            "focus" => add_lines(value, &mut self.focused),
            "lines" | "showLineNumbers" => self.numbered = yes,
            "expandable" => self.expandable = yes,
            "wrap" => self.wrapped = yes,
            "nocopy" => self.uncopyable = yes,
            _ => {}
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Quoted(String),
    /// `{1,3-5}`
    Lines(String),
    /// `name=value`
    Value(String, String),
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (token, after) = next_token(rest);
        tokens.push(token);
        rest = after.trim_start();
    }
    tokens
}

fn next_token(text: &str) -> (Token, &str) {
    if let Some((lines, after)) = enclosed(text, '{', '}') {
        return (Token::Lines(lines.to_owned()), after);
    }
    for quote in ['"', '\''] {
        if let Some((quoted, after)) = enclosed(text, quote, quote) {
            return (Token::Quoted(quoted.to_owned()), after);
        }
    }
    let end = text.find(|letter: char| letter.is_whitespace() || letter == '=').unwrap_or(text.len());
    let (name, after) = text.split_at(end);
    match after.strip_prefix('=') {
        Some(value) if !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-')) => {
            let quoted = [('"', '"'), ('\'', '\''), ('{', '}')].iter().find_map(|(open, close)| enclosed(value, *open, *close));
            let (value, after) = quoted.unwrap_or_else(|| value.split_at(value.find(char::is_whitespace).unwrap_or(value.len())));
            (Token::Value(name.to_owned(), value.trim_matches(['"', '\'']).to_owned()), after)
        }
        _ => {
            let end = text.find(char::is_whitespace).unwrap_or(text.len());
            (Token::Word(text[..end].to_owned()), &text[end..])
        }
    }
}

fn enclosed(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let inner = text.strip_prefix(open)?;
    let end = inner.find(close)?;
    Some((&inner[..end], &inner[end + close.len_utf8()..]))
}

fn add_lines(text: &str, lines: &mut BTreeSet<u32>) {
    for part in text.trim_matches(['[', ']', '{', '}']).split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(from), Ok(to)) = (from.trim().parse::<u32>(), to.trim().parse::<u32>()) {
            lines.extend(from..=to.min(MAXIMUM_LINE));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(meta: &str) -> Meta {
        Meta::parse(Some("js"), Some(meta))
    }

    #[test]
    fn titles_are_bare_or_quoted() {
        assert_eq!(parse("src/app config.js").title.as_deref(), Some("src/app config.js"));
        assert_eq!(parse("title=\"My file\" lines").title.as_deref(), Some("My file"));
        assert_eq!(parse("\"Quoted title\"").title.as_deref(), Some("Quoted title"));
        assert_eq!(parse("Example wrap").title.as_deref(), Some("Example"));
        assert_eq!(parse("a=b c").title.as_deref(), Some("c"));
    }

    #[test]
    fn flags_and_lines_are_known() {
        let meta = parse("{1,3-5} focus={2} [expandable] lines wrap nocopy=\"false\" icon=\"python\"");
        assert_eq!(meta.highlighted, BTreeSet::from([1, 3, 4, 5]));
        assert_eq!(meta.focused, BTreeSet::from([2]));
        assert!(meta.expandable && meta.numbered && meta.wrapped && !meta.uncopyable);
        assert_eq!(meta.icon.as_deref(), Some("python"));
        assert_eq!(meta.title, None);
    }

    #[test]
    fn hostile_ranges_are_bounded() {
        assert!(parse("{1-4000000000}").highlighted.len() <= MAXIMUM_LINE as usize);
        assert!(Meta::parse(Some("js{2}"), None).highlighted.contains(&2));
    }
}
