//! The least pace of clients: whoever sends a body or takes an answer too slowly is cut off.
//!
//! Only the time that the server waits for the client counts, measured in ticks of the listener. So a
//! process that was stopped for a while blames nobody.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A client is judged each time it was waited for as many ticks.
const PATIENCE: u32 = 60;
/// Bytes that have to come or go in that time.
const LEAST: u64 = 16 * 1024;

/// One direction of a connection, as those see it who read and write.
#[derive(Debug, Default)]
pub(super) struct Flow {
    is_waiting: AtomicBool,
    moved: AtomicU64,
}

impl Flow {
    /// The client has to do something before it goes on.
    pub(super) fn wait(&self) {
        self.is_waiting.store(true, Ordering::Relaxed);
    }

    /// Nobody waits for the client, for now.
    pub(super) fn rest(&self) {
        self.is_waiting.store(false, Ordering::Relaxed);
    }

    /// A number of bytes came or went.
    pub(super) fn moved(&self, bytes: usize) {
        self.moved.fetch_add(bytes as u64, Ordering::Relaxed);
        self.rest();
    }
}

/// What is known of a flow's pace.
#[derive(Debug, Default)]
pub(super) struct Pace {
    waited: u32,
    /// Bytes that had moved when the last judgment was made.
    before: u64,
    /// Ticks one after the other in which the client was waited for and next to nothing moved.
    still: u32,
    /// Bytes that had moved at the last tick.
    last: u64,
}

impl Pace {
    /// Looks at a flow once a tick; whether its client is too slow.
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

    /// For how many ticks the client has kept the server waiting.
    pub(super) const fn still(&self) -> u32 {
        self.still
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ticks until a client is cut off that moves a number of bytes a tick and is always waited for.
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
    fn a_fast_beginning_buys_no_time() {
        let (flow, mut pace) = (Flow::default(), Pace::default());
        flow.moved(1_000_000_000);
        flow.wait();
        assert_eq!((1..1000).find(|_| pace.is_too_slow(&flow)), Some(2 * PATIENCE));
    }

    #[test]
    fn nobody_is_blamed_for_what_the_server_does() {
        let (flow, mut pace) = (Flow::default(), Pace::default());
        assert!(!(1..1000).any(|_| pace.is_too_slow(&flow)));
        assert_eq!(pace.still(), 0);
    }

    #[test]
    fn a_client_keeps_the_server_waiting_until_it_moves() {
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
