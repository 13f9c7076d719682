//! A clock that tests can set.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use docwright_types::timestamp::Timestamp;

/// The time of the system, or a time that was set.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    /// Milliseconds that the clock is ahead of the system.
    ahead: Arc<AtomicI64>,
}

impl Clock {
    /// Now.
    pub fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX) + self.ahead.load(Ordering::Relaxed)
    }

    /// Puts this clock and its clones forward.
    pub fn advance(&self, milliseconds: Timestamp) {
        self.ahead.fetch_add(milliseconds, Ordering::Relaxed);
    }
}
