//! The connections of a listener: how many there can be, which of them are closed first, and which have lasted too
//! long.
//!
//! A full listener closes connections before it refuses new ones: first those without a request, the longest idle
//! first, then those whose clients delay it in the middle of one. One client gets at most half of the room, unless
//! it is a proxy.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use docwright_types::network::network;

use super::{
    connection::{Connection, End, Phase},
    pace::Pace,
};
use crate::{client::TrustedProxies, metrics::Refusal};

/// Ticks between requests. Load balancers keep connections for a minute, and must close them first.
const IDLE: u64 = 75;
/// Ticks for the head of a request.
const HEAD: u64 = 20;
/// The same when the server stops.
const LAST_HEAD: u64 = 2;
/// Ticks of waiting in the middle of a request after which a connection can be closed for another.
const SLOW: u32 = 3;
/// The share of connections that is closed at once, so that searching for them is rare.
const SHARE: usize = 32;

/// The connections of a listener.
#[derive(Debug)]
pub(super) struct Room {
    most: usize,
    proxies: TrustedProxies,
    clock: Arc<AtomicU64>,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    next: u64,
    entries: HashMap<u64, Entry>,
    all: Count,
    clients: HashMap<IpAddr, Count>,
    /// For which clients, or all, no closable connection was found during this tick.
    found_none: HashSet<Option<IpAddr>>,
    is_stopping: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Count {
    open: usize,
    /// Connections that were asked to end immediately, and have not yet.
    leaving: usize,
}

impl Count {
    const fn staying(self) -> usize {
        self.open - self.leaving
    }
}

#[derive(Debug)]
struct Entry {
    connection: Arc<Connection>,
    client: IpAddr,
    incoming: Pace,
    outgoing: Pace,
    /// For how many ticks the client has delayed the server in all its exchanges.
    still: u32,
    /// It must end after its current exchanges, since some of them are too slow.
    is_warned: bool,
    is_leaving: bool,
}

/// The place of a connection, until this is dropped.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    /// Its index.
    pub(super) room: Arc<Room>,
    number: u64,
    /// The connection.
    pub(super) connection: Arc<Connection>,
}

impl Room {
    /// Room for a number of connections.
    pub(super) fn new(most: usize, proxies: TrustedProxies) -> Arc<Self> {
        let clock = Arc::new(AtomicU64::new(0));
        Arc::new(Self { most, proxies, clock, open: Mutex::default() })
    }

    /// The proxies that are trusted.
    pub(super) const fn proxies(&self) -> &TrustedProxies {
        &self.proxies
    }

    /// A place for a connection of a client.
    pub(super) fn enter(self: &Arc<Self>, peer: IpAddr) -> Result<ConnectionSlot, Refusal> {
        let client = network(peer);
        let mut open = self.open();
        let own = open.clients.get(&client).copied().unwrap_or_default();
        let (half, share) = ((self.most / 2).max(1), (self.most / SHARE).max(1));
        if own.staying() >= half && !self.proxies.contain(peer) {
            // Only the client's own connections are closed for it.
            if !open.make_way(Some(client), share) {
                return Err(Refusal::Client);
            }
        } else if open.all.staying() >= self.most && !open.make_way(None, share) {
            return Err(Refusal::Full);
        }
        // Closing connections takes a moment.
        if open.all.open >= self.most + share {
            return Err(Refusal::Full);
        }
        let connection = Arc::new(Connection::new(Arc::clone(&self.clock)));
        let number = open.next;
        open.next += 1;
        open.clients.entry(client).or_default().open += 1;
        open.all.open += 1;
        let entry = Entry {
            connection: Arc::clone(&connection),
            client,
            incoming: Pace::default(),
            outgoing: Pace::default(),
            still: 0,
            is_warned: false,
            is_leaving: false,
        };
        open.entries.insert(number, entry);
        Ok(ConnectionSlot { room: Arc::clone(self), number, connection })
    }

    /// A tick: ends connections that lasted too long.
    pub(super) fn tick(&self) {
        self.clock.fetch_add(1, Ordering::Relaxed);
        let mut open = self.open();
        open.found_none.clear();
        let head = if open.is_stopping { LAST_HEAD } else { HEAD };
        let mut over = Vec::new();
        for (number, entry) in &mut open.entries {
            let connection = &entry.connection;
            let is_over = match connection.phase() {
                (Phase::Idle, ticks) => ticks >= IDLE,
                (Phase::Head, ticks) => ticks >= head,
                (Phase::Answering, _) => false,
            };
            if entry.incoming.is_too_slow(&connection.exchange.incoming) {
                connection.exchange.give_up_body();
            }
            let doing = connection.exchanges.tick();
            entry.still = doing.still;
            let is_slow = doing.is_too_slow && std::mem::replace(&mut entry.is_warned, true);
            if is_over || is_slow || entry.outgoing.is_too_slow(&connection.outgoing) {
                over.push(*number);
            } else if doing.is_too_slow {
                // Other requests of the client finish; new ones need another connection.
                connection.end(End::Gently);
            }
        }
        for number in over {
            open.leave(number);
        }
    }

    /// Ends each connection after its current answer.
    pub(super) fn stop(&self) {
        let mut open = self.open();
        open.is_stopping = true;
        for entry in open.entries.values() {
            // The rest of a head gets a short time.
            entry.connection.end(End::Gently);
        }
    }

    /// Ends every connection now.
    pub(super) fn end(&self) {
        for entry in self.open().entries.values() {
            entry.connection.end(End::AtOnce);
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// Ends up to `count` closable connections, of all or of a client, those that have waited longest first.
    /// Returns whether there were any.
    fn make_way(&mut self, client: Option<IpAddr>, count: usize) -> bool {
        // Searching all of them for each new connection would be expensive and useless.
        if self.found_none.contains(&client) {
            return false;
        }
        let mut waiting = Vec::new();
        for (number, entry) in &self.entries {
            let is_asked = client.is_none_or(|client| client == entry.client);
            if let Some(worth) = entry.worth().filter(|_| is_asked && !entry.is_leaving) {
                waiting.push((worth, *number));
            }
        }
        if waiting.is_empty() {
            self.found_none.insert(client);
            return false;
        }
        waiting.sort_unstable();
        for (_, number) in waiting.into_iter().take(count) {
            self.leave(number);
        }
        true
    }

    fn leave(&mut self, number: u64) {
        let Some(entry) = self.entries.get_mut(&number) else { return };
        entry.connection.end(End::AtOnce);
        if !std::mem::replace(&mut entry.is_leaving, true) {
            self.all.leaving += 1;
            self.clients.entry(entry.client).or_default().leaving += 1;
        }
    }

    fn remove(&mut self, number: u64) {
        let Some(entry) = self.entries.remove(&number) else { return };
        let less = |count: &mut Count| {
            count.open -= 1;
            count.leaving -= usize::from(entry.is_leaving);
        };
        less(&mut self.all);
        if let Some(count) = self.clients.get_mut(&entry.client) {
            less(count);
            if count.open == 0 {
                self.clients.remove(&entry.client);
            }
        }
    }
}

impl Entry {
    /// The cost of closing the connection, for comparison; `None` if it can't be closed.
    fn worth(&self) -> Option<(bool, Reverse<u64>)> {
        match self.connection.phase() {
            (Phase::Idle | Phase::Head, ticks) => Some((false, Reverse(ticks))),
            (Phase::Answering, _) => {
                let waited = self.incoming.still().max(self.outgoing.still()).max(self.still);
                (waited >= SLOW).then_some((true, Reverse(waited.into())))
            }
        }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.room.open().remove(self.number);
    }
}
