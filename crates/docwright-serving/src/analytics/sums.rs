//! Sums in memory, within limits: a reader who sends anything can't fill the memory or the database.

use std::{
    collections::{HashMap, HashSet, hash_map::Entry},
    hash::{BuildHasher, Hash, RandomState},
};

use docwright_storage::database::{AnalyticsBatch, ValueSum, ViewSum, Views};
use docwright_types::{
    analytics::Dimension,
    timestamp::{DAY, HOUR, Timestamp},
};

use super::{live::LiveSums, visit::Counted};

/// Sums that wait to be written. Beyond, only existing sums grow.
pub(super) const MAXIMUM_SUMS: usize = 100_000;
/// Values of a dimension in a day of a site, and of one of its pages. Further ones have one sum.
const VALUES_OF_SITE: u32 = 1_000;
const VALUES_OF_PAGE: u32 = 100;
/// Values in a day of all sites.
const VALUES: usize = 500_000;
/// Sums of a batch.
const BATCH: usize = 2_000;

/// A day, dimension, and page of a domain, and a value there.
type ValueKey = (String, Timestamp, Dimension, String, String);

/// Sums that aren't written yet.
#[derive(Debug, Default)]
pub(super) struct Sums {
    views: HashMap<(String, Timestamp, String), Views>,
    values: HashMap<ValueKey, i64>,
    known: KnownValues,
    live: LiveSums,
    /// Counts that were dropped at the limit.
    pub(super) dropped: u64,
}

/// The values of a day that this process counted, as hashes.
#[derive(Debug, Default)]
struct KnownValues {
    day: Timestamp,
    salt: RandomState,
    values: HashSet<u64>,
    counts: HashMap<u64, u32>,
}

impl Sums {
    /// Adds what counts of a visit to a domain at a time.
    pub(super) fn add(&mut self, domain: &str, counted: &Counted, now: Timestamp) {
        self.live.add(domain, counted, now);
        let (hour, day) = (now - now.rem_euclid(HOUR), now - now.rem_euclid(DAY));
        let is_full = self.views.len() + self.values.len() >= MAXIMUM_SUMS;
        if let (Some(page), Some(reader)) = (&counted.page, counted.view) {
            let key = (domain.to_owned(), hour, page.clone());
            match room(self.views.entry(key), is_full) {
                Some(views) => views[reader.index()] += 1,
                None => self.dropped += 1,
            }
        }
        for (dimension, value) in &counted.values {
            let page = counted.page.as_deref().filter(|_| dimension.is_by_page());
            let pages = [Some(""), page];
            for page in pages.into_iter().flatten() {
                let is_known = self.known.admit(day, (domain, *dimension, page), value);
                let value = if is_known { value.clone() } else { String::new() };
                let key = (domain.to_owned(), day, *dimension, page.to_owned(), value);
                match room(self.values.entry(key), is_full) {
                    Some(views) => *views += 1,
                    None => self.dropped += 1,
                }
            }
        }
    }

    /// Takes all sums, in batches.
    pub(super) fn take(&mut self) -> Vec<AnalyticsBatch> {
        let views = std::mem::take(&mut self.views).into_iter();
        let views =
            views.map(|((domain, hour, page), views)| ViewSum { domain, hour, page, views });
        let values = std::mem::take(&mut self.values).into_iter();
        let values = values.map(|((domain, day, dimension, page, value), views)| ValueSum {
            domain,
            day,
            dimension,
            page,
            value,
            views,
        });
        let (views, values): (Vec<_>, Vec<_>) = (views.collect(), values.collect());
        let views = views.chunks(BATCH).map(|part| AnalyticsBatch::new(part.to_vec(), Vec::new()));
        let values =
            values.chunks(BATCH).map(|part| AnalyticsBatch::new(Vec::new(), part.to_vec()));
        views.chain(values).chain(self.live.take()).collect()
    }
}

/// The value of an entry. A new one needs room.
fn room<K, V: Default>(entry: Entry<'_, K, V>, is_full: bool) -> Option<&mut V> {
    match entry {
        Entry::Occupied(entry) => Some(entry.into_mut()),
        Entry::Vacant(entry) => (!is_full).then(|| entry.insert(V::default())),
    }
}

