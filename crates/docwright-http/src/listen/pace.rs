//! The minimum pace of clients: a client that sends a body or takes an answer too slowly is cut off.
//!
//! Only the time that the server waits for the client counts, in ticks of the listener. So clients aren't blamed
//! for a stopped process.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A client is judged after each of these numbers of ticks of waiting.
const PATIENCE: u32 = 60;
/// Bytes that must move in that time.
const LEAST: u64 = 16 * 1024;

/// One direction of a connection, shared by its readers and writers.
#[derive(Debug, Default)]
pub(super) struct Flow {
    is_waiting: AtomicBool,
    moved: AtomicU64,
}

impl Flow {
    /// The server waits for the client from now on.
    pub(super) fn wait(&self) {
        self.is_waiting.store(true, Ordering::Relaxed);
    }

    /// The server does not wait for the client for now.
    pub(super) fn rest(&self) {
        self.is_waiting.store(false, Ordering::Relaxed);
    }

    /// Bytes were moved.
    pub(super) fn moved(&self, bytes: usize) {
        self.moved.fetch_add(bytes as u64, Ordering::Relaxed);
        self.rest();
    }
}

/// The pace of a flow so far.
#[derive(Debug, Default)]
pub(super) struct Pace {
    waited: u32,
    /// Bytes that had moved at the last judgment.
    before: u64,
    /// Consecutive ticks of waiting in which next to nothing moved.
    still: u32,
    /// Bytes that had moved at the last tick.
    last: u64,
}

impl Pace {
    /// Checks a flow once a tick; returns whether its client is too slow.
    pub(super) fn is_too_slow(&mut self, flow: &Flow) -> bool {
        let moved = flow.moved.load(Ordering::Relaxed);
        let is_still = moved - self.last < LEAST / u64::from(PATIENCE);
        self.last = moved;
        if !flow.is_waiting.load(Ordering::Relaxed) {
            self.still = 0;
            return false;
        }
        self.still = if is_still { self.still + 1 } else { 0 };
        self.waited += 1;
        if self.waited < PATIENCE {
            return false;
        }
        let is_slow = moved - self.before < LEAST;
        (self.waited, self.before) = (0, moved);
        is_slow
    }

    /// For how many ticks the client has delayed the server.
    pub(super) const fn still(&self) -> u32 {
        self.still
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ticks until a client is cut off that moves a number of bytes per tick while the server always waits for it.
    fn lasts(bytes: usize) -> Option<u32> {
        let (flow, mut pace) = (Flow::default(), Pace::default());
        (1..1000).find(|_| {
            flow.moved(bytes);
            flow.wait();
            pace.is_too_slow(&flow)
        })
    }

    #[test]
    fn slow_clients_are_cut_off() {
        assert_eq!(lasts(0), Some(PATIENCE));
        assert_eq!(lasts(200), Some(PATIENCE));
        assert_eq!(lasts(300), None);
    }

    #[test]
    fn fast_start_buys_no_time() {
        let (flow, mut pace) = (Flow::default(), Pace::default());
        flow.moved(1_000_000_000);
        flow.wait();
        assert_eq!((1..1000).find(|_| pace.is_too_slow(&flow)), Some(2 * PATIENCE));
    }

    #[test]
    fn slow_server_is_not_blamed_on_client() {
        let (flow, mut pace) = (Flow::default(), Pace::default());
        assert!(!(1..1000).any(|_| pace.is_too_slow(&flow)));
        assert_eq!(pace.still(), 0);
    }

    #[test]
    fn client_is_still_until_it_moves_bytes() {
        let (flow, mut pace) = (Flow::default(), Pace::default());
        let mut tick = |bytes| {
            flow.moved(bytes);
            flow.wait();
            pace.is_too_slow(&flow);
            pace.still()
        };
        assert_eq!([1_000_000, 0, 0, 10, 5_000, 0].map(&mut tick), [0, 1, 2, 3, 0, 1]);
    }
}
