//! The queue of jobs: each job's row is its entry.
//!
//! A worker holds a job by a lease in its row and renews it. A worker that is killed leaves its lease
//! behind; when that runs out, any worker takes the job again. Jobs may therefore run twice, and each
//! of their steps allows for it.

mod agents;
mod exports;

use std::time::Duration;

use docwright_domain::timestamp::{SECOND, Timestamp};

pub use agents::AgentWorker;
pub use exports::ExportWorker;

/// How long a lease lasts without being renewed, unless an install says otherwise.
pub const LEASE: Timestamp = 15 * SECOND;
/// Leases are renewed this often.
const HEARTBEAT: Duration = Duration::from_millis(500);
/// Without a nudge, the queue is looked at this often.
const IDLE: Duration = Duration::from_secs(1);
/// A fault that may pass is waited out this long, times the number of attempts.
const RETRY_AFTER: Timestamp = 5 * SECOND;
/// Faults that may pass are given this many tries.
const MAXIMUM_TRIES: i64 = 3;
