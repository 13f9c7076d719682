//! Views by minute in memory, until they are written. They are bounded: a minute has few values of its own.

use std::collections::{HashMap, HashSet};

use docwright_storage::database::{AnalyticsBatch, LiveKind, MinuteSum};
use docwright_types::{
    analytics::{Dimension, Reader},
    timestamp::{MINUTE, Timestamp},
};

use super::visit::Counted;

/// Values of a kind in a minute of a site. Further ones have one sum.
const VALUES: usize = 200;
/// Sums that wait to be written, for example while the database is away. Beyond, only existing sums grow.
const MAXIMUM_SUMS: usize = 50_000;
/// Sums of a batch.
const BATCH: usize = 2_000;

type Key = (String, Timestamp, LiveKind, String);

/// Sums of minutes that aren't written yet.
#[derive(Debug, Default)]
pub(super) struct LiveSums {
    sums: HashMap<Key, [i64; 2]>,
    /// The current minute, and its values that have a sum of their own.
    minute: Timestamp,
    known: HashSet<(String, LiveKind, String)>,
    counts: HashMap<(String, LiveKind), usize>,
}

impl LiveSums {
    /// Adds a view of a person or an AI agent.
    pub(super) fn add(&mut self, domain: &str, counted: &Counted, now: Timestamp) {
        let place = match counted.view {
            Some(Reader::Human) => 0,
            Some(Reader::Ai) => 1,
            Some(Reader::Bot) | None => return,
        };
        let minute = now - now.rem_euclid(MINUTE);
        if self.minute != minute {
            self.minute = minute;
            self.known.clear();
            self.counts.clear();
        }
        let page = counted.page.iter().map(|page| (LiveKind::Page, page.as_str()));
        let values = counted.values.iter().filter_map(|(dimension, value)| match dimension {
            Dimension::Referrer => Some((LiveKind::Referrer, value.as_str())),
            Dimension::Agent => Some((LiveKind::Agent, value.as_str())),
            _ => None,
        });
        for (kind, value) in [(LiveKind::All, "")].into_iter().chain(page).chain(values) {
            let value = if self.admit(domain, kind, value) { value } else { "" };
            let key = (domain.to_owned(), minute, kind, value.to_owned());
            if self.sums.len() < MAXIMUM_SUMS || self.sums.contains_key(&key) {
                self.sums.entry(key).or_default()[place] += 1;
            }
        }
    }

    /// Whether a value of the current minute can have a sum of its own.
    fn admit(&mut self, domain: &str, kind: LiveKind, value: &str) -> bool {
        let key = (domain.to_owned(), kind, value.to_owned());
        if self.known.contains(&key) {
            return true;
        }
        let count = self.counts.entry((domain.to_owned(), kind)).or_default();
        if *count >= VALUES {
            return false;
        }
        *count += 1;
        self.known.insert(key)
    }

    /// Takes all sums, in batches.
    pub(super) fn take(&mut self) -> Vec<AnalyticsBatch> {
        let sums = std::mem::take(&mut self.sums).into_iter();
        let sums = sums.map(|((domain, minute, kind, value), views)| MinuteSum {
            domain,
            minute,
            kind,
            value,
            views,
        });
        let sums: Vec<_> = sums.collect();
        sums.chunks(BATCH).map(|part| AnalyticsBatch::of_minutes(part.to_vec())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(reader: Reader, page: &str) -> Counted {
        let values = vec![
            (Dimension::Referrer, "search.example".to_owned()),
            (Dimension::Language, "en".to_owned()),
        ];
        Counted { view: Some(reader), page: Some(page.to_owned()), values }
    }

    fn sums(live: &mut LiveSums) -> Vec<MinuteSum> {
        let mut sums: Vec<_> = live.take().into_iter().flat_map(|batch| batch.minutes).collect();
        sums.sort_by_key(|sum| (sum.minute, sum.kind, sum.value.clone()));
        sums
    }

    #[test]
    fn views_are_counted_by_minute() {
        let mut live = LiveSums::default();
        live.add("d", &view(Reader::Human, "a"), 0);
        live.add("d", &view(Reader::Ai, "a"), MINUTE - 1);
        live.add("d", &view(Reader::Bot, "a"), 0);
        live.add("d", &Counted { view: None, ..view(Reader::Human, "a") }, 0);
        live.add("d", &view(Reader::Human, "b"), MINUTE);
        let sums = sums(&mut live);
        let found: Vec<_> = sums
            .iter()
            .map(|sum| (sum.minute / MINUTE, sum.kind, sum.value.as_str(), sum.views))
            .collect();
        let referrer = "search.example";
        let expected = [
            (0, LiveKind::All, "", [1, 1]),
            (0, LiveKind::Page, "a", [1, 1]),
            (0, LiveKind::Referrer, referrer, [1, 1]),
            (1, LiveKind::All, "", [1, 0]),
            (1, LiveKind::Page, "b", [1, 0]),
            (1, LiveKind::Referrer, referrer, [1, 0]),
        ];
        assert_eq!(found, expected);
        assert!(live.take().is_empty());
    }

    #[test]
    fn values_beyond_the_limit_have_one_sum() {
        let mut live = LiveSums::default();
        for number in 0..300 {
            live.add("d", &view(Reader::Human, &number.to_string()), 0);
        }
        let pages: Vec<_> =
            sums(&mut live).into_iter().filter(|sum| sum.kind == LiveKind::Page).collect();
        assert_eq!(pages.len(), VALUES + 1);
        assert_eq!((pages[0].value.as_str(), pages[0].views), ("", [100, 0]));
    }
}
