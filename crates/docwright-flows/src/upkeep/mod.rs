//! Duties that nobody asks for: one file each.

mod archive;
mod reconcile;

pub use archive::archive_old_jobs;
pub use reconcile::{Reconciler, reconcile};
