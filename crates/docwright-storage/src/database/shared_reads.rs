//! Reads that parallel requests share.
//!
//! One task reads values of a kind. Requests that arrive while it reads wait for its next read, which answers all
//! of them. So a read always starts after the request arrived, and no answer is older than the request: a key that
//! was just revoked is refused. Under load, one query answers many requests, also for different values, and reads
//! that follow each other use one connection.

use std::{collections::HashMap, hash::Hash, panic::AssertUnwindSafe, time::Duration};

use futures::{FutureExt, future::BoxFuture};
use sqlx::{Any, AnyConnection, AnyPool, pool::PoolConnection};
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

use crate::StorageError;

/// The most requests that share one read.
pub(super) const MOST: usize = 64;
/// More requests than this wait for a place in the queue.
const QUEUED: usize = 1024;
/// How long a connection is kept for the next read. The pool tests each connection that it gets back, which is a
/// round trip.
const KEPT: Duration = Duration::from_millis(20);

/// Reads values of a kind: `V` by `K`.
#[derive(Debug)]
pub(super) struct SharedReads<K, V> {
    asked: mpsc::Sender<PendingRead<K, V>>,
}

/// A request for one value.
#[derive(Debug)]
struct PendingRead<K, V> {
    key: K,
    answer: oneshot::Sender<Result<Option<V>, StorageError>>,
}

impl<K, V> Clone for SharedReads<K, V> {
    fn clone(&self) -> Self {
        Self { asked: self.asked.clone() }
    }
}

impl<K, V> SharedReads<K, V>
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + 'static,
{
    /// Starts to read with a function that gets at most [`MOST`] different keys, and returns the values that
    /// exist. The task ends with the last clone of this.
    pub(super) fn start<F>(pool: AnyPool, read: F) -> Self
    where
        F: for<'a> Fn(
                &'a mut AnyConnection,
                Vec<K>,
            ) -> BoxFuture<'a, Result<HashMap<K, V>, StorageError>>
            + Send
            + Sync
            + 'static,
    {
        let (asked, mut waiting) = mpsc::channel::<PendingRead<K, V>>(QUEUED);
        tokio::spawn(async move {
            let mut together = Vec::with_capacity(MOST);
            let mut kept: Option<PoolConnection<Any>> = None;
            while next(&mut waiting, &mut together, &mut kept).await > 0 {
                // A canceled request needs no answer.
                together.retain(|asked| !asked.answer.is_closed());
                let mut keys: Vec<K> = Vec::with_capacity(together.len());
                for asked in &together {
                    if !keys.contains(&asked.key) {
                        keys.push(asked.key.clone());
                    }
                }
                if keys.is_empty() {
                    continue;
                }
                let found = async {
                    let mut connection = match kept.take() {
                        Some(connection) => connection,
                        None => pool.acquire().await?,
                    };
                    let found = read(&mut connection, keys).await?;
                    kept = Some(connection);
                    Ok::<_, StorageError>(found)
                };
                // After a panic, which is an error in docwright, the answers are dropped.
                let found = AssertUnwindSafe(found).catch_unwind().await;
                for PendingRead { key, answer } in together.drain(..) {
                    let Ok(found) = &found else { continue };
                    let value = found.as_ref().map(|found| found.get(&key).cloned());
                    let _gone = answer.send(value.map_err(StorageError::again));
                }
            }
        });
        Self { asked }
    }

    /// The value of a key as it is now, or was at any time since this call.
    pub(super) async fn read(&self, key: K) -> Result<Option<V>, StorageError> {
        let gone = || StorageError::from(sqlx::Error::WorkerCrashed);
        let (answer, answered) = oneshot::channel();
        self.asked.send(PendingRead { key, answer }).await.map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }
}

