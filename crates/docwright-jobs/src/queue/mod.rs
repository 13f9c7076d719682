//! The queue: one worker, one lease, and one policy of retries for every kind of job.
//!
//! A job's row is its queue entry. A [`Worker`] claims a job, keeps its lease while a separate task renews it
//! ([`HeldLease`]), runs it, and writes its result under the lease. A worker that disappears leaves its lease
//! behind; when that expires, another worker starts the job again. So a job can run twice, and each of its steps
//! allows for that; it can't finish twice. Idle workers wait until they are woken: by the process, when it queues
//! a job itself, or by its [`Lookout`], which finds all other work. The work itself is in [`publish`](crate::publish) and
//! [`propose`](crate::propose).

mod error;
mod held;
mod lookout;
mod observer;
mod slots;
mod step;
mod worker;

use std::time::Duration;

use docwright_types::timestamp::{SECOND, Timestamp};

pub use error::JobError;
pub use held::HeldLease;
pub use lookout::{Lookout, Wakes};
pub use observer::{Event, Observed, Observer, Outcome};
pub use slots::Slots;
pub use step::Step;
pub use worker::{Job, Shutdown, Worker};

/// How long a lease lasts without renewal, unless an instance sets another time.
pub const LEASE: Timestamp = 15 * SECOND;
/// Time for an interrupted job to clean up.
const GRACE: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::{lookout::EVERY, *};

    /// Otherwise another worker could start a job that is still cleaning up.
    #[test]
    fn lease_outlasts_end_of_its_worker() {
        let lease = Duration::from_millis(LEASE.unsigned_abs());
        assert!(lease > GRACE * 2 && lease > EVERY * 2, "{lease:?}");
    }
}
