//! Splits text into terms. `browser/terms.js` does the same with queries.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Maximum length of a word in characters. Longer words are cut.
const MAXIMUM_LENGTH: usize = 32;

/// Calls `found` with each term of a text, in order. A word with several parts (`useState`, `snake_case`) gives
/// the word and its parts. A word with hyphens gives its parts and the joined word (`self-host`, `selfhost`).
/// Scripts without spaces give pairs of characters.
pub fn tokenize(text: &str, mut found: impl FnMut(&str)) {
    let mut word = String::new();
    let mut whole = Hyphenated::default();
    for letter in text.chars().chain([' ']) {
        if letter.is_alphanumeric() || letter == '_' || is_combining_mark(letter) {
            word.push(letter);
            continue;
        }
        if !word.is_empty() {
            take(&word, &mut found);
            whole.push(&word);
            word.clear();
            if letter == '-' {
                continue;
            }
        }
        whole.end(&mut found);
    }
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

    fn end(&mut self, found: &mut impl FnMut(&str)) {
        if self.words > 1 && !self.broken && self.letters.len() <= MAXIMUM_LENGTH {
            found(&stem(&self.letters.to_ascii_lowercase()));
        }
        self.letters.clear();
        (self.words, self.broken) = (0, false);
    }
}

fn take(word: &str, found: &mut impl FnMut(&str)) {
    if word.is_ascii() {
        found(&stem(&word.to_ascii_lowercase()));
    } else {
        let folded = fold(word);
        if folded.chars().any(is_ideographic) {
            pairs(&folded, found);
            return;
        }
        found(&stem(&folded));
    }
    let parts = parts(word);
    if parts.len() > 1 {
        for part in parts.iter().filter(|part| part.len() > 1) {
            found(&stem(&fold(part)));
        }
    }
}

/// Lower case, without accents, cut to length.
fn fold(word: &str) -> String {
    word.nfkd()
        .filter(|letter| !is_combining_mark(*letter))
        .flat_map(char::to_lowercase)
        .take(MAXIMUM_LENGTH)
        .collect()
}

/// A word without the most common English endings. The index and queries use the same rules, so related words
/// only need the same stem: `migrates`, `migrating`, `migration`.
pub(super) fn stem(word: &str) -> String {
    let mut word: String = word.chars().take(MAXIMUM_LENGTH).collect();
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        singular(&mut word);
        if verb(&mut word) && word.len() > 6 && word.ends_with("at") {
            word.truncate(word.len() - 2);
        }
    }
    word
}

/// Removes an ending from words of at least `least` letters.
fn cut(word: &mut String, ending: &str, least: usize) -> bool {
    let cuts = word.len() >= least && word.ends_with(ending);
    if cuts {
        word.truncate(word.len() - ending.len());
    }
    cuts
}

fn singular(word: &mut String) {
    if cut(word, "ies", 6) {
        word.push('y');
        return;
    }
    let sibilant = ["ses", "xes", "hes"].iter().any(|ending| word.ends_with(ending));
    if sibilant && cut(word, "es", 6) || word.ends_with("ss") || word.ends_with("us") {
        return;
    }
    cut(word, "s", 4);
}

/// Cuts the endings of verbs, nouns derived from verbs, and adverbs. Returns whether one was cut.
fn verb(word: &mut String) -> bool {
    if cut(word, "ically", 8) {
        word.push_str("ic");
        return false;
    }
    if word.ends_with("ally") {
        cut(word, "ly", 7);
        return false;
    }
    if cut(word, "ing", 7) || !word.ends_with("eed") && cut(word, "ed", 6) {
        let mut letters = word.bytes().rev();
        if let (Some(last), Some(before)) = (letters.next(), letters.next())
            && last == before
            && b"bdgmnprt".contains(&last)
        {
            word.pop();
        }
        last_e(word);
        return true;
    }
    let noun = cut(word, "ment", 10)
        || (word.ends_with("tion") || word.ends_with("sion")) && cut(word, "ion", 8);
    last_e(word) || noun
}

/// Cuts a final `e`, since `pricing` lost that of `price`. `state` must not become the stem of `stats`.
fn last_e(word: &mut String) -> bool {
    let short = word.len() == 5 && word.ends_with("ate");
    !short && cut(word, "e", 5)
}

/// Parts of a compound: at underscores, and where a capital follows a small letter.
fn parts(word: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut small = false;
    for letter in word.chars() {
        if letter == '_' || letter.is_uppercase() && small {
            parts.push(String::new());
        }
        if letter != '_'
            && let Some(part) = parts.last_mut()
        {
            part.push(letter);
        }
        small = letter.is_lowercase() || letter.is_numeric();
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn is_ideographic(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{1100}'..='\u{11ff}' | '\u{20000}'..='\u{3ffff}')
}

fn pairs(word: &str, found: &mut impl FnMut(&str)) {
    let letters: Vec<char> = word.chars().collect();
    if let [letter] = letters.as_slice() {
        found(&letter.to_string());
    }
    for pair in letters.windows(2) {
        found(&pair.iter().collect::<String>());
    }
}

#[cfg(test)]
mod tests {
    use super::tokenize;

    fn terms(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        tokenize(text, |term| found.push(term.to_owned()));
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