/// Waits for requests, at most [`MOST`], and returns the connection of earlier reads if none comes soon. Returns their
/// number: 0 if there will be no more.
async fn next<T>(
    waiting: &mut mpsc::Receiver<T>,
    together: &mut Vec<T>,
    kept: &mut Option<PoolConnection<Any>>,
) -> usize {
    if kept.is_some() {
        match timeout(KEPT, waiting.recv_many(together, MOST)).await {
            Ok(count) => return count,
            Err(_) => *kept = None,
        }
    }
    waiting.recv_many(together, MOST).await
}

/// Rows of parameters for `VALUES`, each with `columns` of them, for `count` values: their number, and the text.
/// Numbers are powers of two, so there are few different statements to prepare.
pub(super) fn rows(count: usize, columns: usize) -> (usize, String) {
    let count = count.next_power_of_two();
    let row = |row: usize| {
        let parameters = (1..=columns).map(|column| format!("${}", row * columns + column));
        format!("({})", parameters.collect::<Vec<_>>().join(", "))
    };
    (count, (0..count).map(row).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicI64, AtomicUsize, Ordering},
    };

    use docwright_testing::wait::eventually;
    use futures::future::join_all;
    use tokio::sync::Semaphore;

    use super::*;

    /// Reads a number that tests change, and waits for a permit before it answers.
    struct Source {
        number: Arc<AtomicI64>,
        reads: Arc<AtomicUsize>,
        go_on: Arc<Semaphore>,
        shared: SharedReads<String, i64>,
    }

    fn source() -> Source {
        sqlx::any::install_default_drivers();
        let pool = AnyPool::connect_lazy("sqlite::memory:").unwrap();
        let (number, reads) = (Arc::new(AtomicI64::new(1)), Arc::new(AtomicUsize::new(0)));
        let go_on = Arc::new(Semaphore::new(0));
        let (read_number, counted, permits) =
            (Arc::clone(&number), Arc::clone(&reads), Arc::clone(&go_on));
        let shared = SharedReads::start(pool, move |_, keys: Vec<String>| {
            let value = read_number.load(Ordering::SeqCst);
            counted.fetch_add(1, Ordering::SeqCst);
            let permits = Arc::clone(&permits);
            let found = async move {
                permits.acquire().await.unwrap().forget();
                assert!(!keys.contains(&"panic".to_owned()), "this read panics");
                Ok(keys.into_iter().filter(|key| key != "none").map(|key| (key, value)).collect())
            };
            found.boxed()
        });
        Source { number, reads, go_on, shared }
    }

    #[tokio::test]
    async fn answers_are_never_older_than_their_request() {
        let Source { number, reads, go_on, shared } = source();
        let first = tokio::spawn({
            let shared = shared.clone();
            async move { shared.read("a".to_owned()).await.unwrap() }
        });
        eventually("a read has started", async || reads.load(Ordering::SeqCst) == 1).await;
        // The first read has started, and will return the value before this change.
        number.store(2, Ordering::SeqCst);
        let late = ["a", "a", "b", "none"].map(|key| shared.read(key.to_owned()));
        go_on.add_permits(10);
        let late: Vec<_> = join_all(late).await.into_iter().map(Result::unwrap).collect();
        assert_eq!(late, [Some(2), Some(2), Some(2), None]);
        assert_eq!(first.await.unwrap(), Some(1));
        assert_eq!(reads.load(Ordering::SeqCst), 2, "one read answered all who waited");
    }

    #[tokio::test]
    async fn panic_of_one_read_does_not_end_the_others() {
        let Source { go_on, shared, .. } = source();
        go_on.add_permits(2);
        assert!(shared.read("panic".to_owned()).await.is_err());
        assert_eq!(shared.read("a".to_owned()).await.unwrap(), Some(1));
    }

    #[test]
    fn statements_have_few_sizes() {
        assert_eq!(rows(1, 2), (1, "($1, $2)".to_owned()));
        assert_eq!(rows(3, 1), (4, "($1), ($2), ($3), ($4)".to_owned()));
    }
}
