//! One request and its response: whether the client sends and receives fast enough. An HTTP/2 connection carries
//! many in parallel, and each is checked separately.

use std::{
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    task::Waker,
};

use futures::task::AtomicWaker;

use super::pace::{Flow, Pace};

/// Progress of one request and its answer.
#[derive(Debug, Default)]
pub(super) struct Exchange {
    /// Progress of the request's body.
    pub(super) incoming: Flow,
    /// Progress of the answer, if it differs from what the connection sends.
    pub(super) outgoing: Flow,
    is_late: AtomicBool,
    has_unread_body: AtomicBool,
    body: AtomicWaker,
}

impl Exchange {
    /// The request's body arrives too slowly: its reader gets an error.
    pub(super) fn give_up_body(&self) {
        self.is_late.store(true, Ordering::Relaxed);
        self.body.wake();
    }

    /// Whether the body arrived too slowly.
    pub(super) fn is_late(&self) -> bool {
        self.is_late.load(Ordering::Relaxed)
    }

    /// Records whether a part of the request's body isn't read yet.
    pub(super) fn set_unread_body(&self, is_unread: bool) {
        self.has_unread_body.store(is_unread, Ordering::Relaxed);
    }

    /// Whether a part of the request's body isn't read. After the answer to an HTTP/1 request, its connection can't be
    /// used any more.
    pub(super) fn has_unread_body(&self) -> bool {
        self.has_unread_body.load(Ordering::Relaxed)
    }

    /// Wakes the reader of the body when it is stopped.
    pub(super) fn wake_when_late(&self, waker: &Waker) {
        self.body.register(waker);
    }
}

/// The parallel exchanges of a connection.
#[derive(Debug, Default)]
pub(super) struct Exchanges(Mutex<Vec<Judged>>);

#[derive(Debug)]
struct Judged {
    exchange: Weak<Exchange>,
    incoming: Pace,
    outgoing: Pace,
}

/// State of the exchanges of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Doing {
    /// The client takes one of the answers too slowly.
    pub(super) is_too_slow: bool,
    /// For how many ticks the client has delayed the server in all of them.
    pub(super) still: u32,
}

impl Exchanges {
    /// Starts another exchange. It ends when it is dropped everywhere.
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

    /// A tick: stops bodies that arrive too slowly, and returns the state of the others.
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
