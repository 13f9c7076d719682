//! How much of a question a text covers, and whether that answers it.
//!
//! A word weighs as much as it is rare on the site. A name that no page has weighs most: a question about another
//! product shares all its other words with the pages.

use crate::search::{RankedSections, terms_in};

/// The least share of a question that the best section must cover.
const ENOUGH: f64 = 0.6;
/// The weight of an unknown name, of a common word, and of any other unknown word, in weights of a word that is
/// on one page.
const UNKNOWN_NAME: f64 = 1.5;
const UNKNOWN_COMMON: f64 = 0.15;
const UNKNOWN_WORD: f64 = 0.8;
/// How much of a word is covered by one that is spelled similarly.
const SIMILAR: f64 = 0.5;

/// The words of a question with their weights.
#[derive(Debug)]
pub(super) struct Coverage {
    language: String,
    words: Vec<Word>,
    total: f64,
}

#[derive(Debug)]
struct Word {
    weight: f64,
    /// Each with how certain it is.
    terms: Vec<(String, f64)>,
}

impl Coverage {
    pub(super) fn new(ranked: &RankedSections, question: &str, language: &str) -> Self {
        let names = names(question);
        let telling = ranked.words.iter().filter(|word| !word.is_stop_word);
        let rarest = ranked.rarest.max(1.0);
        let words: Vec<Word> = telling
            .map(|word| {
                let is_name = names.contains(&word.word);
                let (weight, sure) = if word.is_known {
                    (word.rarity, 1.0)
                } else if is_name {
                    (UNKNOWN_NAME * rarest, 0.0)
                } else if word.is_common {
                    (UNKNOWN_COMMON * rarest, SIMILAR)
                } else {
                    (UNKNOWN_WORD * rarest, SIMILAR)
                };
                let terms = word.terms.iter().map(|(term, own)| (term.clone(), own * sure));
                Word { weight, terms: terms.collect() }
            })
            .collect();
        let total = words.iter().map(|word| word.weight).sum();
        Self { language: language.to_owned(), words, total }
    }

    /// The share of the question that a text covers, from 0 to 1.
    pub(super) fn of(&self, text: &str) -> f64 {
        if self.total <= 0.0 {
            return 0.0;
        }
        let terms = terms_in(&self.language, text);
        let covered = self.words.iter().map(|word| {
            let sure = word.terms.iter().filter(|(term, _)| terms.contains(term));
            word.weight * sure.map(|(_, sure)| *sure).fold(0.0, f64::max)
        });
        covered.sum::<f64>() / self.total
    }

    /// Whether pages answer the question, by the share that their best section covers.
    pub(super) fn answers(&self, covered: f64) -> bool {
        covered >= ENOUGH
    }
}

/// The words of a question that are written like names: with a capital inside a sentence, or with a digit,
/// underscore, or capital after their first letter. In lower case.
fn names(question: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut starts_sentence = true;
    for word in question.split_whitespace() {
        for part in word.split(|letter: char| !letter.is_alphanumeric() && letter != '_') {
            let mut letters = part.chars();
            let Some(first) = letters.next() else { continue };
            let is_marked = letters.any(|letter| letter.is_uppercase() || letter == '_')
                || first.is_alphabetic() && part.chars().any(|letter| letter.is_numeric());
            if is_marked || first.is_uppercase() && !starts_sentence {
                names.push(part.to_lowercase());
            }
            starts_sentence = false;
        }
        starts_sentence |= word.ends_with(['.', '?', '!', ':']);
    }
    names
}
