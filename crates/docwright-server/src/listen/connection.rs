//! What one connection is doing, and how it is told to end.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering},
};

use futures::task::AtomicWaker;
use tokio::sync::Notify;

use super::pace::Flow;

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
    /// What the client sends as a body.
    pub(super) incoming: Flow,
    /// What the client takes.
    pub(super) outgoing: Flow,
    is_late: AtomicBool,
    body: AtomicWaker,
    end: AtomicU8,
    told: Notify,
}

impl Connection {
    /// A new connection of a listener with such a clock.
    pub(super) fn new(clock: Arc<AtomicU64>) -> Self {
        let connection = Self {
            clock,
            phase: AtomicU64::new(0),
            incoming: Flow::default(),
            outgoing: Flow::default(),
            is_late: AtomicBool::new(false),
            body: AtomicWaker::new(),
            end: AtomicU8::new(0),
            told: Notify::new(),
        };
        connection.enter(Phase::Head);
        connection
    }

    /// A phase begins.
    pub(super) fn enter(&self, phase: Phase) {
        let now = self.clock.load(Ordering::Relaxed);
        self.phase.store(now << 2 | phase as u64, Ordering::Relaxed);
    }

    /// Bytes came. Between requests they begin another one.
    pub(super) fn received(&self) {
        if self.phase.load(Ordering::Relaxed) & 3 == Phase::Idle as u64 {
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

    /// The body that is read comes too slowly: whoever reads it gets an error.
    pub(super) fn give_up_body(&self) {
        self.is_late.store(true, Ordering::Relaxed);
        self.body.wake();
    }

    /// Whether the body came too slowly.
    pub(super) fn is_late(&self) -> bool {
        self.is_late.load(Ordering::Relaxed)
    }

    /// Wakes whoever reads the body when that is given up.
    pub(super) fn wake_when_late(&self, waker: &std::task::Waker) {
        self.body.register(waker);
    }

    /// Tells the connection to end. What was said before is not taken back.
    pub(super) fn end(&self, end: End) {
        self.end.fetch_max(1 + end as u8, Ordering::Relaxed);
        self.told.notify_one();
    }

    /// Waits until it is told to end.
    pub(super) async fn told(&self) -> End {
        loop {
            self.told.notified().await;
            match self.end.load(Ordering::Relaxed) {
                0 => {}
                1 => return End::Gently,
                _ => return End::AtOnce,
            }
        }
    }
}
