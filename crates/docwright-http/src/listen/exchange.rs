//! One request and its answer: whether the client sends the one and takes the other fast enough. A
//! connection of HTTP/2 carries many of them at once, and each is judged on its own.

use std::{
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    task::Waker,
};

use futures::task::AtomicWaker;

use super::pace::{Flow, Pace};

/// What is moved in one request and its answer.
#[derive(Debug, Default)]
pub(super) struct Exchange {
    /// What the client sends as a body.
    pub(super) incoming: Flow,
    /// What the client takes of the answer, where that is not what the connection sends.
    pub(super) outgoing: Flow,
    is_late: AtomicBool,
    body: AtomicWaker,
}

impl Exchange {
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
    pub(super) fn wake_when_late(&self, waker: &Waker) {
        self.body.register(waker);
    }
}

/// The exchanges that a connection carries at once.
#[derive(Debug, Default)]
pub(super) struct Exchanges(Mutex<Vec<Judged>>);

#[derive(Debug)]
struct Judged {
    exchange: Weak<Exchange>,
    incoming: Pace,
    outgoing: Pace,
}

/// How the exchanges of a connection are doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Doing {
    /// One of the clients' answers is taken too slowly.
    pub(super) is_too_slow: bool,
    /// For how many ticks the client has kept the server waiting in all of them.
    pub(super) still: u32,
}

impl Exchanges {
    /// Another one begins. It ends when nobody holds it any more.
    pub(super) fn begin(&self) -> Arc<Exchange> {
        let exchange = Arc::new(Exchange::default());
        let judged = Judged {
            exchange: Arc::downgrade(&exchange),
            incoming: Pace::default(),
            outgoing: Pace::default(),
        };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|each| each.exchange.strong_count() > 0);
        all.push(judged);
        exchange
    }

    /// A tick: gives up bodies that come too slowly, and says how the others are doing.
    pub(super) fn tick(&self) -> Doing {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut is_too_slow, mut still) = (false, None::<u32>);
        all.retain_mut(|each| {
            let Some(exchange) = each.exchange.upgrade() else { return false };
            if each.incoming.is_too_slow(&exchange.incoming) {
                exchange.give_up_body();
            }
            is_too_slow |= each.outgoing.is_too_slow(&exchange.outgoing);
            let own = each.incoming.still().max(each.outgoing.still());
            still = Some(still.map_or(own, |least| least.min(own)));
            true
        });
        Doing { is_too_slow, still: still.unwrap_or_default() }
    }
}
