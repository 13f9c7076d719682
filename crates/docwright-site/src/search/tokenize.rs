//! Splits text into terms. `browser/terms.js` does the same with queries.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use super::stem::{MAXIMUM_LENGTH, Stemmer};

/// A piece of text that gives terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A word as it is written.
    Word(&'a str),
    /// The letters of words with hyphens between them (`selfhost` of `self-host`), in lower case.
    Joined(&'a str),
}

impl Token<'_> {
    /// Whether the words that it consists of are tokens too.
    pub(super) const fn is_joined(self) -> bool {
        matches!(self, Self::Joined(_))
    }
}

/// Calls `found` with each token of a text, in order.
pub(super) fn scan(text: &str, mut found: impl FnMut(Token<'_>)) {
    let bytes = text.as_bytes();
    let mut joined = Hyphenated::default();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        loop {
            while bytes.get(at).is_some_and(|byte| IS_WORD[usize::from(*byte)]) {
                at += 1;
            }
            match other_letter(text, at) {
                Some(length) => at += length,
                None => break,
            }
        }
        if at > start {
            found(Token::Word(&text[start..at]));
            let goes_on = bytes.get(at) == Some(&b'-');
            if goes_on || joined.words > 0 {
                joined.push(&text[start..at]);
            }
            if goes_on {
                at += 1;
                continue;
            }
        }
        joined.end(&mut found);
        at += if bytes.get(at).is_none_or(u8::is_ascii) {
            1
        } else {
            text[at..].chars().next().map_or(1, char::len_utf8)
        };
    }
    joined.end(&mut found);
}

/// Whether words contain an ASCII letter.
const IS_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    table
};

/// Bytes of the letter at a position, if it isn't ASCII and words contain it.
fn other_letter(text: &str, at: usize) -> Option<usize> {
    text.as_bytes().get(at).filter(|byte| !byte.is_ascii())?;
    let letter = text[at..].chars().next()?;
    // Looking up whether an ideograph is alphanumeric would take long.
    let is_in_words = matches!(letter, '\u{4e00}'..='\u{9fa5}')
        || letter.is_alphanumeric()
        || is_combining_mark(letter);
    is_in_words.then_some(letter.len_utf8())
}

/// Calls `found` with each term of a text, in order. A word with several parts (`useState`, `snake_case`) gives
/// the word and its parts. A word with hyphens gives its parts and the joined word (`self-host`, `selfhost`).
/// Scripts without spaces give pairs of characters.
pub(super) fn tokenize(text: &str, stemmer: Stemmer, mut found: impl FnMut(&str)) {
    scan(text, |token| match token {
        Token::Word(word) => {
            for (term, _) in terms_of(word, stemmer) {
                found(&term);
            }
        }
        Token::Joined(word) => found(&stemmer.stem(word.to_owned())),
    });
}

/// Words joined by hyphens, as one word.
#[derive(Default)]
struct Hyphenated {
    letters: String,
    words: usize,
    broken: bool,
}

impl Hyphenated {
    fn push(&mut self, word: &str) {
        self.broken |= !word.bytes().all(|byte| byte.is_ascii_alphabetic());
        self.letters.push_str(word);
        self.words += 1;
    }

    fn end(&mut self, found: &mut impl FnMut(Token<'_>)) {
        if self.words > 1 && !self.broken && self.letters.len() <= MAXIMUM_LENGTH {
            self.letters.make_ascii_lowercase();
            found(Token::Joined(&self.letters));
        }
        if self.words > 0 {
            self.letters.clear();
            (self.words, self.broken) = (0, false);
        }
    }
}

/// The terms of a word, and whether each is only a part of it.
pub(super) fn terms_of(word: &str, stemmer: Stemmer) -> Vec<(String, bool)> {
    let mut found = Vec::with_capacity(1);
    if pairs(word, |pair| found.push((pair.to_owned(), false))).is_some() {
        return found;
    }
    found.push((stemmer.stem(fold(word).into_owned()), false));
    let parts = parts(word);
    if parts.len() > 1 {
        let parts = parts.into_iter().filter(|part| part.len() > 1);
        found.extend(parts.map(|part| (stemmer.stem(fold(part).into_owned()), true)));
    }
    found
}

/// Lower case, without accents, cut to length.
pub(super) fn fold(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        let word = &word[..word.len().min(MAXIMUM_LENGTH)];
        let has_capitals = word.bytes().any(|byte| byte.is_ascii_uppercase());
        return if has_capitals { word.to_ascii_lowercase().into() } else { word.into() };
    }
    word.nfkd()
        .filter(|letter| !is_combining_mark(*letter))
        .flat_map(char::to_lowercase)
        .take(MAXIMUM_LENGTH)
        .collect::<String>()
        .into()
}

