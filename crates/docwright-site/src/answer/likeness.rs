//! Groups questions that ask the same in other words, by the stems that the search has of them.
//!
//! A question joins the group whose first question shares most of its stems, and one in the same words that of the
//! earlier one. Only groups that share a stem are compared, and of each stem only the latest ones, so the cost of a
//! question doesn't depend on the number of questions. The same questions in the same order make the same groups.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::search::{ContentTerms, terms_in};

/// Stems of a question that count.
const MAXIMUM_TERMS: usize = 24;
/// Groups of one stem that a question is compared with.
const MAXIMUM_GROUPS: usize = 32;
/// The least share of stems that alike questions have in common.
const ALIKE: f64 = 0.5;

/// A question to group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AskedQuestion<'a> {
    /// The question.
    pub text: &'a str,
    /// Code of its language. Questions in different languages are never alike.
    pub language: &'a str,
}

/// The groups of questions, as numbers of the questions: in the order of their first questions. A question without
/// any word is alike to those that are written the same.
pub fn group(questions: &[AskedQuestion<'_>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<(Vec<String>, Vec<usize>)> = Vec::new();
    let mut by_term: FxHashMap<(&str, String), Vec<usize>> = FxHashMap::default();
    let mut by_words: FxHashMap<(&str, &str), usize> = FxHashMap::default();
    let by_language = content_terms(questions);
    for (number, question) in questions.iter().enumerate() {
        let words = (question.language, question.text.trim());
        if let Some(group) = by_words.get(&words) {
            groups[*group].1.push(number);
            continue;
        }
        let terms = terms(question, &by_language[question.language]);
        let mut shared: FxHashMap<usize, usize> = FxHashMap::default();
        for term in &terms {
            let known = by_term.get(&(question.language, term.clone()));
            for group in known.into_iter().flatten().rev().take(MAXIMUM_GROUPS) {
                *shared.entry(*group).or_default() += 1;
            }
        }
        let likeness = |(group, shared): (usize, usize)| {
            let all = terms.len() + groups[group].0.len() - shared;
            #[expect(clippy::cast_precision_loss, reason = "at most 48 stems")]
            let share = shared as f64 / all as f64;
            (group, share)
        };
        let best = shared.into_iter().map(likeness).filter(|(_, share)| *share >= ALIKE);
        // Of equally alike groups, the earliest: the order of a map means nothing.
        let best = best.max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(&one.0)));
        let group = best.map_or(groups.len(), |(group, _)| group);
        by_words.insert(words, group);
        if let Some((_, members)) = groups.get_mut(group) {
            members.push(number);
            continue;
        }
        for term in &terms {
            by_term.entry((question.language, term.clone())).or_default().push(groups.len());
        }
        groups.push((terms, vec![number]));
    }
    groups.into_iter().map(|(_, members)| members).collect()
}

/// For each question, the numbers of the texts that share stems with it, at most `most`: those that share the rarest
/// ones first, and of equal ones the first.
pub fn nearest(questions: &[AskedQuestion<'_>], texts: &[String], most: usize) -> Vec<Vec<usize>> {
    let mut by_term: FxHashMap<(&str, String), Vec<usize>> = FxHashMap::default();
    let by_language = content_terms(questions);
    for (language, content) in &by_language {
        for (number, text) in texts.iter().enumerate() {
            for term in content.of(text) {
                by_term.entry((*language, term)).or_default().push(number);
            }
        }
    }
    let of_question = |question: &AskedQuestion<'_>| {
        let mut weights: FxHashMap<usize, f64> = FxHashMap::default();
        for term in terms(question, &by_language[question.language]) {
            let Some(found) = by_term.get(&(question.language, term)) else { continue };
            #[expect(clippy::cast_precision_loss, reason = "a site has fewer than 2^52 pages")]
            let weight = 1.0 / found.len() as f64;
            for number in found {
                *weights.entry(*number).or_default() += weight;
            }
        }
        let mut ranked: Vec<_> = weights.into_iter().collect();
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        ranked.into_iter().take(most).map(|(number, _)| number).collect()
    };
    questions.iter().map(of_question).collect()
}

/// Finds the content terms of questions, by their languages.
fn content_terms<'a>(questions: &[AskedQuestion<'a>]) -> BTreeMap<&'a str, ContentTerms<'a>> {
    let languages: BTreeSet<_> = questions.iter().map(|question| question.language).collect();
    languages.into_iter().map(|language| (language, ContentTerms::new(language))).collect()
}

/// The stems that tell what a question is about, sorted.
fn terms(question: &AskedQuestion<'_>, content: &ContentTerms<'_>) -> Vec<String> {
    let mut terms: Vec<String> = content.of(question.text).into_iter().collect();
    if terms.is_empty() {
        terms = terms_in(question.language, question.text).into_iter().collect();
    }
    if terms.is_empty() {
        return vec![question.text.trim().to_owned()];
    }
    terms.sort_unstable();
    terms.truncate(MAXIMUM_TERMS);
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(questions: &[&str]) -> Vec<Vec<usize>> {
        let asked: Vec<_> =
            questions.iter().map(|text| AskedQuestion { text, language: "en" }).collect();
        group(&asked)
    }

    #[test]
    fn same_question_in_other_words_is_alike() {
        let found = groups(&[
            "How do I rotate a token?",
            "Can I get a refund?",
            "rotating my API tokens",
            "refunds",
            "How do I delete a token?",
            "???",
            "???",
        ]);
        assert_eq!(found, [vec![0, 2], vec![1, 3], vec![4], vec![5, 6]]);
    }

    #[test]
    fn languages_are_never_mixed() {
        let asked = ["en", "de"].map(|language| AskedQuestion { text: "Export", language });
        assert_eq!(group(&asked).len(), 2);
    }

    #[test]
    fn cost_is_bounded_for_each_question() {
        // All share a word, and each has another one, so each is a group of its own.
        let texts: Vec<_> =
            (0..20_000).map(|number| format!("token a{number} b{number}")).collect();
        let asked: Vec<_> =
            texts.iter().map(|text| AskedQuestion { text, language: "en" }).collect();
        assert_eq!(group(&asked).len(), texts.len());
        // Alike ones are found although others came in between.
        let mut again = asked.clone();
        again.push(AskedQuestion { text: "token a7 b7", language: "en" });
        assert_eq!(group(&again)[7], [7, 20_000]);
    }

    #[test]
    fn texts_that_share_rare_words_are_nearest() {
        let texts = ["Install the server", "Configure the server", "Rotate an API key", "Billing"];
        let texts = texts.map(str::to_owned);
        let question = |text| AskedQuestion { text, language: "en" };
        let asked = ["installing servers", "keys of the server", "kubernetes", "the"].map(question);
        assert_eq!(nearest(&asked, &texts, 2), [vec![0, 1], vec![2, 0], vec![], vec![]]);
    }
}
