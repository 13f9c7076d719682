//! Abbreviations that pages explain: "pull request (PR)", "PR (pull request)".

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::Document;

/// Letters of an abbreviation.
const LETTERS: std::ops::RangeInclusive<usize> = 2..=6;
/// Maximum number of abbreviations of a site.
const MOST: usize = 200;
/// Bytes around a parenthesis that are read.
const NEAR: usize = 100;
/// Words around a parenthesis that are compared.
const WINDOW: usize = 8;

/// The abbreviations of some pages: each with what it is short for, in lower case, the most common reading only.
pub(super) fn learn(documents: &[Document]) -> Vec<(String, String)> {
    let mut readings: FxHashMap<(String, String), usize> = FxHashMap::default();
    for document in documents {
        let texts =
            document.body.sections.iter().flat_map(|section| [&section.heading, &section.text]);
        for text in texts.chain([&document.title, &document.description]) {
            explained(text, |short, long| {
                *readings.entry((short.to_lowercase(), long.to_lowercase())).or_default() += 1;
            });
        }
    }
    let mut best: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for ((short, long), count) in readings {
        let known = best.entry(short).or_default();
        if (count, &long) > (known.0, &known.1) {
            *known = (count, long);
        }
    }
    let mut found: Vec<_> =
        best.into_iter().map(|(short, (count, long))| (count, short, long)).collect();
    found.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    found.truncate(MOST);
    found.into_iter().map(|(_, short, long)| (short, long)).collect()
}

/// Calls `found` with each abbreviation of a text and its words.
fn explained(text: &str, mut found: impl FnMut(&str, &str)) {
    for (open, _) in text.match_indices('(') {
        let near = &text[open..text.floor_char_boundary(open + NEAR)];
        let Some(length) = near.find(')') else { continue };
        let inside = text[open + 1..open + length].trim();
        let before = text[text.ceil_char_boundary(open.saturating_sub(NEAR))..open].trim_end();
        if let Some(short) = abbreviation(inside) {
            if let Some(long) = words_for(short, before) {
                found(short, long);
            }
        } else if let Some(short) = before.rsplit(' ').next().and_then(abbreviation)
            && let Some(long) = words_for(short, inside)
            && long.len() == inside.len()
        {
            found(short, long);
        }
    }
}

/// A word as an abbreviation: capital letters, and perhaps the `s` of a plural.
fn abbreviation(word: &str) -> Option<&str> {
    let short = word.strip_suffix('s').unwrap_or(word);
    let fits =
        LETTERS.contains(&short.len()) && short.bytes().all(|byte| byte.is_ascii_uppercase());
    fits.then_some(short)
}

/// The words at the end of a text that an abbreviation is made of: each letter begins a word, in order.
fn words_for<'a>(short: &str, text: &'a str) -> Option<&'a str> {
    let is_gap = |letter: char| letter == ' ' || letter == '-';
    let mut starts: Vec<usize> = text
        .char_indices()
        .rev()
        .filter(|(at, letter)| {
            letter.is_alphanumeric() && text[..*at].chars().next_back().is_none_or(is_gap)
        })
        .map(|(at, _)| at)
        .take(WINDOW)
        .collect();
    starts.reverse();
    let count = short.len();
    let from = starts.len().checked_sub(count)?;
    let same = starts[from..].iter().zip(short.chars()).all(|(at, letter)| {
        text[*at..].chars().next().is_some_and(|first| first.eq_ignore_ascii_case(&letter))
    });
    let words = &text[starts[from]..];
    let plain = |letter: char| letter.is_alphanumeric() || letter == ' ' || letter == '-';
    (same && words.chars().all(plain)).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::explained;

    #[test]
    fn abbreviations_are_learned_in_both_orders() {
        let mut found = Vec::new();
        let text = "Open a pull request (PR). A PR (pull request) is small. Single sign-on (SSO) works. \
            Not this (API) one. Use JSON (see below). Large Language Models (LLMs).";
        explained(text, |short, long| found.push((short.to_owned(), long.to_owned())));
        let expected = [
            ("PR", "pull request"),
            ("PR", "pull request"),
            ("SSO", "Single sign-on"),
            ("LLM", "Large Language Models"),
        ];
        let expected = expected.map(|(short, long)| (short.to_owned(), long.to_owned()));
        assert_eq!(found, expected);
    }

    #[test]
    fn many_parentheses_take_no_time() {
        let text = "(é".repeat(2_000_000);
        explained(&text, |short, long| panic!("{short}: {long}"));
    }
}
