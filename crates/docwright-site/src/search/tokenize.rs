//! Text to terms. `browser/engine.js` does the same to a query.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Longer words are cut. Characters.
const MAXIMUM_LENGTH: usize = 32;

/// Calls `found` with each term of a text, in order. A word of several parts (`useState`,
/// `snake_case`) gives itself and its parts; scripts without spaces give pairs of characters.
pub fn tokenize(text: &str, mut found: impl FnMut(&str)) {
    let mut word = String::new();
    for letter in text.chars().chain([' ']) {
        if letter.is_alphanumeric() || letter == '_' || is_combining_mark(letter) {
            word.push(letter);
        } else if !word.is_empty() {
            take(&word, &mut found);
            word.clear();
        }
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

/// A word without the commonest English endings; both sides do the same, so what matters is only
/// that words that belong together fall together.
pub(super) fn stem(word: &str) -> String {
    let word: String = word.chars().take(MAXIMUM_LENGTH).collect();
    let plain = word.bytes().all(|byte| byte.is_ascii_lowercase());
    if !plain {
        return word;
    }
    let cut =
        |ending: &str, least: usize| word.strip_suffix(ending).filter(|_| word.len() >= least);
    if let Some(stem) = cut("ies", 6) {
        return format!("{stem}y");
    }
    let stem = cut("ing", 7)
        .or_else(|| cut("ed", 6))
        .or_else(|| cut("es", 7).filter(|stem| stem.ends_with(['s', 'x', 'h'])));
    let stem = stem.or_else(|| cut("s", 4).filter(|stem| !stem.ends_with(['s', 'u'])));
    stem.map_or_else(|| word.clone(), str::to_owned)
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
    fn words_become_terms() {
        assert_eq!(terms("Installing the CLIs"), ["install", "the", "cli"]);
        assert_eq!(
            terms("useState snake_case"),
            ["usestate", "use", "state", "snake_case", "snake", "case"]
        );
        assert_eq!(terms("Café naïve"), ["cafe", "naive"]);
        assert_eq!(terms("快速入门"), ["快速", "速入", "入门"]);
        assert_eq!(terms("policies classes status"), ["policy", "class", "status"]);
    }
}
