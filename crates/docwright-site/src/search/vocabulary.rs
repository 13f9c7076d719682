//! The words of a site that mistyped ones are compared with.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::postings::push_base36;

/// Maximum number of words.
const MOST: usize = 7_000;

/// The most common words, each as its most common form: the letters that it shares with the word before as one
/// digit, the others, and a capital letter that doubles with the pages that have it. `pages` has the number of
/// pages by term.
pub(super) fn text<'a>(
    forms: impl Iterator<Item = (&'a str, Cow<'a, str>, u32)>,
    pages: &FxHashMap<&str, usize>,
) -> String {
    let mut counts: FxHashMap<Cow<'_, str>, (u32, &str)> = FxHashMap::default();
    for (term, form, count) in forms {
        counts.entry(form).or_insert((0, term)).0 += count;
    }
    let mut best: FxHashMap<&str, (u32, &str)> = FxHashMap::default();
    for (form, (count, term)) in &counts {
        let known = best.entry(term).or_default();
        if (*count, known.1) > (known.0, form) {
            *known = (*count, form);
        }
    }
    let mut words: Vec<_> =
        best.into_iter().filter_map(|(term, (_, form))| Some((*pages.get(term)?, form))).collect();
    words.sort_unstable_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(other.1)));
    words.truncate(MOST);
    words.sort_unstable_by_key(|(_, form)| *form);
    words.dedup_by_key(|(_, form)| *form);
    encode(&words)
}

fn encode(words: &[(usize, &str)]) -> String {
    let mut text = String::new();
    let mut before = "";
    for (pages, word) in words {
        let letters = word.chars().zip(before.chars());
        let shared = letters.take_while(|(one, other)| one == other).count();
        push_base36(&mut text, shared.min(35));
        text.extend(word.chars().skip(shared.min(35)));
        text.push(char::from(b'A' + u8::try_from(pages.ilog2().min(25)).unwrap_or(0)));
        before = word;
    }
    text
}

/// Whether readers type a word and can mistype it: letters with at most a few digits.
pub(super) fn is_word(form: &str) -> bool {
    let digits = form.bytes().filter(u8::is_ascii_digit).count();
    form.chars().count() > 2
        && digits < 3
        && !form.starts_with(|letter: char| letter.is_ascii_digit())
        && !form.chars().any(super::tokenize::is_ideographic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_share_their_beginnings() {
        let words = [(1, "deploy"), (5, "deploying"), (9, "run")];
        assert_eq!(encode(&words), "0deployA6ingC0runD");
    }

    #[test]
    fn most_common_form_stands_for_a_term() {
        let forms = [("price", "prices".into(), 1), ("price", "pricing".into(), 4)];
        let pages = FxHashMap::from_iter([("price", 4)]);
        assert!(is_word("pricing") && !is_word("x1") && !is_word("2024"));
        assert_eq!(text(forms.into_iter(), &pages), "0pricingC");
    }
}
