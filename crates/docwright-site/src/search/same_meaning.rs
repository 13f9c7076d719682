//! The pages of synonyms, as lines beside the terms that they stand for: a query for `pr` finds the pages with
//! `pull request` in the same file, without another one.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::{
    counting::{CountedPage, Posting, Unit, UnitKind},
    index::Entry,
    postings::push,
    synonyms::Group,
};

/// Blocks of a page that are compared.
const MOST_BLOCKS: usize = 50;
/// Maximum number of pages of a name.
const MOST_PAGES: usize = 300;

/// The pages that other names of the same thing have.
#[derive(Debug)]
pub(super) struct SameMeaning {
    /// The terms of a name with `+` between them, then `=` and the certainty in tenths.
    key: String,
    pages: BTreeMap<u32, (Posting, Vec<Unit>)>,
}

impl SameMeaning {
    /// The line of the name.
    pub(super) fn line(&self, with_text: bool) -> String {
        let mut line = format!("{} ", self.key);
        let mut last = 0;
        for (page, (posting, units)) in &self.pages {
            push(&mut line, (page - last) as usize, (posting, units), with_text);
            last = *page;
        }
        line.push('\n');
        line
    }

    fn add(&mut self, page: u32, posting: &Posting, units: &[Unit]) {
        let known = self.pages.entry(page).or_default();
        known.0.weight = known.0.weight.max(posting.weight);
        known.0.names |= posting.names;
        for unit in units {
            match known.1.iter_mut().find(|each| each.block == unit.block) {
                Some(each) if each.kind < unit.kind => *each = *unit,
                Some(_) => {}
                None => known.1.push(*unit),
            }
        }
        known.1.sort_by_key(|unit| unit.block);
    }

    /// Leaves the pages where the names weigh most.
    fn limit(&mut self) {
        if self.pages.len() > MOST_PAGES {
            let mut weights: Vec<u8> =
                self.pages.values().map(|(posting, _)| posting.weight).collect();
            weights.sort_unstable_by(|one, other| other.cmp(one));
            let least = weights[MOST_PAGES];
            self.pages.retain(|_, (posting, _)| posting.weight > least);
        }
    }
}

/// The pages of each name of the groups, by the terms of the site.
pub(super) fn pages(
    groups: &[Group],
    terms: &[(&str, Vec<Entry>)],
    counted: &[&CountedPage],
    skipped: &BTreeSet<String>,
) -> Vec<SameMeaning> {
    let find = |term: &str| {
        let place = terms.binary_search_by_key(&term, |(term, _)| term).ok()?;
        Some(&*terms[place].1)
    };
    let mut found: BTreeMap<String, SameMeaning> = BTreeMap::new();
    for group in groups {
        for (number, name) in group.names.iter().enumerate() {
            let key = format!("{}={}", name.join("+"), group.certainty);
            let others = group.names.iter().enumerate().filter(|(other, _)| *other != number);
            for (_, other) in others {
                let telling: Vec<_> =
                    other.iter().filter(|term| !skipped.contains(*term)).collect();
                // Without its stop words, `log in` is another thing.
                if telling.len() == 1 && other.len() > 1 {
                    continue;
                }
                let lists: Option<Vec<_>> = telling.iter().map(|term| find(term)).collect();
                let Some(lists) = lists.filter(|lists| !lists.is_empty()) else { continue };
                let same = found
                    .entry(key.clone())
                    .or_insert_with(|| SameMeaning { key: key.clone(), pages: BTreeMap::new() });
                with_all(&lists, counted, |page, posting, units| same.add(page, posting, units));
            }
        }
    }
    let mut found: Vec<_> = found.into_values().filter(|each| !each.pages.is_empty()).collect();
    found.iter_mut().for_each(SameMeaning::limit);
    found
}

/// Calls `found` with the pages that have all terms in one block, or in the title.
pub(super) fn with_all(
    lists: &[&[Entry]],
    counted: &[&CountedPage],
    mut found: impl FnMut(u32, &Posting, &[Unit]),
) {
    let [first, others @ ..] = lists else { return };
    let others: Vec<FxHashMap<u32, &Posting>> = others
        .iter()
        .map(|list| list.iter().map(|(page, posting)| (*page, posting)).collect())
        .collect();
    for (page, posting) in *first {
        let counted = counted[*page as usize];
        let mut posting = posting.clone();
        let mut units: Vec<_> = counted.units(&posting).iter().take(MOST_BLOCKS).copied().collect();
        let has_all = others.iter().all(|list| {
            let Some(other) = list.get(page) else { return false };
            posting.weight = posting.weight.min(other.weight);
            posting.names &= other.names;
            let other = counted.units(other);
            let other = &other[..other.len().min(MOST_BLOCKS)];
            units.retain_mut(|unit| {
                let Some(same) = other.iter().find(|each| each.block == unit.block) else {
                    return false;
                };
                unit.kind = unit.kind.min(same.kind).min(UnitKind::Heading);
                true
            });
            !units.is_empty() || posting.names != 0
        });
        if has_all {
            found(*page, &posting, &units);
        }
    }
}
