//! Words of readers for which documentation often has another word, as pointers beside the terms: a query for `hotkeys`
//! looks up `shortcut` if the site never says hotkey.
//!
//! A pointer is a line of a chunk of terms: the terms of a name with `+` between them, `>`, a space, and the names that
//! it leads to. It has no postings, so it costs few bytes, and readers load the other words only for queries that need
//! them. `browser/words.js` reads it.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    counting::{CountedPage, IN_TITLE, Posting},
    index::Entry,
    postings::push,
    same_meaning::with_all,
    stem::Stemmer,
    synonyms::terms,
};

/// Groups of names of each language, one a line. Names with several words are phrases.
const GROUPS: &[(&str, &str)] =
    &[("en", include_str!("alike.txt")), ("zh", CHINESE), ("cn", CHINESE)];
const CHINESE: &str = include_str!("alike-zh.txt");
/// Share of the pages up to which a word is so rare that others are looked up.
const FEW_PAGES: f64 = 0.01;
/// How certainly a word of a title stands for another one, in tenths.
const IN_TITLES: u8 = 4;
/// Share of the pages above which such titles tell nothing.
const MOST_TITLES: f64 = 0.15;
/// Names that one leads to, at most: each can load a file.
const MOST: usize = 4;

/// The lines of an index in a language. A word or phrase that the site hardly has gets a pointer. A word that it has gets
/// the pages with another word in their title, which tells more than one in their text.
pub(super) fn lines(
    language: &str,
    found: &[(&str, Vec<Entry>)],
    counted: &[&CountedPage],
    stemmer: Stemmer,
    skipped: &BTreeSet<String>,
) -> Vec<String> {
    let code = language.split(['-', '_']).next().unwrap_or_default();
    let groups = GROUPS.iter().find(|(language, _)| *language == code).map_or("", |found| found.1);
    let entries = |term: &str| {
        let place = found.binary_search_by_key(&term, |(term, _)| term).ok();
        place.map_or(&[][..], |place| &found[place].1)
    };
    // The number of pages with a name: its words are in one block.
    let pages_with = |name: &[String]| {
        let lists: Vec<_> = name.iter().map(|term| entries(term)).collect();
        let mut count = 0;
        with_all(&lists, counted, |_, _, _| count += 1);
        count
    };
    #[expect(clippy::cast_precision_loss, reason = "fewer pages than 2^52")]
    let is_below = |count: usize, share: f64| count as f64 <= share * counted.len() as f64;
    let mut pointers: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut titles: BTreeMap<String, BTreeMap<u32, u8>> = BTreeMap::new();
    for group in groups.lines() {
        let names = group.split(", ").filter_map(|name| telling(name, stemmer, skipped));
        let names: Vec<_> = names.map(|name| (name.join("+"), name)).collect();
        for (key, name) in &names {
            let others = names.iter().filter(|(other, _)| other != key);
            if is_below(pages_with(name), FEW_PAGES) {
                let known =
                    others.filter(|(_, terms)| terms.iter().all(|term| !entries(term).is_empty()));
                let targets = pointers.entry(key.clone()).or_default();
                for (other, _) in known {
                    if targets.len() < MOST && !targets.contains(other) {
                        targets.push(other.clone());
                    }
                }
            } else {
                let pages = others.flat_map(|(other, _)| entries(other));
                let titled = pages.filter(|(_, posting)| posting.names & IN_TITLE != 0);
                let known = titles.entry(key.clone()).or_default();
                known.extend(titled.map(|(page, posting)| (*page, posting.weight)));
            }
        }
    }
    pointers.retain(|_, targets| !targets.is_empty());
    titles.retain(|_, known| !known.is_empty() && is_below(known.len(), MOST_TITLES));
    let pointers = pointers.iter().map(|(key, targets)| format!("{key}> {}\n", targets.join(" ")));
    pointers.chain(titles.iter().map(|(key, pages)| titles_line(key, pages))).collect()
}

/// The line of the pages that have another word in their title.
fn titles_line(key: &str, pages: &BTreeMap<u32, u8>) -> String {
    let mut line = format!("{key}={IN_TITLES} ");
    let mut last = 0;
    for (page, weight) in pages {
        let posting = Posting { weight: *weight, names: IN_TITLE, ..Posting::default() };
        push(&mut line, (page - last) as usize, (&posting, &[]), false);
        last = *page;
    }
    line.push('\n');
    line
}

/// The terms of a name without stop words; nothing if only one of several is left, which means something else.
fn telling(name: &str, stemmer: Stemmer, skipped: &BTreeSet<String>) -> Option<Vec<String>> {
    let all = terms(name, stemmer);
    let telling: Vec<_> = all.iter().filter(|term| !skipped.contains(*term)).cloned().collect();
    let is_whole = telling.len() > 1 || telling.len() == all.len();
    (is_whole && !telling.is_empty()).then_some(telling)
}
