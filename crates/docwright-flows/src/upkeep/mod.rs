//! Duties that nobody asks for: one file each.

mod archive;
mod broken_uploads;
mod reconcile;

pub use archive::archive_old_jobs;
pub use broken_uploads::remove_broken_uploads;
pub use reconcile::{Reconciler, reconcile};
