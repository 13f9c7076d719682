//! The state of one connection, and its signal to end.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering},
};

use tokio::sync::Notify;

use super::{
    exchange::{Exchange, Exchanges},
    pace::Flow,
};

/// Phase of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// It waits for the first byte of another request.
    Idle,
    /// It waits for the rest of a request's head. New connections start here.
    Head,
    /// A request is answered.
    Answering,
}

/// How a connection must end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// After the current answer.
    Gently,
    /// Now.
    AtOnce,
}

/// One connection, shared by the code that reads, writes, answers, and watches it.
#[derive(Debug)]
pub(super) struct Connection {
    /// Ticks of the listener.
    clock: Arc<AtomicU64>,
    /// The phase, and in the higher bits the tick at which it started.
    phase: AtomicU64,
    /// The request and its answer, if the connection carries one at a time.
    pub(super) exchange: Arc<Exchange>,
    /// The parallel exchanges.
    pub(super) exchanges: Exchanges,
    is_multiplexed: AtomicBool,
    /// Answers that are under way.
    answering: AtomicU32,
    /// What the client takes of everything sent.
    pub(super) outgoing: Flow,
    end: AtomicU8,
    asked: Notify,
}

impl Connection {
    /// A new connection of a listener with this clock.
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

    /// It speaks HTTP/2. Bytes between requests then start no new request: they can be anything, so only the time
    /// without a request counts.
    pub(super) fn multiplex(&self) {
        self.is_multiplexed.store(true, Ordering::Relaxed);
    }

    /// The exchange of a new request.
    pub(super) fn begin_exchange(&self) -> Arc<Exchange> {
        if self.is_multiplexed.load(Ordering::Relaxed) {
            self.exchanges.begin()
        } else {
            Arc::clone(&self.exchange)
        }
    }

    /// A request is being answered from now on.
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

    /// A phase starts.
    fn enter(&self, phase: Phase) {
        let now = self.clock.load(Ordering::Relaxed);
        self.phase.store(now << 2 | phase as u64, Ordering::Relaxed);
    }

    /// Bytes arrived. Between requests they start another one.
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

    /// Asks the connection to end. A request to end immediately can't be withdrawn.
    pub(super) fn end(&self, end: End) {
        self.end.fetch_max(1 + end as u8, Ordering::Relaxed);
        self.asked.notify_one();
    }

    /// Waits until the connection must end.
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
