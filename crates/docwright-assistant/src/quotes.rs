//! Finds quoted words in a section. Case, whitespace, Markdown marks, and typographic quotes and dashes don't count;
//! everything else does.

/// Letters and digits that a quote has at least. Those of scripts without spaces count twice.
const LEAST: usize = 12;
/// Longest quote, in characters.
const MOST: usize = 600;

/// A text without Markdown marks, and with single spaces.
#[derive(Debug, Clone)]
pub(crate) struct PlainText {
    shown: Vec<char>,
    /// The same characters in the form in which they are compared.
    folded: Vec<char>,
}

impl PlainText {
    /// Removes the marks of a Markdown text.
    pub(crate) fn of(markdown: &str) -> Self {
        let letters: Vec<char> = markdown.chars().collect();
        let mut shown: Vec<char> = Vec::with_capacity(letters.len());
        let mut at = 0;
        while let Some(letter) = letters.get(at).copied() {
            at += 1;
            let next = letters.get(at).copied();
            match letter {
                '*' | '`' | '[' => {}
                '_' if is_edge(&letters, at - 1) => {}
                ']' => {
                    if next == Some('(') {
                        at = end_of_destination(&letters, at);
                    }
                }
                '\\' if next.is_some_and(|next| next.is_ascii_punctuation()) => {
                    shown.extend(next);
                    at += 1;
                }
                '#' | '>' if is_first(&letters, at - 1) => {}
                letter if letter.is_whitespace() || letter == '|' => {
                    if shown.last().is_some_and(|last| *last != ' ') {
                        shown.push(' ');
                    }
                }
                letter => shown.push(letter),
            }
        }
        while shown.last() == Some(&' ') {
            shown.pop();
        }
        let folded = shown.iter().map(|letter| folded(*letter)).collect();
        Self { shown, folded }
    }

    /// The words of the text that a quote repeats, as the text has them; `None` if it doesn't have them, or if the
    /// quote is too short to tell anything, or too long.
    pub(crate) fn find(&self, quote: &str) -> Option<String> {
        let quote = Self::of(quote);
        let is_word = |letter: &char| letter.is_alphanumeric();
        let first = quote.folded.iter().position(is_word)?;
        let last = quote.folded.iter().rposition(is_word)?;
        let wanted = &quote.folded[first..=last];
        let weight = |letter: &char| match (is_word(letter), is_unspaced(*letter)) {
            (false, _) => 0,
            (true, false) => 1,
            (true, true) => 2,
        };
        if wanted.iter().map(weight).sum::<usize>() < LEAST || wanted.len() > MOST {
            return None;
        }
        let found = self.place(wanted)?;
        Some(self.shown[found..found + wanted.len()].iter().collect())
    }

    /// Whether the text has some words, however short they are.
    pub(crate) fn has(&self, words: &str) -> bool {
        let words = Self::of(words);
        !words.folded.is_empty() && self.place(&words.folded).is_some()
    }

    /// The first words, up to a number of characters.
    pub(crate) fn start(&self, most: usize) -> String {
        if self.shown.len() <= most {
            return self.shown.iter().collect();
        }
        let end = self.shown[..most].iter().rposition(|letter| *letter == ' ').unwrap_or(most);
        self.shown[..end].iter().collect()
    }

    /// Where some words are, as whole words.
    fn place(&self, wanted: &[char]) -> Option<usize> {
        let is_inside = |one: Option<&char>, other: Option<&char>| {
            let is_part = |letter: &char| letter.is_alphanumeric() && !is_unspaced(*letter);
            one.is_some_and(is_part) && other.is_some_and(is_part)
        };
        let text = &self.folded;
        (0..(text.len() + 1).saturating_sub(wanted.len())).find(|start| {
            let end = start + wanted.len();
            text[*start..end] == *wanted
                && !is_inside(start.checked_sub(1).and_then(|at| text.get(at)), wanted.first())
                && !is_inside(wanted.last(), text.get(end))
        })
    }
}

/// Whether a mark is at the start or the end of a word.
fn is_edge(letters: &[char], at: usize) -> bool {
    let is_word = |at: Option<usize>| {
        at.and_then(|at| letters.get(at)).is_some_and(|letter| letter.is_alphanumeric())
    };
    !is_word(at.checked_sub(1)) || !is_word(Some(at + 1))
}

/// Whether a mark is among the first marks of its line.
fn is_first(letters: &[char], at: usize) -> bool {
    let before = letters[..at].iter().rev().take_while(|letter| **letter != '\n');
    before.into_iter().all(|letter| matches!(letter, '#' | '>' | ' ' | '\t'))
}

/// After the parenthesis that closes the one at a place; the place itself if there is none on the line.
fn end_of_destination(letters: &[char], at: usize) -> usize {
    let mut depth = 0_usize;
    for (number, letter) in letters[at..].iter().enumerate() {
        match letter {
            '(' => depth += 1,
            ')' if depth == 1 => return at + number + 1,
            ')' => depth -= 1,
            '\n' => break,
            _ => {}
        }
    }
    at
}

fn folded(letter: char) -> char {
    match letter {
        '‘' | '’' | 'ʼ' => '\'',
        '“' | '”' | '„' | '«' | '»' => '"',
        '–' | '—' | '‑' | '−' => '-',
        letter => letter.to_lowercase().next().unwrap_or(letter),
    }
}

/// Whether a script has no spaces between words, or endings that follow words without one.
const fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECTION: &str = "## Install\n\nRun `npm install -g  tool` **once**, then\nset [the key](/keys#new) — it's \
        named `TOOL_API_KEY`.\n\n> Keys expire after 30 days.\n\n| Plan | Price |\n| --- | --- |\n| Team | 20 dollars |\n";

    #[test]
    fn quotes_that_hold_are_found_as_the_page_has_them() {
        let plain = PlainText::of(SECTION);
        for (quote, words) in [
            ("Run npm install -g tool once", "Run npm install -g tool once"),
            ("run `NPM install -g tool`", "Run npm install -g tool"),
            ("then set the key - it’s named", "then set the key — it's named"),
            ("\"Keys expire after 30 days.\"", "Keys expire after 30 days"),
            ("named `TOOL_API_KEY`", "named TOOL_API_KEY"),
            ("…Team | 20 dollars…", "Team 20 dollars"),
            ("set [the key](/other) — it's", "set the key — it's"),
        ] {
            assert_eq!(plain.find(quote).as_deref(), Some(words), "{quote}");
        }
        let chinese = PlainText::of("运行安装命令，然后设置密钥。");
        assert_eq!(chinese.find("然后设置密钥").as_deref(), Some("然后设置密钥"));
    }

    #[test]
    fn altered_short_and_joined_words_are_not_found() {
        let plain = PlainText::of(SECTION);
        for quote in [
            "Keys expire after 60 days",
            "Keys never expire after 30 days",
            "Run npm install -g tools",
            "un npm install -g tool",
            "once",
            "the key",
            "TOOL_API",
            "",
            "…",
            "/keys#new and more",
            "Run npm install … named TOOL_API_KEY",
            &"long ".repeat(200),
        ] {
            assert_eq!(plain.find(quote), None, "{quote}");
        }
    }

    #[test]
    fn start_ends_between_words() {
        let plain = PlainText::of("# One *two* three");
        assert_eq!(plain.start(9), "One two");
        assert_eq!(plain.start(100), "One two three");
        assert!(plain.has("TWO") && !plain.has("tw") && !plain.has(" "));
    }
}
