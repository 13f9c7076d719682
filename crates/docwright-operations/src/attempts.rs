//! Limits attempts to guess secrets within a time, such as from one address, or for one account.
//!
//! Addresses are not stored: keys of counters are hashed with a salt that is only in memory, and both are dropped
//! when their time is over. Each node counts separately.

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hash, RandomState},
    sync::{Mutex, MutexGuard, PoisonError},
};

use docwright_types::timestamp::Timestamp;

/// Largest number of counters. Beyond it, counting starts over.
const MAXIMUM: usize = 1_000_000;

/// Recent attempts.
#[derive(Debug)]
pub struct Attempts {
    time: Timestamp,
    window: Mutex<Window>,
}

#[derive(Debug, Default)]
struct Window {
    /// When it began: with its first attempt.
    started_at: Timestamp,
    salt: RandomState,
    counts: HashMap<u64, u32>,
}

/// A counted attempt, unless it is taken back.
#[derive(Debug)]
pub struct Attempt(Vec<u64>);

impl Attempts {
    /// No attempts yet. Each counts for a time.
    pub fn within(time: Timestamp) -> Self {
        Self { time, window: Mutex::default() }
    }

    /// Counts an attempt for each key of a list, with the key's limit; `None` if one of them is at its limit.
    pub fn count(&self, bounds: &[(impl Hash, u32)], now: Timestamp) -> Option<Attempt> {
        let mut window = self.window();
        let is_current = (window.started_at..window.started_at + self.time).contains(&now);
        if !is_current || window.counts.is_empty() || window.counts.len() >= MAXIMUM {
            *window = Window { started_at: now, ..Window::default() };
        }
        let mut keys = Vec::new();
        for (what, most) in bounds {
            let key = window.salt.hash_one(what);
            if window.counts.get(&key).is_some_and(|count| count >= most) {
                return None;
            }
            keys.push(key);
        }
        for key in &keys {
            *window.counts.entry(*key).or_default() += 1;
        }
        Some(Attempt(keys))
    }

    /// An attempt with the right secret does not count.
    pub fn take_back(&self, Attempt(keys): Attempt) {
        let mut window = self.window();
        for key in keys {
            if let Some(count) = window.counts.get_mut(&key) {
                *count = count.saturating_sub(1);
            }
        }
    }

    fn window(&self) -> MutexGuard<'_, Window> {
        self.window.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use docwright_types::timestamp::MINUTE;

    use super::*;

    #[test]
    fn attempts_are_counted_for_each_thing() {
        let attempts = Attempts::within(MINUTE);
        let try_all = |account: &str, address: u32| {
            let bounds = [(account.to_owned(), 100), (format!("{account} {address}"), 10)];
            (0..50).filter(|_| attempts.count(&bounds, 0).is_some()).count()
        };
        assert_eq!(try_all("a", 1), 10);
        assert_eq!(try_all("b", 1), 10, "another account");
        let others: usize = (2..50).map(|address| try_all("a", address)).sum();
        assert_eq!(others, 90, "a hundred in all");
        assert!(attempts.count(&[("a", 100)], MINUTE).is_some(), "later");
    }

    #[test]
    fn time_begins_with_first_attempt() {
        let attempts = Attempts::within(MINUTE);
        let count = |now| attempts.count(&[("a", 2)], now).is_some();
        assert_eq!(
            [59, 61, 100, 118].map(|second| count(second * 1000)),
            [true, true, false, false]
        );
        assert!(count(119_000), "a minute after the first");
    }

    #[test]
    fn right_secret_uses_no_attempt() {
        let attempts = Attempts::within(MINUTE);
        for _ in 0..1000 {
            let attempt = attempts.count(&[("a", 10)], 0).unwrap();
            attempts.take_back(attempt);
        }
        assert_eq!((0..50).filter(|_| attempts.count(&[("a", 10)], 0).is_some()).count(), 10);
    }
}
