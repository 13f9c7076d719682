//! How much of a question a text covers, and whether that answers it.
//!
//! A word weighs as much as it is rare on the site. A name that no page has weighs most: a question about another
//! product shares all its other words with the pages.

use crate::search::{QuestionWord, RankedSections, folded, terms_in};

/// The least share of a question that the best section must cover.
const ENOUGH: f64 = 0.6;
/// The weight of an unknown name, of a common word, and of any other unknown word, in weights of a word that is
/// on one page.
const UNKNOWN_NAME: f64 = 1.5;
const UNKNOWN_COMMON: f64 = 0.15;
const UNKNOWN_WORD: f64 = 0.8;
/// The weight of an unknown word in a language whose common words aren't known.
const UNKNOWN_ELSEWHERE: f64 = 0.3;
/// The weight of a mistyped word, which is as certain as its correction.
const MISTYPED: f64 = 0.5;
/// How certain a correction must be, and how long its word, so that the word counts as mistyped.
const LIKELY: f64 = 0.84;
const LEAST_LETTERS: usize = 5;
/// How much of another unknown word is covered by one that is spelled similarly.
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
        let is_english = is_in(language, "en");
        // German writes every noun with a capital.
        let names = names(question, !is_in(language, "de"));
        let unknown = if is_english { UNKNOWN_WORD } else { UNKNOWN_ELSEWHERE };
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
                } else if is_mistyped(word) {
                    (MISTYPED * rarest, 1.0)
                } else {
                    (unknown * rarest, SIMILAR)
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
}

/// Whether pages answer a question, by the share of it that their best section covers.
pub(super) fn is_enough(covered: f64) -> bool {
    covered >= ENOUGH
}

/// Whether an unknown word is close to one of the site.
fn is_mistyped(word: &QuestionWord) -> bool {
    word.word.chars().count() >= LEAST_LETTERS && word.terms.iter().any(|(_, sure)| *sure > LIKELY)
}

/// Whether a language code is of a language.
fn is_in(language: &str, wanted: &str) -> bool {
    language.split(['-', '_']).next() == Some(wanted)
}

/// The words of a question that are written like names, in lower case: with a digit, underscore, or capital after
/// their first letter, or with a capital inside a sentence if `capitals` tell anything.
fn names(question: &str, capitals: bool) -> Vec<String> {
    let mut names = Vec::new();
    let mut words = 0;
    let mut starts_sentence = true;
    for word in question.split_whitespace() {
        for part in word.split(|letter: char| !letter.is_alphanumeric() && letter != '_') {
            let mut letters = part.chars();
            let Some(first) = letters.next() else { continue };
            let is_marked = letters.any(|letter| letter.is_uppercase() || letter == '_')
                || first.is_alphabetic() && part.chars().any(char::is_numeric);
            if is_marked || capitals && first.is_uppercase() && !starts_sentence {
                names.push(folded(part));
            }
            starts_sentence = false;
            words += 1;
        }
        starts_sentence |= word.ends_with(['.', '?', '!', ':']);
    }
    // Capitals tell nothing in a question that is written in them.
    if words > 2 && 4 * names.len() > 3 * words { Vec::new() } else { names }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(word: &str, rarity: f64, is_known: bool, is_common: bool) -> QuestionWord {
        QuestionWord {
            word: word.to_owned(),
            rarity,
            is_common,
            is_stop_word: false,
            is_known,
            terms: if is_known { vec![(word.to_owned(), 1.0)] } else { Vec::new() },
        }
    }

    fn answers(words: Vec<QuestionWord>, question: &str, text: &str) -> bool {
        let ranked = RankedSections { words, rarest: 5.0, ..RankedSections::default() };
        let coverage = Coverage::new(&ranked, question, "en");
        is_enough(coverage.of(text))
    }

    #[test]
    fn unknown_name_outweighs_known_words() {
        let known =
            |name| vec![word("deploy", 3.0, true, false), word("bot", 2.0, true, false), name];
        let text = "deploy a bot";
        assert!(!answers(
            known(word("heroku", 0.0, false, false)),
            "How do I deploy a bot to Heroku?",
            text
        ));
        assert!(!answers(
            known(word("heroku", 0.0, false, false)),
            "how do i deploy a bot to heroku",
            text
        ));
        assert!(answers(
            known(word("quickly", 0.0, false, true)),
            "How do I deploy a bot quickly?",
            text
        ));
    }

    #[test]
    fn mistyped_word_counts_as_its_correction() {
        let mistyped = |sure| {
            let mut word = word("webhok", 0.0, false, false);
            word.terms = vec![("webhook".to_owned(), sure)];
            vec![super::tests::word("secret", 3.0, true, false), word]
        };
        assert!(answers(mistyped(0.85), "What is the secret of a webhok?", "secret of a webhook"));
        assert!(!answers(mistyped(0.85), "What is the secret of a Webhok?", "secret of a webhook"));
        assert!(!answers(mistyped(0.5), "What is the secret of a webhok?", "secret of a webhook"));
    }

    #[test]
    fn rare_word_that_section_lacks_refuses() {
        let words = || vec![word("export", 2.0, true, false), word("ticket", 5.0, true, false)];
        assert!(answers(words(), "Can I export a ticket?", "export the ticket"));
        assert!(!answers(words(), "Can I export a ticket?", "export the pages"));
    }

    #[test]
    fn names_are_recognized_by_their_letters() {
        let found = names("Does Acme read API_KEY from v2? Yes, with OAuth.", true);
        assert_eq!(found, ["acme", "api_key", "v2", "oauth"]);
        assert_eq!(names("Wie lese ich den Schlüssel mit OAuth?", false), ["oauth"]);
        assert!(names("HOW DO I RESET MY PASSWORD", true).is_empty());
    }
}
