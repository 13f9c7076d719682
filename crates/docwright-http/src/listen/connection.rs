//! What one connection is doing, and how it is asked to end.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering},
};

use tokio::sync::Notify;

use super::{
    exchange::{Exchange, Exchanges},
    pace::Flow,
};

/// What a connection is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// It waits for the first byte of another request.
    Idle,
    /// It waits for the rest of a request's head. So does one that is new.
    Head,
    /// A request is answered.
    Answering,
}

/// How a connection is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// After the answer that is under way.
    Gently,
    /// Now.
    AtOnce,
}

/// One connection, as those know it who read, write, answer and watch.
#[derive(Debug)]
pub(super) struct Connection {
    /// Ticks of the listener.
    clock: Arc<AtomicU64>,
    /// The phase, and above it the tick at which that began.
    phase: AtomicU64,
    /// The request and its answer, where there is one at a time.
    pub(super) exchange: Arc<Exchange>,
    /// Those that are carried at once.
    pub(super) exchanges: Exchanges,
    is_multiplexed: AtomicBool,
    /// Answers that are under way.
    answering: AtomicU32,
    /// What the client takes of all that is sent.
    pub(super) outgoing: Flow,
    end: AtomicU8,
    asked: Notify,
}

impl Connection {
    /// A new connection of a listener with such a clock.
    pub(super) fn new(clock: Arc<AtomicU64>) -> Self {
        let connection = Self {
            clock,
            phase: AtomicU64::new(0),
            exchange: Arc::default(),
            exchanges: Exchanges::default(),
            is_multiplexed: AtomicBool::new(false),
            answering: AtomicU32::new(0),
            outgoing: Flow::default(),
            end: AtomicU8::new(0),
            asked: Notify::new(),
        };
        connection.enter(Phase::Head);
        connection
    }

    /// It speaks HTTP/2. Bytes between requests don't begin one then: they can be anything, so that the time
    /// without a request is all that counts.
    pub(super) fn multiplex(&self) {
        self.is_multiplexed.store(true, Ordering::Relaxed);
    }

    /// The exchange of a request that begins.
    pub(super) fn begin_exchange(&self) -> Arc<Exchange> {
        if self.is_multiplexed.load(Ordering::Relaxed) {
            self.exchanges.begin()
        } else {
            Arc::clone(&self.exchange)
        }
    }

    /// A request is answered from now on.
    pub(super) fn begin_answer(&self) {
        self.answering.fetch_add(1, Ordering::Relaxed);
        self.enter(Phase::Answering);
    }

    /// An answer has ended.
    pub(super) fn end_answer(&self) {
        if self.answering.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.enter(Phase::Idle);
        }
    }

    /// A phase begins.
    fn enter(&self, phase: Phase) {
        let now = self.clock.load(Ordering::Relaxed);
        self.phase.store(now << 2 | phase as u64, Ordering::Relaxed);
    }

    /// Bytes came. Between requests they begin another one.
    pub(super) fn received(&self) {
        let is_idle = self.phase.load(Ordering::Relaxed) & 3 == Phase::Idle as u64;
        if is_idle && !self.is_multiplexed.load(Ordering::Relaxed) {
            self.enter(Phase::Head);
        }
    }

    /// The phase, and for how many ticks it has lasted.
    pub(super) fn phase(&self) -> (Phase, u64) {
        let (stored, now) =
            (self.phase.load(Ordering::Relaxed), self.clock.load(Ordering::Relaxed));
        let phase = match stored & 3 {
            0 => Phase::Idle,
            1 => Phase::Head,
            _ => Phase::Answering,
        };
        (phase, now.saturating_sub(stored >> 2))
    }

    /// Asks the connection to end. A request to end at once is not taken back.
    pub(super) fn end(&self, end: End) {
        self.end.fetch_max(1 + end as u8, Ordering::Relaxed);
        self.asked.notify_one();
    }

    /// Waits until it is asked to end.
    pub(super) async fn asked(&self) -> End {
        loop {
            self.asked.notified().await;
            match self.end.load(Ordering::Relaxed) {
                0 => {}
                1 => return End::Gently,
                _ => return End::AtOnce,
            }
        }
    }
}
