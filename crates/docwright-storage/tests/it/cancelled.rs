//! Calls that are dropped early: a client disconnects, or a job is interrupted.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
};

use docwright_storage::database::{Lease, Queue};
use docwright_testing::wait::eventually;

use docwright_testing::database::TestDatabase;

/// Connections with an open, idle transaction.
const OPEN: &str = "SELECT COUNT(*) FROM pg_stat_activity \
    WHERE datname = current_database() AND state LIKE 'idle in transaction%'";

/// Drops a call after a number of polls. Returns whether the call finished before.
async fn cut_off(call: impl Future, polls: usize) -> bool {
    let mut call = pin!(call);
    let mut left = polls;
    poll_fn(|context| {
        left -= 1;
        match call.as_mut().poll(context) {
            Poll::Ready(_) => Poll::Ready(true),
            Poll::Pending if left == 0 => Poll::Ready(false),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

/// A connection with an open transaction would hide later writes in it.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn no_transaction_stays_open() {
    let place = TestDatabase::postgres("cancelled").await;
    let nobody = Lease { queue: Queue::Releases, id: "rel_none".to_owned(), number: 1 };
    let mut cuts = 0;
    for _ in 0..10 {
        let mut polls = 1;
        while !cut_off(place.database.fail(&nobody, "none", 1), polls).await {
            let what = format!("no transaction is open after {polls} polls");
            // Calls that finish release their connection first.
            eventually(&what, async || place.number(OPEN).await == 0).await;
            polls += 1;
            cuts += 1;
        }
    }
    assert!(cuts > 10, "calls wait for the database many times: {cuts}");
}
