//! The queue: one worker, one lease and one policy of retries for every kind of job.
//!
//! A job's row is its queue entry. A [`Worker`] claims a job, holds it by a lease that a task of its
//! own renews ([`HeldLease`]), runs it, and writes its end under the lease. A worker that disappears
//! leaves its lease behind; when that runs out, another one begins the job again. Jobs can therefore
//! run twice, and each of their steps allows for it; they end once. What a job does stands in
//! [`publish`](crate::publish) and [`propose`](crate::propose).

mod error;
mod held;
mod observer;
mod slots;
mod step;
mod worker;

use std::time::Duration;

use docwright_types::timestamp::{SECOND, Timestamp};

pub use error::JobError;
pub use held::HeldLease;
pub use observer::{Event, Observed, Observer, Outcome};
pub use slots::Slots;
pub use step::Step;
pub use worker::{Job, Shutdown, Worker};

/// How long a lease lasts without being renewed, unless an instance says otherwise.
pub const LEASE: Timestamp = 15 * SECOND;
/// One of a process's idle workers polls the queue this often if none is woken.
const IDLE: Duration = Duration::from_secs(1);
/// A job that was interrupted has this long to clean up after itself.
const GRACE: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise another worker could begin a job that is still cleaning up.
    #[test]
    fn a_lease_outlasts_the_end_of_its_worker() {
        let lease = Duration::from_millis(LEASE.unsigned_abs());
        assert!(lease > GRACE * 2 && lease > IDLE * 2, "{lease:?}");
    }
}
