//! Limits expensive work: the number of parallel runs in total, and per party, such as a site or an organization,
//! so that no party delays all others.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

/// Turns of parties, identified by a `K`.
#[derive(Debug)]
pub struct FairLimiter<K> {
    all: Arc<Semaphore>,
    each: usize,
    parties: Arc<Mutex<HashMap<K, Party>>>,
}

#[derive(Debug)]
struct Party {
    turns: Arc<Semaphore>,
    /// Parties that have a turn, and those that wait for one.
    members: usize,
}

/// A turn, until it is dropped.
#[derive(Debug)]
pub struct Turn<K: Eq + Hash> {
    _one_of_all: OwnedSemaphorePermit,
    _one_of_its_own: OwnedSemaphorePermit,
    _member: Member<K>,
}

#[derive(Debug)]
struct Member<K: Eq + Hash> {
    party: K,
    parties: Arc<Mutex<HashMap<K, Party>>>,
}

impl<K: Clone + Eq + Hash> FairLimiter<K> {
    /// A limit in all, and one for each party.
    pub fn new(all: usize, each: usize) -> Self {
        Self { all: Arc::new(Semaphore::new(all)), each, parties: Arc::default() }
    }

    /// Takes a turn for a party. Returns `None` if no turn becomes free within `patience`, or if eight times as
    /// many requests wait as have a turn.
    ///
    /// A request that waits for a turn of its own party isn't in the common queue. So parties alternate there,
    /// even if many requests of one party wait.
    pub async fn take(&self, party: &K, patience: Duration) -> Option<Turn<K>> {
        let (member, own) = self.join(party)?;
        let turn = async {
            let own = own.acquire_owned().await.ok()?;
            let all = Arc::clone(&self.all).acquire_owned().await.ok()?;
            Some(Turn { _one_of_all: all, _one_of_its_own: own, _member: member })
        };
        timeout(patience, turn).await.ok().flatten()
    }

    fn join(&self, party: &K) -> Option<(Member<K>, Arc<Semaphore>)> {
        let mut parties = lock(&self.parties);
        let entry = parties
            .entry(party.clone())
            .or_insert_with(|| Party { turns: Arc::new(Semaphore::new(self.each)), members: 0 });
        if entry.members >= self.each * 9 {
            return None;
        }
        entry.members += 1;
        let turns = Arc::clone(&entry.turns);
        Some((Member { party: party.clone(), parties: Arc::clone(&self.parties) }, turns))
    }
}

impl<K: Eq + Hash> Drop for Member<K> {
    fn drop(&mut self) {
        let mut parties = lock(&self.parties);
        if let Some(party) = parties.get_mut(&self.party) {
            party.members -= 1;
            if party.members == 0 {
                parties.remove(&self.party);
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_millis(1);
    const LONG: Duration = Duration::from_mins(10);

    #[tokio::test(start_paused = true)]
    async fn party_gets_only_its_share() {
        let turns = FairLimiter::new(3, 2);
        let mut held = vec![turns.take(&"a", SOON).await.unwrap()];
        held.push(turns.take(&"a", SOON).await.unwrap());
        assert!(turns.take(&"a", SOON).await.is_none(), "its share");
        let other = turns.take(&"b", SOON).await.unwrap();
        assert!(turns.take(&"c", SOON).await.is_none(), "all of them");
        drop(other);
        assert!(turns.take(&"c", SOON).await.is_some());
        held.pop();
        assert!(turns.take(&"a", SOON).await.is_some());
        held.clear();
        assert!(lock(&turns.parties).is_empty(), "nothing is left of who came by");
    }

    #[tokio::test(start_paused = true)]
    async fn busy_party_delays_no_other() {
        let turns = Arc::new(FairLimiter::new(1, 1));
        let first = turns.take(&0, SOON).await.unwrap();
        let (done, mut order) = tokio::sync::mpsc::unbounded_channel();
        for party in [0, 0, 0, 0, 1] {
            let (turns, done) = (Arc::clone(&turns), done.clone());
            tokio::spawn(async move {
                let turn = turns.take(&party, LONG).await.unwrap();
                done.send(party).unwrap();
                drop(turn);
            });
            tokio::task::yield_now().await;
        }
        drop(first);
        let mut seen = Vec::new();
        for _ in 0..5 {
            seen.push(order.recv().await.unwrap());
        }
        assert!(seen[..2].contains(&1), "{seen:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn full_queue_refuses_immediately() {
        let turns = Arc::new(FairLimiter::new(1, 1));
        let first = turns.take(&0, SOON).await.unwrap();
        for _ in 0..8 {
            let turns = Arc::clone(&turns);
            tokio::spawn(async move { turns.take(&0, LONG).await });
            tokio::task::yield_now().await;
        }
        let before = tokio::time::Instant::now();
        assert!(turns.take(&0, LONG).await.is_none());
        assert_eq!(before.elapsed(), Duration::ZERO);
        drop(first);
    }
}