/// Parts of a compound: at underscores, and where a capital follows a small letter.
fn parts(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut small = false;
    for (at, letter) in word.char_indices() {
        if letter == '_' || small && letter.is_uppercase() {
            parts.push(&word[start..at]);
            start = at + usize::from(letter == '_');
        }
        small = letter.is_lowercase() || letter.is_numeric();
    }
    parts.push(&word[start..]);
    parts.retain(|part| !part.is_empty());
    parts
}

pub(super) fn is_ideographic(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{1100}'..='\u{11ff}' | '\u{20000}'..='\u{3ffff}')
}

/// Calls `found` with the pairs of letters of a word in a script without spaces, folded; `None` if it is in
/// another script.
pub(super) fn pairs(word: &str, mut found: impl FnMut(&str)) -> Option<()> {
    if word.is_ascii() || !word.chars().any(is_ideographic) {
        return None;
    }
    // Most such letters stay as they are.
    let folded = if word.chars().all(|letter| matches!(letter, '\u{3400}'..='\u{9fff}')) {
        Cow::Borrowed(word)
    } else {
        let letters = word.nfkd().filter(|letter| !is_combining_mark(*letter));
        Cow::Owned(letters.flat_map(char::to_lowercase).collect())
    };
    let mut before = None;
    for (at, letter) in folded.char_indices() {
        if let Some(before) = before {
            found(&folded[before..at + letter.len_utf8()]);
        }
        before = Some(at);
    }
    if before == Some(0) {
        found(&folded);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::{super::stem::Stemmer, tokenize};

    fn terms(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        tokenize(text, Stemmer::of("en"), |term| found.push(term.to_owned()));
        found
    }

    #[test]
    fn forms_of_a_word_are_one_term() {
        for forms in FORMS.lines() {
            let stems = terms(forms);
            assert!(stems.iter().all(|stem| *stem == stems[0]), "{forms}: {stems:?}");
        }
        for different in
            ["note not", "status state", "state stats", "section session", "format form"]
        {
            let stems = terms(different);
            assert_ne!(stems[0], stems[1], "{different}");
        }
    }

    /// `tests/browser/search.test.mjs` contains the same lines.
    const FORMS: &str = "migrate migrates migrated migrating migration migrations
run runs running
schedule schedules scheduled scheduling
price prices pricing
cache caches cached caching
install installs installed installing installation
configure configured configuring configuration
validate validates validating validation
deploy deploys deployed deploying deployment deployments
manage managed managing management
stop stopped stopping
create creates created creating creation
local locally
automatic automatically
exceed exceeds exceeded
policy policies";

    #[test]
    fn words_become_terms() {
        assert_eq!(terms("Installing the CLIs"), ["install", "the", "cli"]);
        assert_eq!(
            terms("useState snake_case"),
            ["usest", "use", "state", "snake_case", "snak", "case"]
        );
        assert_eq!(terms("Café naïve"), ["cafe", "naiv"]);
        assert_eq!(terms("快速入门"), ["快速", "速入", "入门"]);
        assert_eq!(terms("policies classes status"), ["policy", "class", "status"]);
        assert_eq!(
            terms("Self-host a co-op-x1"),
            ["self", "host", "selfhost", "a", "co", "op", "x1"]
        );
    }
}
