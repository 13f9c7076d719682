//! A small quota of feedback for each reader and site, so one reader can't use up a site's hourly limit.
//!
//! Addresses are not stored: they are hashed with a salt that is only in memory, and both are dropped each hour.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use docwright_types::{
    network::network,
    timestamp::{HOUR, Timestamp},
};

/// Feedback of one reader for one site in an hour.
const ANSWERS: u32 = 20;

/// Feedback counts of this hour.
#[derive(Debug, Default)]
pub(super) struct Readers(Mutex<Hour>);

#[derive(Debug, Default)]
struct Hour {
    number: i64,
    salt: RandomState,
    answers: HashMap<u64, u32>,
}

/// Counted feedback, unless it is taken back.
#[derive(Debug)]
pub(super) struct Counted(u64);

impl Readers {
    /// Counts feedback of a reader for a domain's site; `None` at the limit.
    pub(super) fn count(
        &self,
        domain: &str,
        address: Option<IpAddr>,
        now: Timestamp,
    ) -> Option<Counted> {
        let mut hour = self.hour();
        let number = now.div_euclid(HOUR);
        if hour.number != number {
            *hour = Hour { number, ..Hour::default() };
        }
        let reader = hour.salt.hash_one((domain, address.map(network)));
        let answers = hour.answers.entry(reader).or_default();
        if *answers >= ANSWERS {
            return None;
        }
        *answers += 1;
        Some(Counted(reader))
    }

    /// Feedback that was not stored does not count. So memory never has more readers than sites accept feedback.
    pub(super) fn take_back(&self, counted: Counted) {
        let mut hour = self.hour();
        if let Some(answers) = hour.answers.get_mut(&counted.0) {
            *answers -= 1;
            if *answers == 0 {
                hour.answers.remove(&counted.0);
            }
        }
    }

    fn hour(&self) -> MutexGuard<'_, Hour> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    /// How many of 100 attempts count.
    fn counted(readers: &Readers, domain: &str, address: Option<IpAddr>, now: Timestamp) -> usize {
        (0..100).filter_map(|_| readers.count(domain, address, now)).count()
    }

    #[test]
    fn each_reader_has_a_share_of_each_hour() {
        let readers = Readers::default();
        let all = usize::try_from(ANSWERS).unwrap();
        assert_eq!(counted(&readers, "a", Some(address("192.0.2.1")), 0), all);
        assert_eq!(counted(&readers, "a", Some(address("192.0.2.2")), 0), all);
        assert_eq!(counted(&readers, "b", Some(address("192.0.2.1")), 0), all);
        // One household has many addresses, and is one reader.
        assert_eq!(counted(&readers, "a", Some(address("2001:db8::1")), 0), all);
        assert_eq!(counted(&readers, "a", Some(address("2001:db8::2")), 0), 0);
        assert_eq!(counted(&readers, "a", None, 0), all);
        assert_eq!(counted(&readers, "a", Some(address("192.0.2.1")), HOUR - 1), 0);
        assert_eq!(counted(&readers, "a", Some(address("192.0.2.1")), HOUR), all);
    }

    #[test]
    fn reader_without_answers_is_forgotten() {
        let readers = Readers::default();
        for last in 0..200 {
            let counted = readers.count("a", Some(address(&format!("192.0.2.{last}"))), 0).unwrap();
            readers.take_back(counted);
        }
        assert!(readers.hour().answers.is_empty());
    }

    #[test]
    fn salt_changes_each_hour() {
        let readers = Readers::default();
        let hash = |now| readers.count("a", Some(address("192.0.2.1")), now).unwrap().0;
        assert_ne!(hash(0), hash(HOUR));
    }
}
