//! How often passwords of previews are tried: so often from one address, and so often in all.
//!
//! Who tries is not kept: addresses are hashed with a salt that is in memory only, and both are forgotten
//! when their time is over.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use docwright_domain::timestamp::{MINUTE, Timestamp};

use crate::client::network;

/// Wrong passwords of one address for one preview, and of all addresses for it, within a time.
const OF_ADDRESS: u32 = 10;
const OF_PREVIEW: u32 = 100;
const TIME: Timestamp = 10 * MINUTE;

/// What was tried lately.
#[derive(Debug, Default)]
pub(super) struct Attempts(Mutex<Window>);

#[derive(Debug, Default)]
struct Window {
    number: i64,
    salt: RandomState,
    counts: HashMap<u64, u32>,
}

/// An attempt that counts, unless this is taken back.
#[derive(Debug)]
pub(super) struct Attempt([u64; 2]);

impl Attempts {
    /// Counts an attempt at a preview's password; `None` if there were enough.
    pub(super) fn count(
        &self,
        preview: &str,
        address: Option<IpAddr>,
        now: Timestamp,
    ) -> Option<Attempt> {
        let mut window = self.window();
        let number = now.div_euclid(TIME);
        if window.number != number {
            *window = Window { number, ..Window::default() };
        }
        let keys =
            [window.salt.hash_one(preview), window.salt.hash_one((preview, address.map(network)))];
        let count = |key: &u64| window.counts.get(key).copied().unwrap_or(0);
        if count(&keys[0]) >= OF_PREVIEW || count(&keys[1]) >= OF_ADDRESS {
            return None;
        }
        for key in keys {
            *window.counts.entry(key).or_default() += 1;
        }
        Some(Attempt(keys))
    }

    /// An attempt with the right password does not count.
    pub(super) fn take_back(&self, Attempt(keys): Attempt) {
        let mut window = self.window();
        for key in keys {
            if let Some(count) = window.counts.get_mut(&key) {
                *count = count.saturating_sub(1);
            }
        }
    }

    fn window(&self) -> MutexGuard<'_, Window> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_counted_for_each_address_and_each_preview() {
        let attempts = Attempts::default();
        let address = |last: u32| Some(format!("192.0.2.{last}").parse().unwrap());
        let try_all = |preview: &str, address| {
            (0..50).filter(|_| attempts.count(preview, address, 0).is_some()).count()
        };
        assert_eq!(try_all("a", address(1)), 10);
        assert_eq!(try_all("b", address(1)), 10, "another preview");
        let others: usize = (2..50).map(|last| try_all("a", address(last))).sum();
        assert_eq!(others, 90, "a hundred in all");
        assert!(attempts.count("a", address(1), TIME).is_some(), "later");
    }

    #[test]
    fn the_right_password_costs_nothing() {
        let attempts = Attempts::default();
        for _ in 0..1000 {
            let attempt = attempts.count("a", None, 0).unwrap();
            attempts.take_back(attempt);
        }
        assert_eq!((0..50).filter(|_| attempts.count("a", None, 0).is_some()).count(), 10);
    }
}