impl KnownValues {
    /// Whether a value can have a sum of its own.
    fn admit(&mut self, day: Timestamp, of: (&str, Dimension, &str), value: &str) -> bool {
        if self.day != day {
            *self = Self { day, ..Self::default() };
        }
        let hash = self.salt.hash_one((of, value));
        if self.values.contains(&hash) {
            return true;
        }
        let limit = if of.2.is_empty() { VALUES_OF_SITE } else { VALUES_OF_PAGE };
        let count = self.counts.entry(hash_of(&self.salt, of)).or_default();
        if *count >= limit || self.values.len() >= VALUES {
            return false;
        }
        *count += 1;
        self.values.insert(hash)
    }
}

fn hash_of(salt: &RandomState, value: impl Hash) -> u64 {
    salt.hash_one(value)
}

#[cfg(test)]
mod tests {
    use docwright_types::analytics::Reader;

    use super::*;

    fn counted(page: Option<&str>, value: &str) -> Counted {
        let dimension = if page.is_some() { Dimension::Referrer } else { Dimension::OtherDeadLink };
        let values = vec![(dimension, value.to_owned())];
        let view = page.is_some().then_some(Reader::Human);
        Counted { view, page: page.map(str::to_owned), values }
    }

    #[test]
    fn sums_are_by_hour_page_and_value() {
        let mut sums = Sums::default();
        for (page, time) in [("a", 0), ("a", HOUR - 1), ("a", HOUR), ("b", HOUR)] {
            sums.add("d", &counted(Some(page), "r"), time);
        }
        let batches = sums.take();
        let mut views: Vec<_> = batches.iter().flat_map(|batch| &batch.views).collect();
        views.sort_by_key(|sum| (sum.hour, sum.page.clone()));
        let found: Vec<_> = views.iter().map(|sum| (sum.hour, &*sum.page, sum.views[0])).collect();
        assert_eq!(found, [(0, "a", 2), (HOUR, "a", 1), (HOUR, "b", 1)]);
        let mut values: Vec<_> = batches.iter().flat_map(|batch| &batch.values).collect();
        values.sort_by_key(|sum| sum.page.clone());
        let found: Vec<_> = values.iter().map(|sum| (&*sum.page, sum.views)).collect();
        assert_eq!(found, [("", 4), ("a", 3), ("b", 1)]);
        assert!(sums.take().is_empty());
    }

    #[test]
    fn values_beyond_the_limit_have_one_sum() {
        let mut sums = Sums::default();
        for number in 0..3_000 {
            sums.add("d", &counted(None, &format!("/{number}")), 0);
        }
        sums.add("d", &counted(None, "/5"), 0);
        let values: Vec<_> = sums.take().into_iter().flat_map(|batch| batch.values).collect();
        assert_eq!(values.len(), 1_001);
        let of = |value: &str| values.iter().find(|sum| sum.value == value).unwrap().views;
        assert_eq!((of(""), of("/5")), (2_000, 2));
        sums.add("d", &counted(None, "/new"), DAY);
        assert_eq!(sums.take()[0].values[0].value, "/new", "each day has its own values");
    }

    #[test]
    fn existing_sums_grow_when_memory_is_full() {
        let mut sums = Sums::default();
        for number in 0..MAXIMUM_SUMS + 10 {
            sums.add(
                "d",
                &Counted { values: Vec::new(), ..counted(Some(&number.to_string()), "") },
                0,
            );
        }
        sums.add("d", &Counted { values: Vec::new(), ..counted(Some("0"), "") }, 0);
        assert_eq!(sums.dropped, 10);
        let views: Vec<_> = sums.take().into_iter().flat_map(|batch| batch.views).collect();
        assert_eq!(views.len(), MAXIMUM_SUMS);
        assert_eq!(
            views.iter().map(|sum| sum.views[0]).sum::<i64>(),
            i64::try_from(MAXIMUM_SUMS).unwrap() + 1
        );
    }
}
