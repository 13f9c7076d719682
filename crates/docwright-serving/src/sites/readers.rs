//! A small quota of answers for each reader and site, so that one reader can't use up what a site takes
//! in an hour.
//!
//! Who readers are is not kept: addresses are hashed with a salt that is in memory only, and both are
//! forgotten each hour.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use docwright_http::client::network;
use docwright_types::timestamp::{HOUR, Timestamp};

/// Answers of one reader to one site in an hour.
const ANSWERS: u32 = 20;

/// What readers have answered during this hour.
#[derive(Debug, Default)]
pub(super) struct Readers(Mutex<Hour>);

#[derive(Debug, Default)]
struct Hour {
    number: i64,
    salt: RandomState,
    answers: HashMap<u64, u32>,
}

/// An answer that counts, unless this is taken back.
#[derive(Debug)]
pub(super) struct Counted(u64);

impl Readers {
    /// Counts an answer of a reader to a domain's site; `None` if there were enough.
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

    /// An answer that was not kept does not count. So there are never more readers in memory than
    /// answers that sites take.
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

    /// How many answers of 100 count.
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
    fn nothing_is_left_of_what_was_not_kept() {
        let readers = Readers::default();
        for last in 0..200 {
            let counted = readers.count("a", Some(address(&format!("192.0.2.{last}"))), 0).unwrap();
            readers.take_back(counted);
        }
        assert!(readers.hour().answers.is_empty());
    }

    #[test]
    fn the_salt_is_another_one_each_hour() {
        let readers = Readers::default();
        let hash = |now| readers.count("a", Some(address("192.0.2.1")), now).unwrap().0;
        assert_ne!(hash(0), hash(HOUR));
    }
}
